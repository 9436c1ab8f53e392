"""Redaction where records leave the process by another door than the evidence: prompts to a planner, results to a caller."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from engine.domain.brief import Brief, Planned
from engine.domain.frozen import Frozen
from engine.domain.run import Usage

R = TypeVar("R", bound=Frozen)


class Planner(Protocol):
    """As much of a planner as is wrapped here."""

    @property
    def usage(self) -> Usage:
        """All model use so far."""
        ...

    async def decide(self, brief: Brief) -> Planned:
        """One decision for one observation."""
        ...


def redacted(record: R, redact: Callable[[str], str]) -> R:
    """The same record without secrets; the record itself where there is nothing to take out."""
    text = record.model_dump_json()
    clean = redact(text)
    return record if clean == text else type(record).model_validate_json(clean)


class RedactedPlanner:
    """A planner that is shown pages and history without secrets, whatever the page echoes."""

    def __init__(self, planner: Planner, redact: Callable[[str], str]) -> None:
        self._planner = planner
        self._redact = redact

    @property
    def usage(self) -> Usage:
        """All model use so far."""
        return self._planner.usage

    async def decide(self, brief: Brief) -> Planned:
        """One decision for one observation, made without secrets."""
        return await self._planner.decide(redacted(brief, self._redact))
