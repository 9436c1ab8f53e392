from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from engine.discover.loop import Loop
from engine.discover.walk import walk
from engine.domain.action import Action, Click, Decision, Done, Stuck, Widen
from engine.domain.brief import Brief, Planned
from engine.domain.observation import Node, Observation
from engine.domain.policy import Limits, Policy, Scope
from engine.domain.run import Goal
from engine.domain.step import Outcome, Step
from engine.domain.usage import Usage
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal, Verdict
from engine.errors import BrowserGone, EvidenceUnwritable, ModelGarbled, TargetUnreachable

GOAL = Goal(text="Do it", target="http://site")
POLICY = Policy(scope=Scope(navigate=("http://site",)), limits=Limits(max_discovery_steps=6, discovery_timeout_ms=1000))


@dataclass
class FakePage:
    """Observer and actor in one: every act that works makes a new page."""

    outcomes: list[Outcome | BaseException] = field(default_factory=list)
    acted: list[Action] = field(default_factory=list)
    widened: frozenset[str] = frozenset()
    version: int = 0

    async def observe(self, *, problem: bool, widened: frozenset[str]) -> Observation:
        self.widened = widened
        root = Node(role="generic", children=(Node(role="button", name="Go", ref="e1"),))
        return Observation(url="http://site/", title="t", root=root, text="- button Go e1", fingerprint=str(self.version))

    async def facts(self, action: Action, observation: Observation) -> Facts:
        return Facts(page_url="http://site/")

    async def act(self, permit: Permit, step: int) -> Outcome:
        self.acted.append(permit.action)
        outcome = self.outcomes.pop(0) if self.outcomes else Outcome(ok=True, url_after="http://site/")
        if isinstance(outcome, BaseException):
            raise outcome
        self.version += outcome.changed
        return outcome


@dataclass
class FakePlanner:
    """Says what it was told to say; the last answer again and again."""

    answers: list[Action | BaseException]
    briefs: list[Brief] = field(default_factory=list)
    usage: Usage = Usage(requests=1)

    async def decide(self, brief: Brief) -> Planned:
        self.briefs.append(brief)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return Planned(decision=Decision(reason="because", action=answer))


@dataclass
class FakeGuard:
    """Permits all but what it was told to refuse or to ask about."""

    refuse: bool = False
    ask: bool = False
    outside: str | None = None

    def judge(self, action: Action, facts: Facts) -> Verdict:
        if self.refuse:
            return Refusal(action=action, rule="risk 1", why="no")
        if self.ask and isinstance(action, Click):
            return ApprovalNeeded(action=action, facts=facts, rule="risk 2", why="risky")
        return Permit(action=action, facts=facts, rule="scope")

    def judge_url(self, url: str) -> str | None:
        return self.outside


@dataclass
class FakeApprover:
    """A person who always says the same."""

    yes: bool = True
    asked: list[ApprovalNeeded] = field(default_factory=list)
    void: list[str] = field(default_factory=list)

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        self.asked.append(needed)
        if self.yes:
            return Permit(action=needed.action, facts=needed.facts, rule=needed.rule, approval_id="a1")
        return Refusal(action=needed.action, rule="person", why="denied by pat")

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        return self.void.pop(0) if self.void else None


@dataclass
class FakeRecorder:
    """Keeps intents and steps in order."""

    log: list[str] = field(default_factory=list)
    full: bool = False

    def intend(self, permit: Permit, step: int) -> None:
        if self.full:
            raise EvidenceUnwritable("disk full")
        self.log.append(f"intend {step}")

    def step(self, step: Step) -> None:
        self.log.append(f"step {step.number}{' in doubt' if step.outcome.in_doubt else ''}")


def loop(planner: FakePlanner, page: FakePage | None = None, **parts: object) -> Loop:
    page = page or FakePage()
    fakes = {"guard": FakeGuard(), "approver": FakeApprover(), "recorder": FakeRecorder(), **parts}
    return Loop(observer=page, planner=planner, actor=page, policy=POLICY, **fakes)  # type: ignore[arg-type]


async def ended(made: Loop, seconds: float = 5) -> str:
    stop, _ = await walk(lambda: opened(made), GOAL, seconds)
    return stop.reason


class opened:
    """Hands out a loop that is already made."""

    def __init__(self, made: Loop) -> None:
        self.made = made

    async def __aenter__(self) -> Loop:
        return self.made

    async def __aexit__(self, *_error: object) -> None:
        return None


async def test_runs_until_the_planner_is_done() -> None:
    """Click, then done: two steps, each intended before it is recorded; done touches nothing."""
    made = loop(FakePlanner([Click(ref="e1"), Done(summary="ok")]))
    assert await ended(made) == "done"
    assert made.recorder.log == ["intend 1", "step 1", "step 2"]  # type: ignore[attr-defined]
    assert [step.usage.requests for step in made.steps] == [1, 1]


async def test_an_answer_of_stuck_ends_stuck() -> None:
    """The planner's own sentence is the explanation."""
    stop, _ = await walk(lambda: opened(loop(FakePlanner([Stuck(problem="no such field")]))), GOAL, 5)
    assert (stop.reason, stop.explanation) == ("stuck", "no such field")


async def test_a_refused_action_is_never_performed() -> None:
    """The refusal is in the history that the planner sees, and three of them end the run."""
    page, planner = FakePage(), FakePlanner([Click(ref="e1")])
    assert await ended(loop(planner, page, guard=FakeGuard(refuse=True))) == "policy"
    assert page.acted == []
    assert planner.briefs[1].history[0].outcome.problem == "no"


async def test_a_risky_action_waits_for_its_approval() -> None:
    """Approved once, performed once, under the approval's id."""
    approver, page = FakeApprover(), FakePage()
    assert (
        await ended(loop(FakePlanner([Click(ref="e1"), Done(summary="")]), page, guard=FakeGuard(ask=True), approver=approver))
        == "done"
    )
    assert len(approver.asked) == len(page.acted) == 1


async def test_an_approval_that_the_page_outdated_is_asked_again() -> None:
    """A void token is never used: the person is asked once more, then it counts as refused."""
    approver, page = FakeApprover(void=["the amount changed"]), FakePage()
    planner = FakePlanner([Click(ref="e1"), Done(summary="")])
    assert await ended(loop(planner, page, guard=FakeGuard(ask=True), approver=approver)) == "done"
    assert len(approver.asked) == 2 and len(page.acted) == 1
    approver, page = FakeApprover(void=["changed"] * 9), FakePage()
    assert (
        await ended(loop(FakePlanner([Click(ref="e1")]), page, guard=FakeGuard(ask=True), approver=approver))
        == "approval_denied"
    )
    assert page.acted == []


async def test_a_denied_action_ends_the_run() -> None:
    """A person's no is final."""
    page = FakePage()
    assert await ended(
        loop(FakePlanner([Click(ref="e1")]), page, guard=FakeGuard(ask=True), approver=FakeApprover(yes=False))
    ) == ("approval_denied")
    assert page.acted == []


async def test_what_turns_out_to_need_a_person_is_asked_and_done_once_more() -> None:
    """A dialog that was dismissed for want of approval: ask, then the same action under the approval."""
    page = FakePage(outcomes=[Outcome(ok=False, held="confirm dialog: sure?", url_after="http://site/")])
    approver = FakeApprover()
    assert await ended(loop(FakePlanner([Click(ref="e1"), Done(summary="")]), page, approver=approver)) == "done"
    assert [needed.why for needed in approver.asked] == ["confirm dialog: sure?"]
    assert len(page.acted) == 2


async def test_the_same_on_the_same_page_three_times_is_no_progress() -> None:
    """Clicking what changes nothing stops at the third time."""
    page = FakePage(outcomes=[Outcome(ok=True, changed=False, url_after="http://site/")] * 9)
    made = loop(FakePlanner([Click(ref="e1")]), page)
    assert await ended(made) == "no_progress"
    assert len(made.steps) == 3


async def test_the_step_limit_is_a_limit() -> None:
    """Six steps are allowed, a seventh is not taken."""
    made = loop(FakePlanner([Click(ref="e1")]))
    assert await ended(made) == "step_limit"
    assert len(made.steps) == 6


async def test_leaving_the_scope_ends_the_run() -> None:
    """The URL after an action is judged too."""
    made = loop(FakePlanner([Click(ref="e1")]), guard=FakeGuard(outside="http://evil is outside the scope"))
    assert await ended(made) == "policy"
    assert len(made.steps) == 1


async def test_no_effect_without_evidence() -> None:
    """When the intent cannot be written, the page is not touched."""
    page = FakePage()
    assert await ended(loop(FakePlanner([Click(ref="e1")]), page, recorder=FakeRecorder(full=True))) == "evidence"
    assert page.acted == []


async def test_a_browser_that_dies_in_a_step_leaves_it_in_doubt() -> None:
    """The step is recorded, marked in doubt, and the run ends with the browser's reason."""
    made = loop(FakePlanner([Click(ref="e1")]), FakePage(outcomes=[BrowserGone("gone")]))
    assert await ended(made) == "browser"
    assert made.recorder.log[-1] == "step 1 in doubt"  # type: ignore[attr-defined]


async def test_widening_touches_nothing_and_reaches_the_observer() -> None:
    """The ref is passed on to the next observation; no action is performed."""
    page = FakePage()
    await ended(loop(FakePlanner([Widen(ref="e1"), Done(summary="")]), page))
    assert page.widened == {"e1"}
    assert page.acted == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [(ModelGarbled("?"), "model_garbled"), (TargetUnreachable("?"), "target"), (ZeroDivisionError(), "fault")],
)
async def test_every_error_is_a_typed_ending(error: Exception, reason: str) -> None:
    """Model, target, and even a fault of ours: a reason, not a traceback."""
    assert await ended(loop(FakePlanner([error]))) == reason


async def test_the_deadline_ends_what_is_in_flight() -> None:
    """A planner that never answers is cut off in time."""

    class Silent(FakePlanner):
        async def decide(self, brief: Brief) -> Planned:
            import asyncio

            await asyncio.Event().wait()
            raise AssertionError

    assert await ended(loop(Silent([Done(summary="")])), seconds=0.1) == "timeout"


def test_prompts_never_hold_the_budget() -> None:
    """What a planner is given has no field for limits or money."""
    fields: Iterator[str] = iter(Brief.model_fields)
    assert not {"limits", "budget", "max_steps", "usd"} & set(fields)
