"""What the core needs of a thing it explores."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from engine.domain.exploration import CellId
from engine.domain.sealed import Manifest


@dataclass(frozen=True, slots=True)
class SurfaceFault:
    """A candidate touched what it must not; `why` is for the record, never for a prompt."""

    state: Literal["tamper", "policy_violation"]
    why: str


class Subject(Protocol):
    """A starting point and rules for what may become of it. Every form of a candidate is a folder.

    Methods raise HostFault when the host cannot go on (isolation_unavailable, runtime_unsupported, cleanup_failed …).
    """

    async def verify(self) -> str:
        """Hash of the starting point as it is now; it is frozen into the request and compared again at execution."""
        ...

    async def materialise(self, parent: Path | None, place: Path) -> None:
        """Lay a sealed folder, or without one the baseline, into an empty folder."""
        ...

    async def seal(self, place: Path) -> None:
        """Bring what an attempt left into the form that is kept (build the commit, drop caches), in place."""
        ...

    def check(self, start: Manifest, end: Manifest) -> SurfaceFault | None:
        """Compare what an attempt was given with what it left."""
        ...


@dataclass(frozen=True, slots=True)
class Winner:
    """What is delivered at the end: provenance of the best verified cell."""

    run_id: str
    cell: CellId
    score: float
    evaluator: str
    evaluator_hash: str
    digest: str
    improved: bool | None


class Delivery(Protocol):
    """What a subject does with verdicts and with the winner."""

    async def accept(self, cell: CellId, sealed: Path) -> None:
        """This cell is the best so far."""
        ...

    async def reject(self, cell: CellId) -> None:
        """This one is not."""
        ...

    async def export(self, sealed: Path, winner: Winner) -> None:
        """Hand the winner over: a draft capability, a patch, a file tree. Raises HostFault integrity_changed."""
        ...
