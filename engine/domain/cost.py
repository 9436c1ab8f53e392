"""What a run has cost so far, apart by how it is known; all money in integer micro-dollars."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from pydantic import Field

from engine.domain.frozen import Frozen

UsdSource: TypeAlias = Literal["reported", "estimated", "unknown", "pending"]


@dataclass(frozen=True, slots=True)
class Cost:
    """`unknown` is a liability held against the limit; `pending` is held by calls in flight."""

    reported: int = 0
    estimated: int = 0
    unknown: int = 0
    pending: int = 0
    calls: int = 0
    in_flight: int = 0
    model_requests: int = 0
    max_calls: int = 0
    max_micros: int = 0

    @property
    def settled(self) -> int:
        """All that is charged."""
        return self.reported + self.estimated + self.unknown

    @property
    def source(self) -> UsdSource:
        """The least certain of its parts."""
        if self.in_flight:
            return "pending"
        if self.unknown:
            return "unknown"
        return "estimated" if self.estimated else "reported"


@dataclass(frozen=True, slots=True)
class Admitted:
    """Leave to make one call: its id, and the micro-dollars held for it."""

    call_id: int
    reserved: int


@dataclass(frozen=True, slots=True)
class Refused:
    """No further call fits into the budget."""

    why: Literal["calls", "money", "wall"]


Admission: TypeAlias = Admitted | Refused


class ModelPrice(Frozen):
    """One `[prices."MODEL"]` table: US dollars for a million tokens, for endpoints that report no cost; before price lists."""

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)

    def micros(self, sent: int, got: int) -> int:
        """What so many tokens cost, rounded up to a whole micro-dollar."""
        return math.ceil(self.input * sent + self.output * got)
