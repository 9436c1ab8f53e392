"""Approval tokens: bound to one step, answered by somebody else, used once; and the three ways to ask."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.access.approvals import AskingApprover, DenyingApprover, Desk, InboxApprover, RunOf
from engine.domain.action import Click, Type
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.errors import IllegalTransition, NotFound, StoreError
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy
from engine.store.approvals import ApprovalStore, Asked, Now
from engine.store.database import Database
from engine.store.effects import EffectStore

HOME = "http://127.0.0.1:4010"
FACTS = Facts(
    page_url=f"{HOME}/pay", role="button", name="Pay 50", form_method="post", form_action=f"{HOME}/pay", fingerprint="f1"
)
NEEDED = ApprovalNeeded(action=Click(ref="e7"), facts=FACTS, rule="risk[0]", why="It pays.")


@dataclass
class Clock:
    """Both clocks, moved by hand."""

    wall: float = 1_000.0
    monotonic: float = 50.0

    def __call__(self) -> Now:
        return Now(self.wall, self.monotonic)

    def pass_(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "state.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def store(database: Database) -> ApprovalStore:
    return ApprovalStore(database)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def desk(store: ApprovalStore, clock: Clock, **run: Any) -> Desk:
    bound = RunOf(**({"run_id": "r1", "policy_digest": "p1", "process": "run-process"} | run))
    return Desk(PolicyGuard(default_policy(HOME), HOME), store, bound, clock)


def approved(store: ApprovalStore, clock: Clock, at: Desk, step: int = 3, seconds: float = 60) -> Permit:
    """A permit that somebody else has approved."""
    asked = at.put(NEEDED, step, "inbox", seconds)
    store.decide(asked.id, approve=True, by="ann", process="admin", now=clock.wall)
    permit = at.answered(asked, NEEDED)
    assert isinstance(permit, Permit)
    return permit


def test_an_approval_is_used_once_and_writes_the_intent(store: ApprovalStore, database: Database, clock: Clock) -> None:
    """The first use passes and leaves an intended effect, the second is refused."""
    at = desk(store, clock)
    permit = approved(store, clock, at)
    assert at.redeem(permit, FACTS, 3) is None
    assert at.redeem(permit, FACTS, 3) is not None
    (effect,) = EffectStore(database).of_run("r1")
    assert (effect.step, effect.effect, effect.state, effect.approval_id) == (3, "commit", "intended", permit.approval_id)
    assert store.one(permit.approval_id or "").state == "consumed"


@pytest.mark.parametrize(
    "changed",
    [
        {"name": "Pay 5000"}, {"fingerprint": "f2"}, {"page_url": f"{HOME}/other"}, {"page_url": "http://127.0.0.1:4999/pay"},
        {"frame_url": "http://127.0.0.1:4999/"}, {"form_action": f"{HOME}/close"}, {"form_method": "delete"}, {"role": "link"},
    ],
)  # fmt: skip
def test_a_page_that_changed_after_the_yes_voids_it(changed: dict[str, str], store: ApprovalStore, clock: Clock) -> None:
    """Label, amount, target, address or origin: any difference, and the token is worth nothing, also for the old page."""
    at = desk(store, clock)
    permit = approved(store, clock, at)
    why = at.redeem(permit, FACTS.model_copy(update=changed), 3)
    assert why is not None
    assert next(iter(changed)) in why
    assert store.one(permit.approval_id or "").state == "void"
    assert at.redeem(permit, FACTS, 3) is not None


@pytest.mark.parametrize(
    "other",
    [{"run_id": "r2"}, {"policy_digest": "p2"}, {"capability": "pay@1.0.1"}],
)
def test_a_token_of_another_run_policy_or_version_is_refused(other: dict[str, str], store: ApprovalStore, clock: Clock) -> None:
    """What was approved for one is worth nothing for the other."""
    at = desk(store, clock)
    asked = at.put(NEEDED, 3, "inbox", 60)
    store.decide(asked.id, approve=True, by="ann", process="admin", now=clock.wall)
    with pytest.raises(IllegalTransition):
        store.consume(asked, desk(store, clock, **other).run.binding(NEEDED, 3), effect="commit", now=clock())


def test_a_token_for_another_step_or_action_is_refused(store: ApprovalStore, clock: Clock) -> None:
    """The step number and the action's own values are bound."""
    at = desk(store, clock)
    assert at.redeem(approved(store, clock, at), FACTS, 4) is not None
    permit = approved(store, clock, at)
    assert at.redeem(permit.model_copy(update={"action": Type(ref="e7", text="9999")}), FACTS, 3) is not None


def test_a_guessed_token_is_refused_and_voids_nothing(store: ApprovalStore, clock: Clock) -> None:
    """Knowing the public id is not enough, and trying does not take the approval away from its owner."""
    at = desk(store, clock)
    permit = approved(store, clock, at)
    with pytest.raises(IllegalTransition, match="token"):
        store.consume(Asked(permit.approval_id or "", "guess"), at.run.binding(NEEDED, 3), effect="commit", now=clock())
    assert at.redeem(permit, FACTS, 3) is None


@pytest.mark.parametrize(("seconds", "ok"), [(59.9, True), (60.0, True), (60.1, False), (1e6, False)])
def test_an_approval_expires_at_the_edge(seconds: float, ok: bool, store: ApprovalStore, clock: Clock) -> None:
    """Valid up to the last moment and not one after."""
    at = desk(store, clock)
    permit = approved(store, clock, at, seconds=60)
    clock.pass_(seconds)
    assert (at.redeem(permit, FACTS, 3) is None) is ok


def test_a_clock_that_was_set_back_does_not_lengthen_a_life(store: ApprovalStore, clock: Clock) -> None:
    """The wall clock goes back: refused; it stands still while monotonic time passes: expired."""
    at = desk(store, clock)
    permit = approved(store, clock, at)
    clock.wall -= 500
    assert "set back" in (at.redeem(permit, FACTS, 3) or "")
    clock.wall += 500
    permit = approved(store, clock, at)
    clock.monotonic += 61
    assert "expired" in (at.redeem(permit, FACTS, 3) or "")


def test_the_run_itself_cannot_approve_and_neither_can_nobody(store: ApprovalStore, clock: Clock) -> None:
    """The asking process and an empty name are refused; the question stays open."""
    asked = desk(store, clock).put(NEEDED, 3, "inbox", 60)
    for by, process in (("ann", "run-process"), ("  ", "admin")):
        with pytest.raises(IllegalTransition):
            store.decide(asked.id, approve=True, by=by, process=process, now=clock.wall)
    assert store.one(asked.id).state == "pending"
    assert [one.id for one in store.pending(clock.wall)] == [asked.id]


@pytest.mark.parametrize("now", [999.0, 1061.0])
def test_an_answer_out_of_time_is_refused(now: float, store: ApprovalStore, clock: Clock) -> None:
    """Too late, or before the question was asked."""
    asked = desk(store, clock).put(NEEDED, 3, "inbox", 60)
    with pytest.raises(IllegalTransition, match="expired"):
        store.decide(asked.id, approve=True, by="ann", process="admin", now=now)


def test_of_two_people_one_wins(tmp_path: Path, clock: Clock) -> None:
    """Approve against deny from two processes' connections at once: exactly one is written, the other is told."""
    first, second = Database.open(tmp_path / "s.sqlite"), Database.open(tmp_path / "s.sqlite")
    stores = [ApprovalStore(first), ApprovalStore(second)]
    for _ in range(20):
        asked = desk(stores[0], clock).put(NEEDED, 3, "inbox", 60)
        outcomes: list[str] = []
        barrier = threading.Barrier(2)

        def answer(
            number: int, asked: Asked = asked, outcomes: list[str] = outcomes, barrier: threading.Barrier = barrier
        ) -> None:
            barrier.wait()
            try:
                found = stores[number].decide(asked.id, approve=number == 0, by=f"p{number}", process="x", now=clock.wall)
                outcomes.append(found.state)
            except IllegalTransition:
                outcomes.append("refused")

        threads = [threading.Thread(target=answer, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes.count("refused") == 1
        assert stores[0].one(asked.id).state in outcomes
    first.close()
    second.close()


def test_the_database_itself_refuses_illegal_edges(store: ApprovalStore, database: Database, clock: Clock) -> None:
    """Also code that goes around the store cannot revive, rebind or delete an approval."""
    at = desk(store, clock)
    permit = approved(store, clock, at)
    assert at.redeem(permit, FACTS, 3) is None
    for statement in (
        "UPDATE step_approvals SET state = 'approved'", "UPDATE step_approvals SET run_id = 'r9'", "DELETE FROM step_approvals"
    ):  # fmt: skip
        with pytest.raises(StoreError), database.write() as connection:
            connection.execute(statement)


def test_the_token_itself_is_nowhere_in_the_database(store: ApprovalStore, database: Database, clock: Clock) -> None:
    """Only its hash is stored, and reprs do not show it."""
    asked = desk(store, clock).put(NEEDED, 3, "inbox", 60)
    assert asked.token not in repr(asked)
    database.close()
    assert all(asked.token.encode() not in file.read_bytes() for file in database.path.parent.iterdir())


def test_unknown_approvals_are_not_found(store: ApprovalStore) -> None:
    """With a sentence that says where to look."""
    with pytest.raises(NotFound, match="discover approvals list"):
        store.one("ap-nope")


async def test_deny_says_how_to_be_asked() -> None:
    """Off a terminal every risky step is refused, with the way out."""
    answer = await DenyingApprover().ask(NEEDED, 3)
    assert isinstance(answer, Refusal)
    assert "--approve" in answer.why


@pytest.mark.parametrize("name", ["ann", None])
async def test_ask_takes_the_answer_of_the_terminal(name: str | None, store: ApprovalStore, clock: Clock) -> None:
    """A yes is a permit that can be redeemed, a no is recorded as somebody's."""

    async def prompt(_needed: ApprovalNeeded, _step: int) -> str | None:
        return name

    at = desk(store, clock)
    answer = await AskingApprover(at, prompt).ask(NEEDED, 3)
    assert isinstance(answer, Permit if name else Refusal)
    if isinstance(answer, Permit):
        assert at.redeem(answer, FACTS, 3) is None
    assert store.of_run("r1")[0].state == ("consumed" if name else "denied")


async def test_an_unanswered_terminal_is_a_no(store: ApprovalStore, clock: Clock) -> None:
    """Waiting has its own deadline, and the question is closed after it."""

    async def prompt(_needed: ApprovalNeeded, _step: int) -> str | None:
        await asyncio.Event().wait()
        return "never"

    answer = await AskingApprover(desk(store, clock), prompt, seconds=0.05).ask(NEEDED, 3)
    assert isinstance(answer, Refusal)
    assert "in time" in answer.why
    assert store.of_run("r1")[0].state == "expired"


@pytest.mark.parametrize(("approve", "kind"), [(True, Permit), (False, Refusal)])
async def test_the_inbox_is_answered_by_another_process(
    approve: bool, kind: type, store: ApprovalStore, tmp_path: Path, clock: Clock
) -> None:
    """The waiting run sees what somebody else wrote into the same database."""
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    at = desk(store, clock)
    waiting = asyncio.ensure_future(InboxApprover(at, 30, lambda asked, _left: told.set_result(asked)).ask(NEEDED, 3))
    other = Database.open(tmp_path / "state.sqlite")
    ApprovalStore(other).decide(await told, approve=approve, by="ann", process="admin", now=clock.wall, comment="as agreed")
    answer = await waiting
    other.close()
    assert isinstance(answer, kind)
    if isinstance(answer, Refusal):
        assert answer.why == "It pays. ann denied it (as agreed)."


async def test_a_run_that_is_interrupted_takes_its_question_back(store: ApprovalStore, clock: Clock) -> None:
    """Nobody can approve what nobody waits for."""
    told = asyncio.Event()
    waiting = asyncio.ensure_future(InboxApprover(desk(store, clock), 30, lambda _id, _left: told.set()).ask(NEEDED, 3))
    await told.wait()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert store.of_run("r1")[0].state == "void"
    assert store.pending(clock.wall) == ()


def test_effects_that_were_not_finished_are_in_doubt(database: Database) -> None:
    """After a crash a commit needs a person, a read does not, and what ended stays as it ended."""
    effects = EffectStore(database)
    effects.intend("r1", 1, "commit", 1.0)
    effects.end("r1", "done", 2.0)
    effects.intend("r1", 2, "idempotent", 3.0)
    effects.intend("r1", 3, "commit", 4.0)
    effects.intend("r1", 3, "commit", 4.5)
    effects.end("r1", "in_doubt", 5.0)
    assert [(one.step, one.part) for one in effects.in_doubt(0.0)] == [(3, 1), (3, 0)]
    assert [one.state for one in effects.of_run("r1")] == ["done", "failed", "in_doubt", "in_doubt"]
    effects.end("r1", "done", 6.0)
    assert effects.of_run("r1")[-1].state == "in_doubt"
