"""What a run looks like on a terminal: progress on stderr, results on stdout."""

import json
import sys
from collections import Counter
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from engine.domain.action import Action, Extract
from engine.domain.capability import Capability
from engine.domain.ending import BatchResult, ReplayResult, RowReplayed
from engine.domain.review import ReviewState
from engine.domain.run import RunResult
from engine.domain.step import Step
from engine.domain.usage import Usage
from engine.domain.verdict import ApprovalNeeded, Refusal

err = Console(stderr=True, highlight=False)
out = Console(highlight=False)


def one_json(record: Any) -> None:
    """Exactly one JSON object on stdout."""
    sys.stdout.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")


def line(text: str) -> None:
    """One line of progress."""
    err.print(f"[dim]{escape(text)}[/dim]")


def step(done: Step, to: Console = err) -> None:
    """One step as it happens: number, action, on what, how long, and what went wrong."""
    seconds = (done.timing.observe + done.timing.decide + done.timing.judge + done.timing.act) / 1000
    mark = "[green]✓[/green]" if done.outcome.ok else "[red]✗[/red]"
    action = done.decision.action
    to.print(
        f"{done.number:>3}  {mark} [bold]{action.action:<8}[/bold] {escape(on_what(done, action))}  [dim]{seconds:.1f} s[/dim]"
    )
    to.print(f"       [dim]{escape(done.decision.reason)}[/dim]")
    for dialog in done.outcome.dialogs:
        to.print(f"       [yellow]{escape(dialog.type)} “{escape(dialog.message)}” {escape(dialog.answer)}[/yellow]")
    for download in done.outcome.downloads:
        to.print(f"       [cyan]downloaded {escape(download.name)}, {download.size} bytes[/cyan]")
    if isinstance(done.verdict, Refusal | ApprovalNeeded):
        to.print(f"       [yellow]{escape(done.verdict.why)} ({escape(done.verdict.rule)})[/yellow]")
    if done.outcome.problem:
        to.print(f"       [red]{escape(done.outcome.problem)}[/red]")


def on_what(done: Step, action: Action) -> str:
    """The action's object in words: `button "Search"`, `textbox "Name" ← Ada`, `balance = $5`."""
    if isinstance(action, Extract):
        return ", ".join(f"{value.name} = {short(value.raw)}" for value in done.outcome.values) or "nothing"
    facts = None if isinstance(done.verdict, Refusal) else done.verdict.facts
    place = f'{facts.role} "{facts.name}"' if facts and (facts.role or facts.name) else ""
    given = getattr(action, "text", None) or getattr(action, "key", None) or getattr(action, "url", None)
    given = (
        given or ", ".join(getattr(action, "options", ())) or getattr(action, "summary", None) or getattr(action, "problem", "")
    )
    return " ← ".join(part for part in (place, short(str(given or ""))) if part)


def short(text: str) -> str:
    """At most 80 characters of one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= 80 else f"{flat[:79]}…"


def result(ended: RunResult) -> None:
    """How a discovery ended, for a person."""
    color = "green" if ended.exit_code == 0 else "red"
    out.print(f"[{color}]{escape(ended.status.replace('_', ' '))}[/{color}]: {escape(ended.explanation)}")
    if ended.outputs:
        table = Table("output", "value", box=None, pad_edge=False)
        for value in ended.outputs:
            table.add_row(value.name, short(value.raw))
        out.print(table)
    if ended.capability:
        out.print(f"capability  {escape(ended.capability)} (a draft: a person reviews it)")
    out.print(f"evidence    {escape(ended.evidence)}")
    out.print(f"model       {escape(ended.model)}, {ended.usage.requests} requests, {money(ended.usage)}")


def replayed(ended: ReplayResult) -> None:
    """How a replay ended, for a person."""
    color = "green" if ended.exit_code == 0 else "red"
    out.print(f"[{color}]{ended.ending}[/{color}] {escape(ended.explanation)}")
    if ended.step:
        out.print(f"at step {escape(ended.step)}: expected {escape(ended.expected)}; seen {escape(ended.seen)}")
    table = Table("output", "value", box=None, pad_edge=False)
    for name, value in ended.outputs.items():
        table.add_row(name, _text(value))
    if ended.outputs:
        out.print(table)
    out.print(f"[dim]{len(ended.steps)} steps, {ended.millis / 1000:.1f} s, no model[/dim]")


def row(ended: RowReplayed, of: int) -> None:
    """One row of a batch as it ends."""
    color = "green" if ended.result.exit_code == 0 else "red"
    err.print(
        f"{ended.row:>4}/{of}  [{color}]{ended.result.ending}[/{color}]  {escape(_given(ended))}"
        f"  [dim]{ended.result.millis / 1000:.1f} s[/dim] {escape(ended.result.explanation)}"
    )


def _given(ended: RowReplayed) -> str:
    return short(", ".join(f"{name}={value}" for name, value in ended.inputs.items()))


def batch(ended: BatchResult) -> None:
    """What came of every row, and how many ended how."""
    outputs = list(dict.fromkeys(name for each in ended.rows for name in each.result.outputs))
    table = Table("row", "inputs", "ending", *map(escape, outputs), box=None, pad_edge=False)
    for each in ended.rows:
        cells = (escape(_text(each.result.outputs.get(name, ""))) for name in outputs)
        table.add_row(str(each.row), escape(_given(each)), each.result.ending, *cells)
    out.print(table)
    counts = Counter(each.result.ending for each in ended.rows)
    said = ", ".join(f"{count} {ending}" for ending, count in counts.most_common())
    left = ended.total - len(ended.rows)
    out.print(f"[dim]{ended.total} rows: {said}{f', {left} not begun' if left else ''}; no model[/dim]")


def _text(value: Any) -> str:
    return short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def capability(one: Capability, state: ReviewState) -> None:
    """A capability for a person: what goes in, what happens, what comes out."""
    out.print(f"[bold]{escape(one.title)}[/bold]  {one.id}@{one.version}  {state}, {one.risk_class}")
    if one.description:
        out.print(one.description, markup=False)
    for heading, schema in (("inputs", one.inputs), ("outputs", one.outputs)):
        out.print(f"\n[bold]{heading}[/bold]")
        for name, field in schema.get("properties", {}).items():
            kind = "secret" if field.get("x-secret") else field.get("format") or field.get("type", "")
            out.print(f"  {name}: {kind}", markup=False)
    out.print("\n[bold]steps[/bold]")
    for each in one.steps:
        place = each.target.description if each.target else ""
        marks = ", ".join([each.effect, *(["optional"] if each.optional else [])])
        out.print(f"  {each.id:<6} {each.action:<9} {place} {each.value or ''} ({marks})", markup=False)


def money(usage: Usage) -> str:
    """Cost with where the figure is from; unknown stays unknown."""
    if usage.usd_micros is None:
        return "cost unknown"
    return f"${usage.usd_micros / 1_000_000:.4f} {usage.usd_source}"
