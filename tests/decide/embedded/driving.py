"""Drives the real loop on a real page with the embedded planner; only the recorder is a small fake."""

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.session import Session
from engine.decide.embedded import EmbeddedPlanner
from engine.discover.loop import Loop
from engine.discover.stops import Stop
from engine.domain.policy import Policy, Scope
from engine.domain.run import Goal
from engine.domain.secret import Secrets
from engine.domain.step import Step, Value
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.guard.guard import PolicyGuard
from engine.observe.observer import PageObserver


@dataclass
class Keeper:
    """A recorder that keeps nothing but the steps."""

    steps: list[Step] = field(default_factory=list)

    def intend(self, permit: Permit, step: int) -> None:
        return None

    def step(self, step: Step) -> None:
        self.steps.append(step)


@dataclass
class Person:
    """Answers every question the same and remembers what was asked."""

    guard: PolicyGuard
    yes: bool = True
    asked: list[ApprovalNeeded] = field(default_factory=list)

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        self.asked.append(needed)
        if self.yes:
            return self.guard.grant(needed, f"a{step}")
        return Refusal(action=needed.action, rule="person", why="Denied by the person who was asked.")

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        return None


@dataclass(frozen=True)
class Driven:
    """How it went."""

    stop: Stop
    steps: list[Step]
    asked: list[ApprovalNeeded]

    @property
    def values(self) -> list[Value]:
        return [value for step in self.steps for value in step.outcome.values]

    @property
    def story(self) -> str:
        """All steps, one a line, for a failing test's message."""
        lines = [f"{each.number}. {each.decision.reason} | {each.outcome.problem or 'ok'}" for each in self.steps]
        return "\n".join([*lines, f"{self.stop.reason}: {self.stop.explanation}"])


def policy_for(url: str) -> Policy:
    """The target's own origin and the core actions."""
    return Policy(scope=Scope(navigate=(url,)))


async def drive(
    session: Session,
    desk: DialogDesk,
    goal: Goal,
    secrets: Secrets | None = None,
    *,
    yes: bool = True,
    policy: Policy | None = None,
    tell: Callable[[Step], None] | None = None,
) -> Driven:
    """Run the loop until it stops. The session's page is where it starts."""
    rules = policy or policy_for(goal.target)
    guard = PolicyGuard(rules, goal.target, secrets)
    person = Person(guard, yes)
    loop = Loop(
        observer=PageObserver(session, max_tokens=12_000, screenshots="never", keep=lambda _content, kind: f"look.{kind}"),
        planner=EmbeddedPlanner(),
        guard=guard,
        approver=person,
        actor=PageActor(session, desk, guard.secrets, goal.target),
        recorder=Keeper(),
        policy=rules,
        tell=tell or (lambda _step: None),
    )
    stop = await loop.run(goal)
    return Driven(stop, loop.steps, person.asked)
