"""Protocols of the stages, beside `domain/doing.py` and `domain/clearance.py`; rooms have real adapters, tests small fakes."""

from typing import Protocol

from engine.domain.brief import Brief, Planned
from engine.domain.step import Step
from engine.domain.usage import Usage
from engine.domain.verdict import Permit


class Planner(Protocol):
    """Chooses the next action. Raises ModelError subclasses; what was paid is in `usage` also then."""

    @property
    def usage(self) -> Usage:
        """All model use so far."""
        ...

    async def decide(self, brief: Brief) -> Planned:
        """One decision for one observation."""
        ...


class Recorder(Protocol):
    """Keeps evidence."""

    def intend(self, permit: Permit, step: int) -> None:
        """Written before the action; raises EvidenceUnwritable so that no effect happens without evidence."""
        ...

    def step(self, step: Step) -> None:
        """Written after the action."""
        ...
