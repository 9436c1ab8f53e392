"""Whole runs and approvals in any order, against small models of what must hold."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from engine.domain.exploration import OPEN_STATES, CellId
from engine.domain.usage import Usage
from engine.errors import RequestRefused
from engine.explore.orders import ENDS, Meter, Order, Report
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from tests.explore.house import ANN, BOSS, CATALOG, DEPUTY, EYE, asking
from tests.explore.kit import Bench, writes
from tests.store.busy import busy

ATTEMPTS = st.sampled_from([*ENDS, *["done"] * 30])
SCORES = st.sampled_from([0.0, 1.0, 1.0, 2.0, 3.0, "tamper", "invalid_solution", "runtime_error"])
BILLS = st.sampled_from([Usage(), *[Usage(usd_micros=n, usd_source="reported") for n in (0, 10_000, 400_000)],
                         Usage(usd_micros=20_000, usd_source="estimated")])  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_run_ends_well(data: st.DataObject) -> None:
    """Whatever attempts do, whatever the shape and the limits: a legal end, honest money, the first of the best."""
    shape = {
        "branch_count": data.draw(st.integers(1, 3)), "refine_count": data.draw(st.integers(0, 2)),
        "max_rounds": data.draw(st.integers(1, 2)), "max_parallelism": data.draw(st.integers(1, 4)),
        "round_seed": data.draw(st.sampled_from(["baseline", "best"])), "max_agent_calls": data.draw(st.integers(1, 20)),
        "max_usd": data.draw(st.sampled_from([1, 5])), "target": data.draw(st.sampled_from([None, 3.0])),
    }  # fmt: skip

    async def script(order: Order, meter: Meter) -> Report:
        end = data.draw(ATTEMPTS)
        if ENDS[end].keeps_output and data.draw(st.booleans() | st.just(True)):
            score = data.draw(SCORES)
            await writes(lambda _: score)(order, meter)
        called = end not in ("no_account", "runtime_unsupported", "isolation_unavailable")
        return Report(end, data.draw(BILLS), "m", called)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(_explore_and_check(Path(folder), script, shape))


async def _explore_and_check(folder: Path, script: Any, shape: dict[str, Any]) -> None:
    bench = Bench(folder, script=script)
    run_id = await bench.queue(**shape)
    async with bench.clock.running():
        status = await Workshop(bench.desk).run(run_id)
    desk = bench.desk
    run, cost, cells = desk.explorations.get(run_id), desk.ledger.cost(run_id), desk.explorations.cells(run_id)
    desk.explorations.verify(run_id)
    assert (run.state, run.status) == ("terminal", status)
    assert cost.in_flight == cost.pending == busy(desk.database) == 0
    assert cost.calls <= shape["max_agent_calls"]
    assert not {cell.state for cell in cells} & set(OPEN_STATES)
    states = {cell.cell_id: cell for cell in cells}
    for cell in cells:
        if cell.parent:
            parent = states[cell.parent]
            assert parent.state not in ("tamper", "policy_violation")
            assert parent.digest
            assert CellId.parse(cell.parent) < CellId.parse(cell.cell_id) or shape["round_seed"] == "best"
    valid = [cell.score for cell in cells if cell.score is not None]
    assert run.best_score == (max(valid) if valid else None)
    assert (run.winner_cell_id is None) == (not valid)
    if run.winner_cell_id:
        assert states[run.winner_cell_id].score == run.best_score
        assert desk.artifacts.verified(run_id, run.winner_cell_id)
    if status == "complete":
        assert run.stop_code is None
        assert valid


class ApprovalMachine(RuleBasedStateMachine):
    """One request after the other: decided, withdrawn, run out of time, or run, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.bench = Bench(Path(self._folder.name))
        self.requests = Requests(self.bench.desk, CATALOG)
        self.model: dict[str, dict[str, Any]] = {}

    def teardown(self) -> None:
        """Remove the home."""
        self.bench.desk.database.close()
        self._folder.cleanup()

    def ask(self, method: str, caller: Any, **params: Any) -> Any:
        """The answer, or the code of the refusal."""
        try:
            return asyncio.run(self.requests.call(method, params, caller))
        except RequestRefused as refused:
            return refused.code

    @precondition(lambda self: len(self.model) < 4)
    @rule()
    def create(self) -> None:
        """A requester asks."""
        created = self.ask("tasks.create", ANN, **asking(branch_count=1, refine_count=0))
        self.model[created.run_id] = {
            "approval": created.approval_id, "state": "pending", "until": self.bench.clock.now_ms() + 86_400_000, "ran": False,
        }  # fmt: skip

    @precondition(lambda self: self.model)
    @rule(data=st.data(), approve=st.booleans(), by=st.sampled_from([BOSS, DEPUTY]))
    def decide(self, data: st.DataObject, approve: bool, by: Any) -> None:
        """A manager decides: in time and first, or is told why not."""
        one = self.model[data.draw(st.sampled_from(sorted(self.model)))]
        self._expire()
        answer = self.ask("approvals.decide", by, id=one["approval"], approve=approve)
        if one["state"] == "pending":
            assert answer.decided_by == by.user_id
            one["state"] = "approved" if approve else "denied"
        else:
            assert answer == ("expired" if one["state"] == "expired" else "already_decided")

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """The requester takes it back."""
        run_id = data.draw(st.sampled_from(sorted(self.model)))
        one = self.model[run_id]
        answer = self.ask("discovery.cancel", ANN, run_id=run_id)
        ended = one["ran"] or one["state"] in ("denied", "withdrawn", "expired", "cancelled")
        assert (answer == "already_terminal") == ended
        if not ended:
            one["state"] = "withdrawn" if one["state"] == "pending" else "cancelled"

    @rule(hours=st.sampled_from([1, 11, 24]))
    def wait(self, hours: int) -> None:
        """Time passes."""
        self.bench.clock.skip(hours * 3600)

    @rule()
    def work(self) -> None:
        """A controller runs what is due: exactly what was approved."""

        async def due() -> tuple[str, ...]:
            self.bench.clock._waiting.clear()
            async with self.bench.clock.running():
                return await Workshop(self.bench.desk).run_due()

        ran = asyncio.run(due())
        self._expire()
        assert set(ran) == {run_id for run_id, one in self.model.items() if one["state"] == "approved" and not one["ran"]}
        for run_id in ran:
            self.model[run_id]["ran"] = True

    @invariant()
    def only_what_was_approved_has_cost_anything(self) -> None:
        """And the summaries say so."""
        for summary in self.ask("discovery.list", EYE).runs:
            one = self.model[summary.run_id]
            assert (summary.calls > 0) == one["ran"]
            if one["state"] in ("denied", "withdrawn", "cancelled"):
                assert summary.status == "cancelled"

    def _expire(self) -> None:
        for one in self.model.values():
            if one["state"] == "pending" and self.bench.clock.now_ms() >= one["until"]:
                one["state"] = "expired"


ApprovalMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=15, deadline=None)
TestApprovalMachine = ApprovalMachine.TestCase
