"""`discover runs`: what was run, and how each run went."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from engine.cli import show
from engine.cli.options import Json
from engine.domain.step import Step

app = typer.Typer(help="Recorded runs, and explorations by their id (`run-…`).", no_args_is_help=True)
Which = Annotated[str, typer.Argument(metavar="RUN", help="Id of an exploration: `run-…`.")]


@app.command("list")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    as_json: Json = False,
) -> None:
    """Newest first."""
    from engine.assembly.homes import run_store
    from engine.cli.settings import current

    rows = run_store(current()).list(limit=limit)
    if as_json:
        show.one_json({"runs": [row.model_dump(mode="json") for row in rows]})
        return
    if not rows:
        show.out.print("No runs yet. Start one: discover --goal … --target …")
        return
    table = Table("run", "started", "status", "model", "goal", box=None, pad_edge=False)
    for row in rows:
        started = row.started_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        table.add_row(row.run_id, started, row.status, row.model, show.short(row.goal))
    show.out.print(table)


@app.command("show")
def show_run(
    run_id: Annotated[str, typer.Argument(metavar="RUN")],
    as_json: Json = False,
) -> None:
    """One run with its steps."""
    from engine.assembly.homes import effect_store, run_store
    from engine.cli.settings import current

    row = run_store(current()).get(run_id)
    doubts = [str(effect) for effect in effect_store(current()).of_run(run_id) if effect.state == "in_doubt"]
    lines = Path(row.evidence) / "steps.jsonl"
    steps = [json.loads(line) for line in lines.read_text().splitlines()] if lines.is_file() else []
    if as_json:
        show.one_json({**row.model_dump(mode="json"), "steps": steps, "in_doubt": doubts})
        return
    show.out.print(f"{row.run_id}  {row.status}  {row.target}")
    show.out.print(row.goal, markup=False)
    for step in steps:
        show.step(Step.model_validate(step), show.out)
    for doubt in doubts:
        show.out.print(doubt, markup=False)
    if row.result:
        show.result(row.result)


@app.command("tree")
def tree(run_id: Which, as_json: Json = False) -> None:
    """One exploration: its cells with scores, what it cost, and how it ended."""
    from engine.cli import exploration

    answer = _asked("discovery.tree", run_id)
    if as_json:
        show.one_json(answer.model_dump(mode="json"))
    else:
        exploration.ended(answer)


@app.command("cancel")
def cancel(run_id: Which, as_json: Json = False) -> None:
    """End an exploration; its verified best is kept."""
    _steer("discovery.cancel", run_id, as_json)


@app.command("pause")
def pause(run_id: Which, as_json: Json = False) -> None:
    """Begin no new cell of an exploration until it is resumed."""
    _steer("discovery.pause", run_id, as_json)


@app.command("resume")
def resume(run_id: Which, as_json: Json = False) -> None:
    """Let a paused exploration go on."""
    _steer("discovery.resume", run_id, as_json)


def _steer(method: str, run_id: str, as_json: bool) -> None:
    standing = _asked(method, run_id)
    if as_json:
        show.one_json(standing.model_dump(mode="json"))
    else:
        show.out.print(f"{standing.run_id}  {standing.status}; asked to {method.partition('.')[2]}", markup=False)


def _asked(method: str, run_id: str) -> Any:
    from engine.assembly.exploring import exploring, local_caller
    from engine.cli.discover import run
    from engine.cli.settings import current

    return run(exploring(current()).requests.call(method, {"run_id": run_id}, local_caller()))
