"""The protocols of the five stages, as the loop needs them; each room has a real adapter and tests have small fakes."""

from typing import Protocol

from engine.domain.action import Action
from engine.domain.brief import Brief, Message, Planned
from engine.domain.observation import Observation
from engine.domain.run import Usage
from engine.domain.step import Outcome, Step
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal, Verdict


class Observer(Protocol):
    """Looks at the page."""

    async def observe(self, *, problem: bool, widened: frozenset[str]) -> Observation:
        """The page now; `problem` says the last action failed, `widened` are refs whose cut parts are wanted whole."""
        ...


class Planner(Protocol):
    """Chooses the next action. Raises ModelError subclasses; what was paid is in `usage` also then."""

    @property
    def usage(self) -> Usage:
        """All model use so far."""
        ...

    async def decide(self, brief: Brief) -> Planned:
        """One decision for one observation."""
        ...


class Transcript(Protocol):
    """Where planners put every message, as it is sent and received."""

    def append(self, message: Message) -> None:
        """Keep one message."""
        ...


class Guard(Protocol):
    """Judges an action before it is performed, and the URL after it."""

    def judge(self, action: Action, facts: Facts) -> Verdict:
        """Permit, refusal, or that a person must be asked."""
        ...

    def judge_url(self, url: str) -> str | None:
        """None when the browser may be there, else why not."""
        ...


class Approver(Protocol):
    """Asks a person about one action and waits for the answer within its own deadline."""

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        """A permit bound to this action and these facts, or a refusal that says who denied or that time ran out."""
        ...

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        """Use up the permit's approval right before dispatch, with the facts of that moment; None, or why it is void."""
        ...


class Actor(Protocol):
    """Performs what was permitted."""

    async def facts(self, action: Action, observation: Observation) -> Facts:
        """What the live page knows about the place of this action."""
        ...

    async def act(self, permit: Permit, step: int) -> Outcome:
        """Do it and say what came of it; expected failures are outcomes with a problem."""
        ...


class Recorder(Protocol):
    """Keeps evidence."""

    def intend(self, permit: Permit, step: int) -> None:
        """Written before the action; raises EvidenceUnwritable so that no effect happens without evidence."""
        ...

    def step(self, step: Step) -> None:
        """Written after the action."""
        ...
