"""What the core asks of an evaluator, whether it is a child process or built in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.domain.evaluation import Scoring
from engine.domain.exploration import Direction


@dataclass(frozen=True, slots=True)
class Terms:
    """What belongs to a registration and never to a request: the pinned hash, what is better, and how much is noise."""

    name: str
    hash: str
    direction: Direction = "max"
    min_delta: float = 0.0
    noise: float = 0.0
    timing_sensitive: bool = False


class Evaluator(Protocol):
    """Scores a copy of a candidate."""

    @property
    def terms(self) -> Terms:
        """Its registration."""
        ...

    async def score(self, view: Path, task: Mapping[str, object], seconds: float) -> Scoring:
        """Look at the folder and answer within so many seconds; whatever goes wrong is a class of the scoring."""
        ...
