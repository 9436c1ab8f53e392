"""Who looks at the page and who acts on it: the two ends of a step, which discovery drives and records and people wrap."""

from typing import Protocol

from engine.domain.action import Action
from engine.domain.observation import Observation
from engine.domain.step import Outcome
from engine.domain.verdict import Facts, Permit


class Observer(Protocol):
    """Looks at the page."""

    async def observe(self, *, problem: bool, widened: frozenset[str]) -> Observation:
        """The page now; `problem` says the last action failed, `widened` are refs whose cut parts are wanted whole."""
        ...


class Actor(Protocol):
    """Performs what was permitted."""

    async def facts(self, action: Action, observation: Observation) -> Facts:
        """What the live page knows about the place of this action."""
        ...

    async def act(self, permit: Permit, step: int) -> Outcome:
        """Do it and say what came of it; expected failures are outcomes with a problem."""
        ...
