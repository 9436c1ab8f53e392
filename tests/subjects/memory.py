"""The smallest subject: a folder with one JSON file; for the contract suite, for benches, and as an example."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from engine.domain.exploration import CellId
from engine.domain.sealed import Manifest
from engine.store.trees import copy_tree, read_tree
from engine.subjects.subject import SurfaceFault, Winner

FILE = "candidate.json"
FROZEN = "frozen.txt"


@dataclass
class MemorySubject:
    """Candidates are `candidate.json`; the file `frozen.txt` beside it must stay as it is."""

    start: dict[str, object] = field(default_factory=lambda: {"score": 0.0})
    accepted: list[CellId] = field(default_factory=list)
    rejected: list[CellId] = field(default_factory=list)
    exported: list[Winner] = field(default_factory=list)

    async def verify(self) -> str:
        """Hash of the starting value."""
        return hashlib.sha256(json.dumps(self.start, sort_keys=True).encode()).hexdigest()

    async def materialise(self, parent: Path | None, place: Path) -> None:
        """A copy of the parent, or the two files."""
        if parent is not None:
            copy_tree(parent, place, read_tree(parent))
            return
        (place / FILE).write_text(json.dumps(self.start))
        (place / FROZEN).write_text("do not touch\n")

    async def seal(self, place: Path) -> None:
        """Nothing to do."""

    def check(self, start: Manifest, end: Manifest) -> SurfaceFault | None:
        """The frozen file is still there, unchanged."""
        if start.by_path().get(FROZEN) != end.by_path().get(FROZEN):
            return SurfaceFault("policy_violation", f"{FROZEN} was changed")
        return None

    async def accept(self, cell: CellId, sealed: Path) -> None:
        """Remember it."""
        self.accepted.append(cell)

    async def reject(self, cell: CellId) -> None:
        """Remember it."""
        self.rejected.append(cell)

    async def export(self, sealed: Path, winner: Winner) -> None:
        """Remember it."""
        self.exported.append(winner)
