"""`discover runs`: what was run, and how each run went."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from engine.cli import show
from engine.domain.step import Step

app = typer.Typer(help="Recorded runs.", no_args_is_help=True)


@app.command("list")
def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
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
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """One run with its steps."""
    from engine.assembly.homes import run_store
    from engine.cli.settings import current

    row = run_store(current()).get(run_id)
    lines = Path(row.evidence) / "steps.jsonl"
    steps = [json.loads(line) for line in lines.read_text().splitlines()] if lines.is_file() else []
    if as_json:
        show.one_json({**row.model_dump(mode="json"), "steps": steps})
        return
    show.out.print(f"{row.run_id}  {row.status}  {row.target}")
    show.out.print(row.goal, markup=False)
    for step in steps:
        show.step(Step.model_validate(step), show.out)
    if row.result:
        show.result(row.result)
