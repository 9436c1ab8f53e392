"""One run while it is being explored: what its parts share."""

import contextlib
import hashlib
from dataclasses import dataclass
from pathlib import Path

from engine.domain.exploration import CellId
from engine.domain.exploring import DiscoveryRequest, TaskRequest
from engine.errors import CapwrightError, HostFault, StoreError
from engine.explore.desk import Desk, Root
from engine.explore.halt import Halt
from engine.explore.progress import Progress
from engine.explore.strategies import Strategy
from engine.score.evaluator import Evaluator
from engine.store.explorations import RunRecord
from engine.store.runbook import RunBook

BASELINE = "baseline"
"""Name of the artifact that the starting point is sealed as."""


@dataclass
class RunContext:
    """The run's row at its start, its fenced book, and what it stops for."""

    desk: Desk
    record: RunRecord
    book: RunBook
    halt: Halt
    root: Root
    evaluator: Evaluator
    strategy: Strategy
    progress: Progress

    @property
    def run_id(self) -> str:
        """Its id."""
        return self.record.run_id

    @property
    def task(self) -> TaskRequest:
        """What was asked."""
        return self.record.request.task

    @property
    def request(self) -> DiscoveryRequest:
        """The exploring part of it."""
        return self.task.discovery

    @property
    def asked(self) -> dict[str, object]:
        """What the evaluator is told of the task."""
        return {"title": self.task.title, "description": self.task.description}

    def wall_left(self) -> float:
        """Seconds until the run's deadline."""
        return self.request.budget.max_wall_secs - self.book.wall_used_ms() / 1000

    def deadline_ms(self) -> int:
        """The run's deadline on the clock."""
        return self.desk.clock.now_ms() + int(self.wall_left() * 1000)

    def seed(self, cell: CellId) -> int:
        """A cell's immutable seed: 63 bits of a hash over the frozen request and the cell."""
        digest = hashlib.sha256(f"{self.record.request_sha256} {cell}".encode()).digest()
        return int.from_bytes(digest[:8], "big") >> 1

    def place(self, name: str) -> Path:
        """A folder of this run for a piece of work; not yet there."""
        return self.desk.work / self.run_id / name

    def fault(self, error: CapwrightError) -> None:
        """Stop for a fault; its words are for the operator, the code for everybody."""
        self.halt.fault(error)
        with contextlib.suppress(StoreError):
            self.book.note("fault", {"why": str(error)})

    def clear(self, place: Path) -> None:
        """Remove a folder; what cannot be removed is remembered and stops the run."""
        if not self.desk.remove(place):
            self.desk.leftovers.add(place)
            raise HostFault("cleanup_failed", f"{place} could not be removed")
