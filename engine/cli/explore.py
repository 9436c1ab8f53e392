"""`discover explore`: many attempts at one goal within limits; the best verified one becomes a draft."""

import asyncio
import hashlib
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli import show
from engine.cli.options import Json
from engine.domain.exploring import TaskRequest
from engine.errors import UsageError

app = typer.Typer(
    help="Explore: many attempts at one goal, scored by an evaluator, within limits on calls, dollars, time and rounds.",
    invoke_without_command=True,
)
LOOK_SECONDS = 0.5


@app.callback()
def explore(
    context: typer.Context,
    goal: Annotated[str | None, typer.Option(help="What is wanted, in words; @FILE reads it from a file.")] = None,
    target: Annotated[str | None, typer.Option(help="Id of an approved target of config.toml.")] = None,
    evaluator: Annotated[str | None, typer.Option(help="Evaluator; `discover evaluator list` shows them.")] = None,
    title: Annotated[str, typer.Option(help="A short name of the task.")] = "",
    agent: Annotated[str, typer.Option(help="Agent it is assigned to.")] = "local",
    model: Annotated[str, typer.Option(help="Model id, or `embedded`; the home's own without it.")] = "",
    strategy: Annotated[str, typer.Option(help="grid or hill_climb.")] = "grid",
    branches: Annotated[int, typer.Option(min=1, max=1000)] = 2,
    refinements: Annotated[int, typer.Option(min=0, max=1000)] = 1,
    rounds: Annotated[int, typer.Option(min=1, max=100)] = 1,
    parallel: Annotated[int, typer.Option(min=1, max=64, help="Cells at once.")] = 1,
    max_calls: Annotated[int, typer.Option(min=1, help="Attempts that may be made.")] = 8,
    max_usd: Annotated[str, typer.Option(help="Admission limit in dollars; not a ceiling on the provider's bill.")] = "1.00",
    max_seconds: Annotated[int, typer.Option(min=1, help="Wall time.")] = 3600,
    fork_of: Annotated[str | None, typer.Option(help="An ended run: begin at the best cell that it delivered.")] = None,
    reach: Annotated[float | None, typer.Option(help="A score that is good enough: no new cell after it.")] = None,
    seed_best: Annotated[bool, typer.Option("--seed-best", help="Later rounds start from the best so far.")] = False,
    as_json: Json = False,
) -> None:
    """Explore one goal on an approved target and keep the best verified capability as a draft."""
    if context.invoked_subcommand is not None:
        return
    if goal is None or target is None or evaluator is None:
        raise UsageError("An exploration needs --goal, --target and --evaluator.")
    text = Path(goal[1:]).read_text() if goal.startswith("@") else goal
    request: dict[str, Any] = {
        "assigned_to": agent, "kind": "discovery", "title": title or show.short(text), "description": text,
        "discovery": {
            "approved_root_id": target, "evaluator": evaluator, "runtime": "browser", "model": model, "strategy": strategy,
            "branch_count": branches, "refine_count": refinements, "max_parallelism": parallel, "target": reach,
            "fork_of": fork_of,
            "round_seed": "best" if seed_best else "baseline",
            "budget": {
                "max_agent_calls": max_calls, "max_usd": max_usd, "max_wall_secs": max_seconds, "max_rounds": rounds,
            },
        },
    }  # fmt: skip
    _explore(request, as_json)


@app.command("list")
def list_explorations(as_json: Json = False) -> None:
    """Newest first."""
    from engine.assembly.exploring import exploring, local_caller
    from engine.cli.discover import run
    from engine.cli.settings import current

    found: Any = run(exploring(current()).requests.call("discovery.list", {}, local_caller()))
    if as_json:
        show.one_json(found.model_dump(mode="json"))
        return
    for one in found.runs:
        show.out.print(f"{one.run_id}  {one.status or one.state}  {one.covered_cells} cells  {one.title}", markup=False)


@app.command("schema")
def schema(_json: Annotated[bool, typer.Option("--json", help="As it is anyway.")] = False) -> None:
    """Print one JSON Schema document of all requests that `discover serve` answers."""
    from engine.explore.schema import requests_schema

    show.one_json(requests_schema())


@app.command("token")
def token(
    user: Annotated[str, typer.Argument(help="Name of a user of config.toml.")],
    as_json: Json = False,
) -> None:
    """Make a bearer token for a user: printed once, with the lines for config.toml that hold only its hash."""
    made = secrets.token_urlsafe(32)
    digest = hashlib.sha256(made.encode()).hexdigest()
    if as_json:
        show.one_json({"token": made, "user": user, "sha256": digest})
        return
    show.out.print(f"Token, shown this once: {made}\n\nAdd to config.toml:", markup=False, soft_wrap=True)
    show.out.print(f'[[tokens]]\nuser = "{user}"\nsha256 = "{digest}"', markup=False, soft_wrap=True)


def _explore(request: dict[str, Any], as_json: bool) -> None:
    from rich.live import Live

    from engine.cli import exploration
    from engine.cli.discover import run

    seconds = request["discovery"]["budget"]["max_wall_secs"]
    if as_json or not show.err.is_terminal:
        said: dict[str, str] = {}
        seen = run(_followed(request, lambda tree: _lines(tree, said)))
    else:
        with Live(console=show.err, auto_refresh=False, transient=True) as live:
            seen = run(_followed(request, lambda tree: live.update(exploration.picture(tree, seconds), refresh=True)))
    if as_json:
        show.one_json(seen.model_dump(mode="json"))
    else:
        exploration.ended(seen)
    raise typer.Exit(exploration.exit_code(seen.run))


async def _followed(request: dict[str, Any], paint: Callable[[Any], None]) -> Any:
    """Create the run and follow it to its end; Ctrl-C cancels it, and what it found is kept."""
    from engine.assembly.exploring import exploring, local_caller
    from engine.assembly.targets import approved
    from engine.cli.settings import current

    settings, caller = current(), local_caller()
    target = approved(settings, request["discovery"]["approved_root_id"])
    request["discovery"]["allow_invalid_baseline"] = target.baseline is None  # nothing to start from is nothing to score
    opened = exploring(settings)
    task = TaskRequest.model_validate(request)
    created: Any = await opened.requests.call("tasks.create", task.model_dump(mode="json"), caller)
    asked = {"run_id": created.run_id}
    show.line(created.run_id)
    work = asyncio.ensure_future(opened.workshop.run(created.run_id))
    try:
        while not work.done():
            started = time.monotonic()
            paint(await opened.requests.call("discovery.tree", asked, caller))
            # Looking takes at most a tenth of the time, also where twenty thousand cells are looked at.
            await asyncio.wait({work}, timeout=max(LOOK_SECONDS, 9 * (time.monotonic() - started)))
    except asyncio.CancelledError:
        await opened.requests.call("discovery.cancel", asked, caller)
        await work
    work.result()
    return await opened.requests.call("discovery.tree", asked, caller)


def _lines(tree: Any, said: dict[str, str]) -> None:
    """One line for every cell whose state is new."""
    for cell in tree.nodes:
        if said.get(cell.cell_id) != cell.state:
            said[cell.cell_id] = cell.state
            score = "" if cell.score is None else f" {cell.score:g}"
            show.line(f"{cell.cell_id} {cell.state}{score} {cell.feedback}".rstrip())
