"""What was done so far, one line a step: the action, what came of it, and what changed; never the pages themselves."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from engine.decide.fence import line
from engine.domain.action import (
    Action,
    Click,
    Done,
    Extract,
    GoBack,
    Hover,
    Navigate,
    Press,
    Scroll,
    Select,
    Stuck,
    SwitchTab,
    Type,
    Upload,
    Wait,
    Widen,
)
from engine.domain.step import Outcome, Step, TargetSeen, Trajectory
from engine.domain.verdict import Refusal

LINES = 40
"""Steps told one by one; of earlier ones only the values they read are told."""


def history(steps: Trajectory) -> str:
    """The steps as lines, oldest first: earlier lines stay as they are from call to call."""
    left_out = steps[: max(0, len(steps) - LINES)]
    early = [f"(steps 1 to {len(left_out)} are left out{_values_of(left_out)})"] if left_out else []
    return "\n".join([*early, *(told(step) for step in steps[len(left_out) :])])


def told(step: Step) -> str:
    """One step in one line."""
    action = step.decision.action
    what = WORDS[type(action)](action)
    where = _place(step.outcome.target)
    return f"{step.number}. {action.action}{f' {what}' if what else ''}{where}: {'; '.join(_results(step))}"


def _results(step: Step) -> Iterator[str]:
    outcome = step.outcome
    yield _verdict(step)
    if outcome.url_after and outcome.url_after != outcome.url_before:
        yield f"now at {line(outcome.url_after)} {_quoted(outcome.title_after)}"
    elif outcome.ok and not outcome.changed and not outcome.values:
        yield "nothing changed"
    if outcome.new_tab:
        yield "in a new tab"
    if outcome.appeared:
        yield f"appeared {', '.join(_quoted(text) for text in outcome.appeared[:6])}"
    yield from (f"{line(seen.type)} dialog {_quoted(seen.message)} {line(seen.answer)}" for seen in outcome.dialogs)
    yield from (f"downloaded {_quoted(file.name)}" for file in outcome.downloads)
    if outcome.values:
        yield f"read {_read(outcome)}"


def _verdict(step: Step) -> str:
    problem = line(step.outcome.problem, 400)
    if isinstance(step.verdict, Refusal):
        return f"refused by the policy, not done: {line(step.verdict.why, 400)}"
    if step.outcome.denied:
        return f"a person said no, not done: {problem}"
    return "ok" if step.outcome.ok else f"failed: {problem}"


def _read(outcome: Outcome) -> str:
    return ", ".join(f"{value.name}={_quoted(value.raw)}" for value in outcome.values)


def _values_of(steps: Trajectory) -> str:
    read = ", ".join(_read(step.outcome) for step in steps if step.outcome.values)
    return f"; they read {read}" if read else ""


def _place(target: TargetSeen | None) -> str:
    """By role and name: the refs of earlier pages mean nothing any more."""
    return f" {line(target.role)} {_quoted(target.name or target.label)}" if target and target.role else ""


def _quoted(text: str) -> str:
    return json.dumps(line(text), ensure_ascii=False)


WORDS: dict[type[Action], Callable[[Any], str]] = {
    Navigate: lambda action: line(action.url),
    Click: lambda _: "",
    Type: lambda action: f"{_quoted(action.text)} into",
    Select: lambda action: f"{', '.join(_quoted(option) for option in action.options)} in",
    Press: lambda action: line(action.key),
    Wait: lambda action: f"for {_quoted(action.text)}{' to be gone' if action.gone else ''}" if action.text else "",
    Widen: lambda action: action.ref,
    Extract: lambda action: ", ".join(reading.name for reading in action.readings),
    Done: lambda action: _quoted(action.summary),
    Stuck: lambda action: _quoted(action.problem),
    Hover: lambda _: "",
    Upload: lambda action: f"{action.file} into",
    Scroll: lambda action: action.direction,
    SwitchTab: lambda action: str(action.tab),
    GoBack: lambda _: "",
}
"""What each action says of itself beside its place."""
