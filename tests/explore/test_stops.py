"""Every status, stop code, stop detail and cancel code, reached through a whole run."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.domain.evaluation import FailClass, Scoring
from engine.domain.exploration import CancelCode, CellId, CellState, RunStatus, StopCode, StopDetail
from engine.domain.exploring import DiscoveryRequest
from engine.domain.run import Usage
from engine.errors import HostFault, StoreError
from engine.explore.desk import Pace
from engine.explore.orders import Meter, Order, Report
from engine.explore.progress import Progress
from engine.explore.strategies import STRATEGIES, Enough, GridStrategy, Wave
from engine.explore.workshop import Workshop
from engine.score.evaluator import Terms
from engine.store.explorations import RunRecord
from engine.subjects.memory import FILE, FROZEN
from tests.explore.kit import PAID, Bench, Script, writes


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


class Endless(GridStrategy):
    """Plans ever larger rounds."""

    def next(self, request: DiscoveryRequest, progress: Progress) -> Wave | Enough:
        """More than there may be, in the second round."""
        number = progress.round + 1
        return Wave(number, tuple(CellId(number, b, 0) for b in range(2 if number == 1 else 19_999)))


async def changed_hash() -> str:
    """Not what was approved."""
    return "another"


async def no_sandbox(place: Path) -> None:
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
    "calls used up": Case("budget_exhausted", "budget_exhausted", change={"max_agent_calls": 3}, calls=3, delivered=True),
    "money used up": Case("budget_exhausted", "budget_exhausted", script=overspends, change={"max_usd": 1}, delivered=True),
    "wall in an attempt": Case("budget_exhausted", "budget_exhausted", script=hangs, change={"max_wall_secs": 60}, calls=1),
    "rate limited": Case("rate_limited", "rate_limited", script=ends(Report("rate_limited"), first=1), calls=2, delivered=True),
    "no isolation for the evaluator": Case("degraded", "isolation_unavailable", said=says("eval_isolation"), delivered=False),
    "no isolation for the attempt": Case("degraded", "isolation_unavailable", script=ends(Report("isolation_unavailable"))),
    "no isolation for the subject": Case("degraded", "isolation_unavailable", spoil=spoil(prepare=no_sandbox), calls=0),
    "an unknown runtime": Case("degraded", "runtime_unsupported", change={"runtime": "other"}, calls=0),
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
    "an unknown fault": Case("degraded", "other", script=None, options={"strategies": {**STRATEGIES, "grid": None}}, calls=0),
}  # fmt: skip


async def run_case(tmp_path: Path, case: Case) -> tuple[Bench, RunRecord]:
    """Set it up, run it, read it back."""
    bench = Bench(tmp_path, options={"pace": Pace(look=0.25), **case.options})
    if case.script:
        bench.runtime.script = case.script
    if case.said:
        bench.evaluator.said = case.said
    run_id = await bench.queue(**case.change)
    case.spoil(bench)
    async with bench.clock.running():
        await Workshop(bench.desk).run(run_id)
    bench.desk.explorations.verify(run_id)
    return bench, bench.desk.explorations.get(run_id)


@pytest.mark.parametrize("name", CASES)
async def test_how_a_run_ends(tmp_path: Path, name: str) -> None:
    """Each cause has its status, stop code and detail; what it cost and what it delivers are as specified."""
    case = CASES[name]
    bench, run = await run_case(tmp_path, case)
    cost = bench.desk.ledger.cost(run.run_id)
    assert (run.status, run.stop_code, run.stop_detail) == (case.status, case.code, case.detail)
    assert cost.in_flight == 0
    assert bench.desk.slots.busy() == 0
    if case.calls is not None:
        assert cost.calls == case.calls
    if case.delivered is not None:
        assert (run.winner_cell_id is not None) == case.delivered
        assert len(bench.subject.exported) == case.delivered
    states = {cell.state for cell in bench.desk.explorations.cells(run.run_id)}
    assert not states & {"planned", "waiting_slot", "preparing", "running", "sealing", "evaluating"}


def test_the_cases_reach_every_code() -> None:
    """What no run can reach would have to be removed; the rest is reached by the tests named here."""
    elsewhere_details = {"lease_lost", "attempt_uncertain", "operator_stop", "store_unavailable"}  # test_crash, below
    elsewhere_statuses = {"cancelled", "interrupted"}
    assert {case.code for case in CASES.values() if case.code} == set(get_args(StopCode))
    assert {case.detail for case in CASES.values() if case.detail} == set(get_args(StopDetail)) - elsewhere_details
    assert {case.status for case in CASES.values()} == set(get_args(RunStatus)) - elsewhere_statuses


async def test_the_operator_stops_the_process(tmp_path: Path) -> None:
    """An orderly stop interrupts the run, settles the call under way, and keeps the best."""
    bench = Bench(tmp_path)
    workshop = Workshop(bench.desk)

    async def script(order: Order, meter: Meter) -> Report:
        if order.cell.branch == 0:
            return await writes(lambda _: 2.0)(order, meter)
        workshop.stop()
        return await hangs(order, meter)

    bench.runtime.script = script
    run_id = await bench.queue(refine_count=0)
    async with bench.clock.running():
        await workshop.run(run_id)
    run = bench.desk.explorations.get(run_id)
    assert (run.status, run.stop_detail, run.winner_cell_id) == ("interrupted", "operator_stop", "r1-b0-a0")
    cost = bench.desk.ledger.cost(run_id)
    assert (cost.calls, cost.in_flight) == (2, 0)
    assert cost.unknown > 0


async def test_a_store_that_fails_for_a_while(tmp_path: Path) -> None:
    """A failed ledger write spawns nothing; when the store answers again the run says why it ended."""
    bench = Bench(tmp_path)
    admit, failures = bench.desk.ledger.admit, 0

    def flaky(run_id: str, cell_id: str, bound: int | None) -> Any:
        nonlocal failures
        if cell_id == "r1-b1-a0":
            failures += 1
            raise StoreError("disk full")
        return admit(run_id, cell_id, bound)

    bench.desk.ledger.admit = flaky  # type: ignore[method-assign]
    run_id = await bench.queue(refine_count=0)
    async with bench.clock.running():
        await Workshop(bench.desk).run(run_id)
    run = bench.desk.explorations.get(run_id)
    assert failures == 1
    assert [str(order.cell) for order in bench.runtime.orders] == ["r1-b0-a0"]
    assert (run.status, run.stop_code, run.stop_detail) == ("degraded", "other", "store_unavailable")
    assert run.winner_cell_id == "r1-b0-a0"


@pytest.mark.parametrize("keep", [True, False])
async def test_a_cancel_is_written_first_and_prevails(tmp_path: Path, keep: bool) -> None:
    """Work under way is stopped, its late success changes nothing, and the best is kept only when asked for."""
    bench = Bench(tmp_path)

    async def script(order: Order, meter: Meter) -> Report:
        if order.cell.branch == 1:
            bench.desk.explorations.cancel(order.run_id, "cancelled_by_user")
            (order.place / FILE).write_text(json.dumps({"score": 99.0}))
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return Report("done", PAID)  # a late success
        return await writes(lambda _: 1.0)(order, meter)

    bench.runtime.script = script
    run_id = await bench.queue(refine_count=0, branch_count=3, keep_partial=keep)
    async with bench.clock.running():
        assert await Workshop(bench.desk).run(run_id) == "cancelled"
    run = bench.desk.explorations.get(run_id)
    assert (run.status, run.stop_code, run.cancel_code) == ("cancelled", None, "cancelled_by_user")
    assert run.winner_cell_id == ("r1-b0-a0" if keep else None)
    states = [cell.state for cell in bench.desk.explorations.cells(run_id)]
    assert states == ["valid", "cancelled", "cancelled"]
    assert bench.desk.ledger.cost(run_id).calls == 2


def test_every_cancel_code_is_reached() -> None:
    """Denied and expired are in test_requests, by the user above."""
    assert set(get_args(CancelCode)) == {"approval_denied", "approval_expired", "cancelled_by_user"}


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
    # void: test_crash; cancelled: above
}


@pytest.mark.parametrize("state", CELLS)
async def test_every_end_of_a_cell(tmp_path: Path, state: CellState) -> None:
    """Each last state of a cell is reached by a whole run."""
    bench, run = await run_case(tmp_path, CELLS[state])
    assert state in {cell.state for cell in bench.desk.explorations.cells(run.run_id)}


def test_the_cells_reach_every_state() -> None:
    """All last states but those of a crash and of a cancel, which have tests of their own."""
    open_states = {"planned", "waiting_slot", "preparing", "running", "sealing", "evaluating"}
    assert set(CELLS) == set(get_args(CellState)) - open_states - {"void", "cancelled"}


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

    bench, run = await run_case(tmp_path, Case("failed", script=script, change={"branch_count": 1, "refine_count": 0}))
    (cell,) = bench.desk.explorations.cells(run.run_id)
    assert (cell.state, cell.digest, bench.evaluator.count) == (state, "", 1)


async def test_links_are_tampering(tmp_path: Path) -> None:
    """A candidate that leaves a link is not followed, not scored, not kept."""

    async def script(order: Order, meter: Meter) -> Report:
        links(order)
        return Report("done", PAID)

    bench, run = await run_case(tmp_path, Case("failed", script=script, change={"branch_count": 1, "refine_count": 0}))
    assert [cell.state for cell in bench.desk.explorations.cells(run.run_id)] == ["tamper"]


async def test_an_attempt_past_its_own_deadline_is_still_scored(tmp_path: Path) -> None:
    """Our deadline ends it after 180 s, what it left is sealed and scored, and its unknown price is a liability."""
    bench, run = await run_case(tmp_path, Case("complete", script=hangs, change={"branch_count": 1, "refine_count": 0}))
    (cell,) = bench.desk.explorations.cells(run.run_id)
    assert (run.status, cell.state, cell.score) == ("complete", "valid", 5.0)
    cost = bench.desk.ledger.cost(run.run_id)
    assert (cost.source, cost.unknown, cost.reported) == ("unknown", 100_000, 0)
