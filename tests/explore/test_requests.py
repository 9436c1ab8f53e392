"""The requests as a caller meets them: permissions, approvals, limits, trees, files, typed errors."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import IllegalTransition, RequestRefused
from engine.explore.answers import ApprovalList, ArtifactAnswer, EventPage, FileContent, RunList, Tree
from engine.explore.catalog import Caller
from engine.explore.orders import Meter, Order, Report
from engine.explore.requests import METHODS
from engine.score.evaluator import Terms
from tests.explore.house import ANN, BEN, BOSS, DEPUTY, EYE, NOBODY, OPS, OTHER, House, asking
from tests.explore.kit import writes
from tests.subjects.memory import FILE


@pytest.fixture
def house(tmp_path: Path) -> House:
    """An empty home."""
    return House(tmp_path)


async def test_a_managers_request_is_queued_run_and_delivered(house: House) -> None:
    """Create, run, list, tree, events, files: all of it through the requests."""
    created = await house.create(BOSS)
    assert (created.status, created.approval_id) == ("queued", None)
    assert await house.work() == (created.run_id,)
    runs: RunList = await house.ask("discovery.list", EYE)
    (run,) = runs.runs
    assert (run.status, run.approval_status, run.covered_cells, run.improved) == ("complete", "not_required", "4 of 4", True)
    assert (run.cost.usd_source, run.cost.reported, run.calls) == ("reported", 4000, 4)
    tree: Tree = await house.ask("discovery.tree", EYE, run_id=created.run_id)
    assert [node.cell_id for node in tree.nodes] == ["r1-b0-a0", "r1-b0-a1", "r1-b1-a0", "r1-b1-a1"]
    assert (tree.rounds[0].planned, tree.rounds[0].ended, tree.rounds[0].valid) == (4, 4, 4)
    assert Tree.model_validate_json(tree.model_dump_json()) == tree
    page: EventPage = await house.ask("discovery.events", EYE, run_id=created.run_id, after_seq=3)
    assert page.events[0].seq == 4
    found: ArtifactAnswer = await house.ask("discovery.artifact", EYE, run_id=created.run_id)
    file = next(file for file in found.files if file.name == "candidate.json")
    content: FileContent = await house.ask("discovery.artifact", EYE, run_id=created.run_id, file_id=file.file_id)
    assert json.loads(base64.b64decode(content.content_base64))["cell"] == run.winner_cell_id


async def test_a_requesters_run_waits_for_a_manager(house: House) -> None:
    """Pending, not run; approved with a receipt, run."""
    created = await house.create(ANN)
    assert created.status == "pending_approval"
    assert await house.work() == ()
    inbox: ApprovalList = await house.ask("approvals.list", BOSS, state="pending")
    assert [approval.approval_id for approval in inbox.approvals] == [created.approval_id]
    receipt = await house.ask("approvals.decide", BOSS, id=created.approval_id, approve=True, comment="go")
    assert (receipt.decided_by, receipt.request_sha256) == ("boss", inbox.approvals[0].request_sha256)
    assert await house.work() == (created.run_id,)
    (run,) = (await house.ask("discovery.list", ANN)).runs
    assert (run.status, run.approval_status) == ("complete", "approved")


async def test_a_denied_run_never_runs(house: House) -> None:
    """Cancelled, with the code that says why."""
    created = await house.create(ANN)
    await house.ask("approvals.decide", BOSS, id=created.approval_id, approve=False)
    (run,) = (await house.ask("discovery.list", ANN)).runs
    assert (run.status, run.cancel_code, run.approval_status, run.stop_code) == ("cancelled", "approval_denied", "denied", None)
    assert await house.work() == ()


@pytest.mark.parametrize(("seconds", "open_"), [(86_399.999, True), (86_400, False), (86_401, False)])
async def test_a_decision_comes_strictly_before_24_hours(house: House, seconds: float, open_: bool) -> None:
    """A millisecond before is in time, the 24th hour is too late."""
    created = await house.create(ANN)
    house.bench.clock.skip(seconds)
    if open_:
        await house.ask("approvals.decide", BOSS, id=created.approval_id, approve=True)
        return
    assert await house.refused("approvals.decide", BOSS, id=created.approval_id, approve=True) == ("expired", None)
    (run,) = (await house.ask("discovery.list", ANN)).runs
    assert (run.status, run.cancel_code, run.approval_status) == ("cancelled", "approval_expired", "expired")


async def test_two_deciders_one_wins_and_the_other_is_told(house: House) -> None:
    """The second hears who decided."""
    created = await house.create(ANN)
    await house.ask("approvals.decide", BOSS, id=created.approval_id, approve=False)
    with pytest.raises(RequestRefused, match="boss has already decided") as caught:
        await house.ask("approvals.decide", DEPUTY, id=created.approval_id, approve=True)
    assert caught.value.code == "already_decided"


async def test_nobody_decides_about_the_own_request(house: House) -> None:
    """Not a requester, not a manager of another agent, not the one who asked."""
    created = await house.create(ANN)
    for caller in (ANN, OTHER, OPS):
        assert (await house.refused("approvals.decide", caller, id=created.approval_id, approve=True))[0] == "permission_denied"
    both = Caller(user_id="ann", roles=frozenset({"requester", "manager"}))
    assert (await house.refused("approvals.decide", both, id=created.approval_id, approve=True))[0] == "permission_denied"
    assert (await house.refused("approvals.decide", BEN, id=created.approval_id, approve=True))[0] == "not_found"


async def test_a_cancel_withdraws_a_pending_request(house: House) -> None:
    """It leaves the inbox, and cannot be approved any more."""
    created = await house.create(ANN)
    assert (await house.ask("discovery.cancel", ANN, run_id=created.run_id)).status == "terminal"
    assert (await house.ask("approvals.list", BOSS, state="pending")).approvals == ()
    assert (await house.refused("approvals.decide", BOSS, id=created.approval_id, approve=True))[0] == "already_decided"
    (run,) = (await house.ask("discovery.list", ANN)).runs
    assert (run.status, run.cancel_code, run.approval_status) == ("cancelled", "cancelled_by_user", "withdrawn")
    assert (await house.refused("discovery.cancel", ANN, run_id=created.run_id))[0] == "already_terminal"


async def test_a_row_that_says_approved_without_a_receipt_is_no_authority(house: House) -> None:
    """SQL refuses to write it; if it is there all the same, the run is blocked."""
    created = await house.create(ANN)
    with pytest.raises(IllegalTransition), house.bench.desk.database.write() as connection:
        connection.execute("UPDATE exploration_approvals SET state = 'approved'")
    with house.bench.desk.database.write() as connection:
        connection.execute("DROP TRIGGER approvals_need_a_receipt")
        connection.execute("UPDATE exploration_approvals SET state = 'approved'")
        connection.execute("UPDATE explorations SET state = 'queued'")
    await house.work()
    (run,) = (await house.ask("discovery.list", ANN)).runs
    assert (run.status, run.stop_code, run.calls) == ("blocked", "other", 0)
    assert created.run_id == run.run_id


async def test_a_receipt_for_another_request_is_no_authority(house: House) -> None:
    """The stored request was changed after it was approved: blocked before anything is spent."""
    created = await house.create(ANN)
    with house.bench.desk.database.write() as connection:
        connection.execute("DROP TRIGGER explorations_frozen")
        connection.execute("UPDATE explorations SET request_json = replace(request_json, 'find it', 'find all')")
    assert (await house.refused("approvals.decide", BOSS, id=created.approval_id, approve=True))[0] == "payload_mismatch"


async def test_a_receipt_that_was_written_before_a_crash_does_not_revive_a_withdrawn_request(house: House) -> None:
    """Receipt there, state still pending, then withdrawn: it never runs."""
    created = await house.create(ANN)
    record = house.bench.desk.approvals.get(created.approval_id or "")
    with house.bench.desk.database.write() as connection:
        connection.execute(
            "INSERT INTO exploration_receipts VALUES (?, ?, 1, 'boss', 0, '', 'h')",
            (created.approval_id, record.request_sha256),
        )
    await house.ask("discovery.cancel", ANN, run_id=created.run_id)
    assert not house.bench.desk.approvals.authority(created.run_id)
    assert await house.work() == ()


async def test_the_evaluator_is_checked_again_at_execution(house: House) -> None:
    """Registered anew between approval and execution: blocked."""
    created = await house.create(ANN)
    await house.ask("approvals.decide", BOSS, id=created.approval_id, approve=True)
    house.bench.evaluator.terms = Terms("memory", "f" * 64)
    await house.work()
    (run,) = (await house.ask("discovery.list", ANN)).runs
    assert (run.status, run.stop_code, run.stop_detail) == ("blocked", "integrity_changed", "evaluator_changed")


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"title": ""}, "invalid_params", "title"),
        ({"title": "x" * 201}, "invalid_params", "title"),
        ({"description": "ü" * 8001}, "invalid_params", "description"),
        ({"branch_count": 0}, "invalid_params", "discovery.branch_count"),
        ({"branch_count": 1001}, "invalid_params", "discovery.branch_count"),
        ({"refine_count": 1001}, "invalid_params", "discovery.refine_count"),
        ({"max_parallelism": 65}, "invalid_params", "discovery.max_parallelism"),
        ({"budget": {"max_agent_calls": 0}}, "invalid_params", "discovery.budget.max_agent_calls"),
        ({"budget": {"max_usd": 0}}, "invalid_params", "discovery.budget.max_usd"),
        ({"budget": {"max_usd": 0.0000001}}, "invalid_params", "discovery.budget.max_usd"),
        ({"budget": {"max_rounds": 101}}, "invalid_params", "discovery.budget.max_rounds"),
        ({"target": float("nan")}, "invalid_params", "discovery.target"),
        ({"path": "/etc"}, "invalid_params", "discovery.path"),
        ({"min_delta": 0.1}, "invalid_params", "discovery.min_delta"),
        ({"strategy": "magic"}, "invalid_params", "discovery.strategy"),
        ({"direction": "min"}, "invalid_params", "discovery.direction"),
        ({"approved_root_id": "elsewhere"}, "unknown_root", "discovery.approved_root_id"),
        ({"evaluator": "other"}, "unknown_evaluator", "discovery.evaluator"),
        ({"runtime": "other"}, "runtime_unsupported", "discovery.runtime"),
        ({"assigned_to": "stranger"}, "not_found", "agent_id"),
        ({"kind": "party"}, "invalid_params", "kind"),
    ],
)
async def test_what_is_refused_at_creation(house: House, change: dict[str, Any], code: str, field: str) -> None:
    """Typed codes with the field, and nothing is written."""
    assert await house.refused("tasks.create", BOSS, **asking(**change)) == (code, field)
    assert (await house.ask("discovery.list", EYE)).runs == ()


async def test_twenty_thousand_cells_are_accepted_and_one_more_is_not(house: House) -> None:
    """Cumulative over all rounds, before any approval."""
    created = await house.create(ANN, branch_count=100, refine_count=1, budget={"max_rounds": 100})
    assert created.status == "pending_approval"
    one_more = asking(branch_count=59, refine_count=112, budget={"max_rounds": 3})  # 59 × 113 × 3 = 20,001
    assert await house.refused("tasks.create", ANN, **one_more) == ("grid_too_large", "discovery")
    climb = {"strategy": "hill_climb", "branch_count": 1, "refine_count": 0, "budget": {"max_agent_calls": 20_001}}
    assert (await house.refused("tasks.create", ANN, **asking(**climb)))[0] == "grid_too_large"
    assert len((await house.ask("discovery.list", EYE)).runs) == 1


async def test_the_form_says_what_the_calls_cover(house: House) -> None:
    """Eight cells planned, six calls: 6 of 8."""
    await house.create(BOSS, branch_count=4, budget={"max_agent_calls": 6})
    (run,) = (await house.ask("discovery.list", EYE)).runs
    assert (run.planned_cells, run.covered_cells) == (8, "6 of 8")


async def test_an_oversized_history_has_no_tree_but_its_cost(house: House) -> None:
    """A run from elsewhere with more than 20,000 cells: refused with the reason, the money still visible."""
    created = await house.create(BOSS)
    with house.bench.desk.database.write() as connection:
        connection.execute("UPDATE explorations SET planned_cells = 20001")
    tree: Tree = await house.ask("discovery.tree", EYE, run_id=created.run_id)
    assert (tree.nodes, tree.run.tree_available, tree.run.cost.max_usd_micros) == ((), False, 5_000_000)
    assert "20,001" in (tree.tree_unavailable_reason or "")


async def test_a_tree_can_be_paged(house: House) -> None:
    """Pages join without gap or repetition."""
    created = await house.create(BOSS, branch_count=3)
    await house.work()
    cells: list[str] = []
    after = None
    while True:
        tree: Tree = await house.ask("discovery.tree", EYE, run_id=created.run_id, limit=4, after_cell=after)
        cells += [node.cell_id for node in tree.nodes]
        after = tree.next_cell
        if after is None:
            break
    assert cells == [f"r1-b{b}-a{a}" for b in range(3) for a in range(2)]


async def test_who_may_see_what(house: House) -> None:
    """A stranger is told that there is no such run; a viewer sees and steers nothing."""
    created = await house.create(ANN)
    for method in ("discovery.tree", "discovery.cancel", "discovery.artifact", "discovery.events", "discovery.pause"):
        for caller in (BEN, NOBODY):
            assert (await house.refused(method, caller, run_id=created.run_id))[0] == "not_found"
    assert (await house.ask("discovery.list", BEN)).runs == ()
    assert (await house.refused("discovery.cancel", EYE, run_id=created.run_id))[0] == "permission_denied"
    assert (await house.refused("discovery.cancel", OTHER, run_id=created.run_id))[0] == "permission_denied"
    assert (await house.refused("tasks.create", EYE, **asking()))[0] == "permission_denied"
    assert (await house.refused("discovery.catalog", NOBODY, agent_id="agent"))[0] == "not_found"


async def test_the_catalog_tells_what_may_be_asked(house: House) -> None:
    """Ids only, and whether it needs an approval."""
    found = await house.ask("discovery.catalog", ANN, agent_id="agent")
    assert (found.approved_roots, found.evaluators, found.runtimes) == (("root",), ("memory",), ("gone", "scripted"))
    assert (found.can_create, found.requires_approval) == (True, True)
    assert not (await house.ask("discovery.catalog", BOSS, agent_id="agent")).requires_approval


async def test_pausing_what_does_not_explore(house: House) -> None:
    """not_available before, already_terminal after."""
    created = await house.create(BOSS)
    assert (await house.refused("discovery.pause", BOSS, run_id=created.run_id))[0] == "not_available"
    await house.work()
    assert (await house.refused("discovery.resume", BOSS, run_id=created.run_id))[0] == "already_terminal"


async def test_a_changed_artifact_is_refused_and_leaves_an_event(house: House) -> None:
    """One byte, changed on disk: integrity_changed for metadata and for the file; other files' ids are not_available."""
    created = await house.create(BOSS)
    assert (await house.refused("discovery.artifact", BOSS, run_id=created.run_id))[0] == "not_available"
    await house.work()
    (run,) = (await house.ask("discovery.list", BOSS)).runs
    found: ArtifactAnswer = await house.ask("discovery.artifact", BOSS, run_id=created.run_id)
    path = house.bench.home / "artifacts" / created.run_id / (run.winner_cell_id or "") / "candidate.json"
    path.write_bytes(path.read_bytes().replace(b"1.0", b"9.0"))
    file = next(file for file in found.files if file.name == "candidate.json")
    for params in ({}, {"file_id": file.file_id}):
        assert (await house.refused("discovery.artifact", BOSS, run_id=created.run_id, **params))[0] == "integrity_changed"
    assert (await house.refused("discovery.artifact", BOSS, run_id=created.run_id, file_id="0" * 24))[0] == "not_available"
    kinds = [event.kind for event in (await house.ask("discovery.events", OPS, run_id=created.run_id)).events]
    assert kinds.count("integrity") == 2
    assert "integrity" not in [e.kind for e in (await house.ask("discovery.events", EYE, run_id=created.run_id)).events]


async def test_a_file_above_16_mib_is_refused_by_its_size(house: House) -> None:
    """It is delivered, and listed with its size, and its bytes are not sent."""

    async def script(order: Order, meter: Meter) -> Report:
        (order.place / "large.bin").write_bytes(bytes(16 * 1024 * 1024 + 1))
        return await writes(lambda _: 1.0)(order, meter)

    house.bench.runtime.script = script
    tree = await house.explored(branch_count=1, refine_count=0)
    found: ArtifactAnswer = await house.ask("discovery.artifact", BOSS, run_id=tree.run.run_id)
    (large,) = [file for file in found.files if file.name == "large.bin"]
    refused = await house.refused("discovery.artifact", BOSS, run_id=tree.run.run_id, file_id=large.file_id)
    assert refused == ("file_too_large", "file_id")


async def test_after_thirty_days_the_bytes_go_and_the_rest_stays(house: House) -> None:
    """The next controller that starts prunes; the artifact is not available, the tree, the scores and the receipt are."""
    tree = await house.explored()
    house.bench.clock.skip(30 * 86_400 + 1)
    await house.work()
    assert (await house.refused("discovery.artifact", BOSS, run_id=tree.run.run_id))[0] == "not_available"
    later = await house.tree(tree.run.run_id)
    assert later.nodes == tree.nodes
    assert (tree.run.artifact_verified, later.run.artifact_verified, later.run.winner_cell_id) == (True, False, "r1-b1-a0")


async def test_a_fork_begins_at_what_an_ended_run_delivered(house: House) -> None:
    """With an approval and a budget of its own: the delivered cell takes the baseline's place, for every branch."""
    tree = await house.explored()
    asked = {"fork_of": tree.run.run_id, "branch_count": 2, "refine_count": 0}
    ann = Caller(user_id="ann", roles=frozenset({"requester", "viewer"}))
    created = await house.create(ann, **asked)
    assert created.status == "pending_approval"
    await house.ask("approvals.decide", BOSS, id=created.approval_id, approve=True)
    starts: list[dict[str, Any]] = []

    async def script(order: Order, meter: Meter) -> Report:
        starts.append(json.loads((order.place / FILE).read_text()))
        return await writes(lambda _: 3.0)(order, meter)

    house.bench.runtime.script = script
    await house.work()
    forked = (await house.tree(created.run_id)).run
    assert [start["cell"] for start in starts] == [tree.run.winner_cell_id] * 2
    assert (forked.fork_of, forked.baseline_score, forked.best_score, forked.improved) == (tree.run.run_id, 1.0, 3.0, True)
    assert (forked.calls, tree.run.calls) == (2, 4)


async def test_what_cannot_be_forked(house: House) -> None:
    """Nothing delivered, nobody's run, somebody else's, a changed artifact; a change after the approval blocks."""
    nothing = await house.explored(budget={"max_agent_calls": 1}, branch_count=1, runtime="gone")
    assert nothing.run.winner_cell_id is None
    for run_id, caller, code in ((nothing.run.run_id, BOSS, "not_available"), ("run-none", BOSS, "not_found")):
        refused = await house.refused("tasks.create", caller, **asking(fork_of=run_id))
        assert refused == (code, "discovery.fork_of" if code == "not_found" else None)
    tree = await house.explored()
    assert (await house.refused("tasks.create", BEN, **asking(fork_of=tree.run.run_id)))[0] == "not_found"
    created = await house.create(BOSS, fork_of=tree.run.run_id)
    path = house.bench.home / "artifacts" / tree.run.run_id / (tree.run.winner_cell_id or "") / FILE
    path.write_bytes(path.read_bytes().replace(b"1.0", b"9.0"))
    assert (await house.refused("tasks.create", BOSS, **asking(fork_of=tree.run.run_id)))[0] == "integrity_changed"
    await house.work()
    run = (await house.tree(created.run_id)).run
    assert (run.status, run.stop_code, run.stop_detail, run.calls) == ("blocked", "integrity_changed", "root_changed", 0)


async def test_an_interrupted_run_is_not_resumed_but_forked(house: House) -> None:
    """The refusal says how to go on from what is kept."""

    async def script(order: Order, meter: Meter) -> Report:
        house.workshop.stop()
        return await writes(lambda _: 1.0)(order, meter)

    house.bench.runtime.script = script
    run = (await house.explored()).run
    assert run.status == "interrupted"
    with pytest.raises(RequestRefused, match="fork_of") as caught:
        await house.ask("discovery.resume", BOSS, run_id=run.run_id)
    assert caught.value.code == "not_available"
    assert (await house.refused("discovery.pause", BOSS, run_id=run.run_id))[0] == "already_terminal"


async def test_raw_reasons_stay_private(house: House) -> None:
    """Why a candidate was refused is for the operator only."""

    async def script(order: Order, meter: Meter) -> Report:
        (order.place / "conftest.py").write_text("")
        return await writes(lambda _: 1.0)(order, meter)

    house.bench.runtime.script = script
    created = await house.create(BOSS, branch_count=1, refine_count=0)
    await house.work()
    assert "conftest" in repr(await house.ask("discovery.events", OPS, run_id=created.run_id))
    assert "conftest" not in repr(await house.ask("discovery.events", BOSS, run_id=created.run_id))
    assert "conftest" not in repr(await house.ask("discovery.tree", BOSS, run_id=created.run_id))


async def test_unknown_requests_and_fields(house: House) -> None:
    """Both are refused by name."""
    assert (await house.refused("discovery.everything", BOSS))[0] == "not_found"
    assert await house.refused("discovery.list", BOSS, page=2) == ("invalid_params", "page")
    assert await house.refused("discovery.list", BOSS, limit=101) == ("invalid_params", "limit")


def test_every_form_refuses_what_it_does_not_know() -> None:
    """One schema each, closed."""
    for form, _name in METHODS.values():
        assert form.model_json_schema()["additionalProperties"] is False


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(sorted(METHODS)),
    params=st.dictionaries(st.sampled_from(["run_id", "id", "limit"]) | st.text(max_size=9), st.integers() | st.text()),
)
async def test_garbage_is_always_a_typed_refusal(house: House, method: str, params: dict[str, Any]) -> None:
    """Whatever is sent, the answer is an answer or a typed refusal."""
    try:
        await house.requests.call(method, params, OPS)
    except RequestRefused as refused:
        assert refused.code in {"invalid_params", "not_found"}
