"""What an exploration looks like on a terminal: a tree with scores, the cost by source, calls and time left."""

from rich.console import Group
from rich.markup import escape
from rich.text import Text
from rich.tree import Tree

from engine.cli import show
from engine.domain.exploration import OPEN_STATES, CellId
from engine.explore.answers import RunSummary
from engine.explore.answers import Tree as Answer
from engine.store.explorations import CellRecord

COLORS = {"valid": "green", "tamper": "red", "policy_violation": "red", "running": "cyan", "evaluating": "cyan"}
EXIT_OF = {
    "failed": 3,
    "degraded": 3,
    "budget_exhausted": 4,
    "blocked": 5,
    "rate_limited": 6,
    "cancelled": 130,
    "interrupted": 130,
}
"""Exit code of a run that delivered nothing."""
LIVE_CELLS = 60
"""Of a larger tree only what is under way and the best are painted while it grows, under the sums of each round."""


def picture(seen: Answer, max_wall_secs: int | None = None) -> Group:
    """The run as rich text."""
    run = seen.run
    tree = Tree(f"[bold]{escape(run.title)}[/bold]  {run.run_id}  {run.status or run.state}")
    if run.baseline_score is not None:
        tree.add(f"baseline  {run.baseline_score:g}")
    if seen.tree_unavailable_reason:
        tree.add(escape(seen.tree_unavailable_reason))
    branches: dict[tuple[int, int], Tree] = {}
    live = max_wall_secs is not None and len(seen.nodes) > LIVE_CELLS
    for each in seen.rounds if live else ():
        best = "" if each.best_score is None else f", best {each.best_score:g}"
        tree.add(f"round {each.round}: {each.ended} of {each.planned} ended, {each.valid} valid{best}")
    for cell in seen.nodes:
        if live and cell.state not in OPEN_STATES[1:] and cell.cell_id != run.best_cell_id:
            continue
        at = CellId.parse(cell.cell_id)
        key = (at.round, at.branch)
        if key not in branches:
            branches[key] = tree.add(f"round {at.round}, branch {at.branch}")
        branches[key].add(_cell(cell, run))
    return Group(tree, Text(standing(run, max_wall_secs), style="dim"))


def standing(run: RunSummary, max_wall_secs: int | None = None) -> str:
    """Cost by source, calls and time, in one line."""
    cost = run.cost
    parts = {"reported": cost.reported, "estimated": cost.estimated, "unknown": cost.unknown_liability, "pending": cost.pending}
    told = ", ".join(f"{dollars(micros)} {source}" for source, micros in parts.items() if micros) or "$0 spent"
    left = "" if max_wall_secs is None else f", {max(0, max_wall_secs - run.elapsed_secs):.0f} s left"
    return (
        f"{told} of {dollars(cost.max_usd_micros)}; {run.calls} of {run.max_calls} calls, {run.model_requests} model requests; "
        f"covers {run.covered_cells} cells; {run.elapsed_secs:.0f} s{left}"
    )


def ended(seen: Answer) -> None:
    """The whole tree and how the run ended, on stdout."""
    run = seen.run
    show.out.print(picture(seen))
    why = ", ".join(filter(None, (run.stop_code, run.stop_detail, run.cancel_code)))
    show.out.print(f"{run.status or run.state}{f' ({why})' if why else ''}", markup=False)
    if run.approval_status == "pending":
        show.out.print("It waits for a manager of its agent to approve it.")
    if run.winner_cell_id:
        better = {True: "better than the baseline", False: "no better than the baseline", None: ""}[run.improved]
        show.out.print(
            f"winner  {run.winner_cell_id}  score {run.best_score:g}  {better}; kept as a draft for review", markup=False
        )


def exit_code(run: RunSummary) -> int:
    """0 when something was delivered or the run has yet to begin or end."""
    return 0 if run.winner_cell_id or run.status is None else EXIT_OF.get(run.status, 0)


def dollars(micros: int) -> str:
    """Micro-dollars for a person."""
    return f"${micros / 1_000_000:.4f}"


def _cell(cell: CellRecord, run: RunSummary) -> str:
    color = COLORS.get(cell.state, "yellow" if cell.state not in OPEN_STATES else "dim")
    score = "" if cell.score is None else f"  [bold]{cell.score:g}[/bold]"
    best = "  ★" if cell.cell_id == (run.winner_cell_id or run.best_cell_id) else ""
    return f"{cell.cell_id}  [{color}]{cell.state}[/{color}]{score}{best}  [dim]{escape(show.short(cell.feedback))}[/dim]"
