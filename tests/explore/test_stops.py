"""Every end of a run and of a cell, each reached by a whole run that is asked for and looked at through the requests."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engine.domain.evaluation import FailClass, Scoring
from engine.domain.exploration import CellId, CellState, RunStatus, StopCode, StopDetail
from engine.domain.exploring import DiscoveryRequest
from engine.domain.usage import Usage
from engine.errors import HostFault, StoreError
from engine.explore.answers import Tree
from engine.explore.orders import Meter, Order, Report
from engine.explore.progress import Progress
from engine.explore.strategies import Enough, GridStrategy, Wave
from engine.score.evaluator import Terms
from tests.explore.house import ANN, BOSS, EYE, OPS, House
from tests.explore.kit import PAID, Bench, Script, writes
from tests.store.busy import busy
from tests.subjects.memory import FILE, FROZEN


def ends(report: Report, *, first: int = 0) -> Script:
    """A script that reports this, from the nth order on; before that it writes a score."""
    made = 0

    async def script(order: Order, meter: Meter) -> Report:
        nonlocal made
        made += 1
        if made <= first:
            return await writes(lambda _: 1.0)(order, meter)
        return report

    return script


def says(fail_class: FailClass, since: int = 2) -> Callable[[dict[str, Any], int], Scoring | None]:
    """An evaluator that answers this from its nth scoring on (the first is the baseline's)."""
    return lambda _candidate, count: Scoring(fail_class, isolated=fail_class != "eval_isolation") if count >= since else None


async def hangs(order: Order, meter: Meter) -> Report:
    """An attempt that writes something and never ends."""
    (order.place / FILE).write_text(json.dumps({"score": 5.0}))
    await asyncio.Event().wait()
    raise AssertionError


async def overspends(order: Order, meter: Meter) -> Report:
    """An attempt that goes on until it is told to stop."""
    used = 0
    while meter.observe(used):
        used += 400_000
    (order.place / FILE).write_text(json.dumps({"score": 5.0}))
    return Report("budget", Usage(requests=1, usd_micros=used, usd_source="estimated"))


class Lawless(GridStrategy):
    """Plans a cell of another round."""

    def next(self, request: DiscoveryRequest, progress: Progress) -> Wave | Enough:
        """Unlawful."""
        return Wave(1, (CellId(2, 0, 0),))


class Broken(GridStrategy):
    """Has a fault."""

    def next(self, request: DiscoveryRequest, progress: Progress) -> Wave | Enough:
        """It."""
        raise ZeroDivisionError


class Endless(GridStrategy):
    """Plans ever larger rounds."""

    def next(self, request: DiscoveryRequest, progress: Progress) -> Wave | Enough:
        """More than there may be, in the second round."""
        number = progress.round + 1
        return Wave(number, tuple(CellId(number, b, 0) for b in range(2 if number == 1 else 19_999)))


async def changed_hash() -> str:
    """Not what was approved."""
    return "another"


async def no_sandbox(parent: Path | None, place: Path) -> None:
    """A subject without its sandbox."""
    raise HostFault("isolation_unavailable", "no image")


@dataclass
class Case:
    """A run: how it is set up, and how it must end."""

    status: RunStatus
    code: StopCode | None = None
    detail: StopDetail | None = None
    script: Script | None = None
    said: Callable[[dict[str, Any], int], Scoring | None] | None = None
    change: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    spoil: Callable[[Bench], None] = lambda bench: None
    calls: int | None = None
    delivered: bool | None = None


def limits(**budget: int) -> dict[str, Any]:
    """Part of a request."""
    return {"budget": budget}


def spoil(**changes: Any) -> Callable[[Bench], None]:
    """Replace methods of the subject."""

    def do(bench: Bench) -> None:
        for name, value in changes.items():
            setattr(bench.subject, name, value)

    return do


def revoke(bench: Bench) -> None:
    """The evaluator of the approved request is another by now."""
    bench.evaluator.terms = Terms("memory", "f" * 64)


def stays(path: Path) -> bool:
    """A folder that cannot be removed."""
    return not path.exists()


def not_gone(bench: Bench) -> None:
    """Something of every attempt keeps running."""
    bench.runtime.gone = False


def leftover(bench: Bench) -> None:
    """An earlier run left something that cannot be swept."""
    (bench.home / "left").mkdir()
    bench.desk.leftovers.add(bench.home / "left")


CASES: dict[str, Case] = {
    "all went well": Case("complete", delivered=True, calls=4),
    "no account": Case("degraded", "no_account", script=ends(Report("no_account", called=False)), calls=0, delivered=False),
    "calls used up": Case("budget_exhausted", "budget_exhausted", change=limits(max_agent_calls=3), calls=3, delivered=True),
    "money used up": Case("budget_exhausted", "budget_exhausted", script=overspends, change=limits(max_usd=1), delivered=True),
    "wall in an attempt": Case("budget_exhausted", "budget_exhausted", script=hangs, change=limits(max_wall_secs=60), calls=1),
    "rate limited": Case("rate_limited", "rate_limited", script=ends(Report("rate_limited"), first=1), calls=2, delivered=True),
    "no isolation for the evaluator": Case("degraded", "isolation_unavailable", said=says("eval_isolation"), delivered=False),
    "no isolation for the attempt": Case("degraded", "isolation_unavailable", script=ends(Report("isolation_unavailable"))),
    "no isolation for the subject": Case("degraded", "isolation_unavailable", spoil=spoil(materialise=no_sandbox), calls=0),
    "an unknown runtime": Case("degraded", "runtime_unsupported", change={"runtime": "gone"}, calls=0),
    "attempts that stay": Case("degraded", "cleanup_failed", spoil=not_gone, calls=1, delivered=False),
    "a folder that stays": Case("degraded", "cleanup_failed", options={"remove": stays}, calls=0),
    "an unswept folder": Case("blocked", "cleanup_failed", options={"remove": stays}, spoil=leftover, calls=0),
    "evaluator swapped before": Case("blocked", "integrity_changed", "evaluator_changed", spoil=revoke, calls=0),
    "evaluator swapped during": Case("degraded", "integrity_changed", "evaluator_changed", delivered=True,
                                     said=says("eval_registry_changed", 3)),
    "input written": Case("degraded", "integrity_changed", said=says("eval_mutated_input", 3), calls=2),
    "root swapped before": Case("blocked", "integrity_changed", "root_changed", spoil=spoil(verify=changed_hash), calls=0),
    "evaluator left something": Case("degraded", "cleanup_failed", said=says("eval_cleanup", 3), calls=2),
    "winner rejected": Case("degraded", "winner_rejected", said=says("invalid_solution", 6), delivered=False),
    "winner not scorable": Case("degraded", "evaluator_unavailable", said=says("eval_crash", 6), delivered=False),
    "three not evaluated": Case("degraded", "evaluator_unavailable", said=says("eval_timeout"), calls=3),
    "baseline not evaluated": Case("degraded", "evaluator_unavailable", said=says("eval_crash", 1), calls=0),
    "retries used up": Case("degraded", "attempt_failed", script=ends(Report("model_error", PAID), first=3), calls=6,
                            delivered=True),
    "three failed": Case("degraded", "attempt_failed", script=ends(Report("spawn_failed", called=False)), calls=0,
                         change={"branch_count": 5}),
    "a tool outside": Case("degraded", "tool_violation", script=ends(Report("tool_violation", PAID)), calls=1),
    "three out of bounds": Case("degraded", "tool_violation", "policy_violation", script=ends(Report("policy", PAID)), calls=3),
    "transcript too long": Case("degraded", "other", "transcript_overflow", script=ends(Report("transcript_overflow", PAID)),
                                calls=1),
    "baseline invalid": Case("failed", None, "baseline_invalid", said=says("invalid_solution", 1), calls=0),
    "nothing valid": Case("failed", script=writes(lambda _: "invalid_solution"), calls=4, delivered=False),
    "target reached": Case("complete", None, "target_reached", change={"target": 1.0, "branch_count": 9}, delivered=True),
    "experiments used": Case("complete", None, "experiments_used", calls=3,
                             change={"strategy": "hill_climb", "branch_count": 1, "refine_count": 0, "max_experiments": 3}),
    "no proposals": Case("failed", None, "proposal_failed", script=ends(Report("done", PAID)), calls=3,
                         change={"strategy": "hill_climb", "branch_count": 1, "refine_count": 0, "max_experiments": 9}),
    "an unlawful plan": Case("degraded", "other", "plan_failed", options={"strategies": {"grid": Lawless()}}, calls=0),
    "a plan too large": Case("degraded", "other", "grid_limit", options={"strategies": {"grid": Endless()}}, calls=2),
    "no room": Case("degraded", "other", "quota_exceeded", options={"quota_bytes": 200}),
    "an unknown fault": Case("degraded", "other", options={"strategies": {"grid": Broken()}}, calls=0),
}  # fmt: skip


async def run_case(tmp_path: Path, case: Case) -> tuple[House, Tree]:
    """Set it up, ask for it, run it, look at it."""
    house = House(tmp_path, **case.options)
    house.bench.runtime.script = case.script or house.bench.script
    house.bench.evaluator.said = case.said or house.bench.evaluator.said
    created = await house.create(BOSS, **case.change)
    case.spoil(house.bench)
    await house.work()
    house.bench.desk.explorations.verify(created.run_id)
    return house, await house.tree(created.run_id)


@pytest.mark.parametrize("name", CASES)
async def test_how_a_run_ends(tmp_path: Path, name: str) -> None:
    """Each cause has its status, stop code and detail; what it cost and what it delivers are as specified."""
    case = CASES[name]
    house, tree = await run_case(tmp_path, case)
    run = tree.run
    assert (run.state, run.status, run.stop_code, run.stop_detail) == ("terminal", case.status, case.code, case.detail)
    assert (run.cost.pending, busy(house.bench.desk.database)) == (0, 0)
    if case.calls is not None:
        assert run.calls == case.calls
    if case.delivered is not None:
        assert (run.winner_cell_id is not None) == case.delivered
        assert len(house.bench.subject.exported) == case.delivered
    states = {cell.state for cell in tree.nodes}
    assert not states & {"planned", "waiting_slot", "preparing", "running", "sealing", "evaluating"}


async def test_the_next_finalist_takes_over(tmp_path: Path) -> None:
    """The best fails its second scoring, in a fresh look at what was sealed; the second best passes and is delivered."""
    change = {"branch_count": 3, "refine_count": 0}
    case = Case("complete", script=writes(lambda order: float(order.cell.branch)), change=change,
                said=lambda _candidate, count: Scoring("invalid_solution") if count == 5 else None)  # fmt: skip
    house, tree = await run_case(tmp_path, case)
    run = tree.run
    assert (run.status, run.best_cell_id, run.winner_cell_id) == ("complete", "r1-b2-a0", "r1-b1-a0")
    assert house.bench.evaluator.count == 6


async def test_the_operator_stops_the_process(tmp_path: Path) -> None:
    """An orderly stop interrupts the run, settles the call under way, and keeps the best."""
    house = House(tmp_path)

    async def script(order: Order, meter: Meter) -> Report:
        if order.cell.branch == 0:
            return await writes(lambda _: 2.0)(order, meter)
        house.workshop.stop()
        return await hangs(order, meter)

    house.bench.runtime.script = script
    tree = await house.explored(refine_count=0)
    run = tree.run
    assert (run.status, run.stop_code, run.stop_detail) == ("interrupted", None, "operator_stop")
    assert (run.winner_cell_id, [cell.state for cell in tree.nodes]) == ("r1-b0-a0", ["valid", "void"])
    assert (run.calls, run.cost.pending, run.cost.usd_source) == (2, 0, "unknown")
    assert run.cost.unknown_liability > 0


async def test_a_store_that_fails_for_a_while(tmp_path: Path) -> None:
    """A failed ledger write spawns nothing; when the store answers again the run says why it ended."""
    house = House(tmp_path)
    bench = house.bench
    admit, failures = bench.desk.ledger.admit, 0

    def flaky(run_id: str, cell_id: str, bound: int | None) -> Any:
        nonlocal failures
        if cell_id == "r1-b1-a0":
            failures += 1
            raise StoreError("disk full")
        return admit(run_id, cell_id, bound)

    bench.desk.ledger.admit = flaky  # type: ignore[method-assign]
    run = (await house.explored(refine_count=0)).run
    assert failures == 1
    assert [str(order.cell) for order in bench.runtime.orders] == ["r1-b0-a0"]
    assert (run.status, run.stop_code, run.stop_detail) == ("degraded", "other", "store_unavailable")
    assert run.winner_cell_id == "r1-b0-a0"


@pytest.mark.parametrize("keep", [True, False])
async def test_a_cancel_is_written_first_and_prevails(tmp_path: Path, keep: bool) -> None:
    """Work under way is stopped, its late success changes nothing, and the best is kept only when asked for."""
    house = House(tmp_path)

    async def script(order: Order, meter: Meter) -> Report:
        if order.cell.branch == 1:
            await house.ask("discovery.cancel", OPS, run_id=order.run_id)
            (order.place / FILE).write_text(json.dumps({"score": 99.0}))
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return Report("done", PAID)  # a late success
        return await writes(lambda _: 1.0)(order, meter)

    house.bench.runtime.script = script
    tree = await house.explored(refine_count=0, branch_count=3, keep_partial=keep)
    run = tree.run
    assert (run.status, run.stop_code, run.stop_detail, run.cancel_code) == ("cancelled", None, None, "cancelled_by_user")
    assert run.winner_cell_id == ("r1-b0-a0" if keep else None)
    assert [cell.state for cell in tree.nodes] == ["valid", "cancelled", "cancelled"]
    assert run.calls == 2


async def test_what_a_run_and_its_cells_go_through(tmp_path: Path) -> None:
    """Every state on the way can be seen from outside: in the events, and in the tree while it happens."""
    house = House(tmp_path)
    during: list[Tree] = []

    async def script(order: Order, meter: Meter) -> Report:
        during.append(await house.tree(order.run_id))
        if len(during) == 1:
            await house.ask("discovery.pause", BOSS, run_id=order.run_id)
        return await writes(lambda _: 1.0)(order, meter)

    house.bench.runtime.script = script
    created = await house.create(ANN, refine_count=0)
    await house.ask("approvals.decide", BOSS, id=created.approval_id, approve=True)
    async with house.bench.clock.running():
        work = asyncio.create_task(house.workshop.run_due())
        while (await house.tree(created.run_id)).run.state != "paused":
            await house.bench.clock.sleep(0.1)
        await house.ask("discovery.resume", BOSS, run_id=created.run_id)
        await work
    found = (await house.ask("discovery.events", EYE, run_id=created.run_id)).events
    assert [event.target for event in found if event.kind == "run"] == [
        "pending_approval", "queued", "preparing", "baseline_running", "exploring", "paused", "exploring", "finalizing",
        "terminal",
    ]  # fmt: skip
    steps = [event.target for event in found if event.kind == "cell" and event.subject == "r1-b0-a0"]
    assert steps == ["waiting_slot", "preparing", "running", "sealing", "evaluating", "valid"]
    assert [[cell.state for cell in tree.nodes] for tree in during] == [["running", "planned"], ["valid", "running"]]


def links(order: Order) -> None:
    """A candidate that points outside."""
    (order.place / "link").symlink_to("/etc/passwd")


CELLS: dict[CellState, Case] = {
    "valid": Case("complete"),
    "invalid_solution": Case("failed", script=writes(lambda _: "invalid_solution")),
    "runtime_error": Case("failed", script=writes(lambda _: "runtime_error")),
    "timeout": Case("failed", script=writes(lambda _: "timeout")),
    "no_output": Case("failed", script=ends(Report("stuck", PAID))),
    "tamper": Case("failed", script=writes(lambda _: "tamper")),
    "policy_violation": Case("degraded", script=ends(Report("policy", PAID))),
    "not_evaluated": Case("degraded", said=says("eval_protocol")),
    "infra_failed": Case("degraded", script=ends(Report("model_error", PAID))),
    "skipped": Case("complete", script=writes(lambda _: 7.0), change={"target": 7.0}),
}


@pytest.mark.parametrize("state", CELLS)
async def test_every_end_of_a_cell(tmp_path: Path, state: CellState) -> None:
    """Each last state of a cell is reached by a whole run."""
    _, tree = await run_case(tmp_path, CELLS[state])
    assert state in {cell.state for cell in tree.nodes}


@pytest.mark.parametrize(
    ("name", "content", "state"),
    [
        ("conftest.py", "import os", "tamper"),
        ("sub/.env.local", "A=1", "tamper"),
        (FROZEN, "touched", "policy_violation"),
    ],
)
async def test_what_a_candidate_must_not_leave(tmp_path: Path, name: str, content: str, state: str) -> None:
    """New test hooks are tampering, a changed frozen file is out of bounds; neither is scored nor kept."""

    async def script(order: Order, meter: Meter) -> Report:
        (order.place / name).parent.mkdir(exist_ok=True)
        (order.place / name).write_text(content)
        return await writes(lambda _: 1.0)(order, meter)

    house, tree = await run_case(tmp_path, Case("failed", script=script, change={"branch_count": 1, "refine_count": 0}))
    (cell,) = tree.nodes
    assert (cell.state, cell.digest, house.bench.evaluator.count) == (state, "", 1)


async def test_links_are_tampering(tmp_path: Path) -> None:
    """A candidate that leaves a link is not followed, not scored, not kept."""

    async def script(order: Order, meter: Meter) -> Report:
        links(order)
        return Report("done", PAID)

    _, tree = await run_case(tmp_path, Case("failed", script=script, change={"branch_count": 1, "refine_count": 0}))
    assert [cell.state for cell in tree.nodes] == ["tamper"]


async def test_an_attempt_past_its_own_deadline_is_still_scored(tmp_path: Path) -> None:
    """Our deadline ends it after 180 s, what it left is sealed and scored, and its unknown price is a liability."""
    change = {"branch_count": 1, "refine_count": 0, "budget": {"max_agent_calls": 50}}
    _, tree = await run_case(tmp_path, Case("complete", script=hangs, change=change))
    (cell,) = tree.nodes
    assert (tree.run.status, cell.state, cell.score) == ("complete", "valid", 5.0)
    cost = tree.run.cost
    assert (cost.usd_source, cost.unknown_liability, cost.reported) == ("unknown", 100_000, 0)
