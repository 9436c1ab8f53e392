"""The protocols of the stages, beside those of `domain/clearance.py`; rooms have real adapters, tests small fakes."""

from typing import Protocol

from engine.domain.action import Action
from engine.domain.brief import Brief, Planned
from engine.domain.observation import Observation
from engine.domain.run import Usage
from engine.domain.step import Outcome, Step
from engine.domain.verdict import Facts, Permit


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
