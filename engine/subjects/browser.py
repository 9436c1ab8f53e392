"""The browser as a subject: a candidate is one capability, as JSON, discovered on an approved target."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import semver

from engine.domain.capability import Capability, Explored
from engine.domain.exploration import CellId
from engine.domain.sealed import Manifest
from engine.errors import CapabilityInvalid, HostFault, UsageError
from engine.store.capabilities import CapabilityStore, read, written
from engine.store.trees import copy_tree, read_tree
from engine.subjects.subject import SurfaceFault, Winner

FILE = "capability.json"


@dataclass(frozen=True)
class Start:
    """Where an exploration begins: the target's URL, its policy's digest, and the capability to improve, if any."""

    url: str
    policy: str
    baseline: Capability | None = None

    @property
    def sha256(self) -> str:
        """Hash over all of it."""
        parts = [self.url, self.policy, self.baseline.digest if self.baseline else ""]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@dataclass(frozen=True)
class BrowserSubject:
    """`start` reads the starting point anew each time, so that a changed policy or capability shows."""

    start: Callable[[], Start]

    async def verify(self) -> str:
        """Hash of target, policy and baseline; raises HostFault when one of them can no longer be read."""
        return self._now().sha256

    async def materialise(self, parent: Path | None, place: Path) -> None:
        """A copy of the parent's capability, else the one to improve, else nothing."""
        if parent is not None:
            copy_tree(parent, place, read_tree(parent))
        elif (baseline := self._now().baseline) is not None:
            (place / FILE).write_text(written(baseline))

    async def seal(self, place: Path) -> None:
        """Write the capability in its canonical layout; one that does not parse stays for the evaluator to refuse."""
        try:
            found = read(place / FILE)
        except (CapabilityInvalid, OSError):
            return
        (place / FILE).write_text(written(found))

    def check(self, start: Manifest, end: Manifest) -> SurfaceFault | None:
        """Nothing but the one file may be there."""
        odd = sorted(set(end.by_path()) - {FILE})
        return SurfaceFault("policy_violation", f"more than {FILE} was left: {', '.join(odd[:5])}") if odd else None

    def _now(self) -> Start:
        try:
            return self.start()
        except UsageError as error:
            raise HostFault("integrity_changed", str(error), "root_changed") from error


@dataclass(frozen=True)
class DraftDelivery:
    """Makes the winner the next draft of its capability in the home: reviewed like any other."""

    capabilities: CapabilityStore

    async def accept(self, cell: CellId, sealed: Path) -> None:
        """Nothing outside the run changes before its end."""

    async def reject(self, cell: CellId) -> None:
        """Nor here."""

    async def export(self, sealed: Path, winner: Winner) -> None:
        """Keep it with score, evaluator and cell in its provenance; raises HostFault when it cannot be kept."""
        try:
            won = read(sealed / FILE)
            self.capabilities.keep(delivered(won, winner, self.capabilities.versions(won.id)))
        except (CapabilityInvalid, OSError) as error:
            raise HostFault("integrity_changed", str(error)) from error


def delivered(won: Capability, winner: Winner, versions: tuple[str, ...]) -> Capability:
    """The draft that is kept: unreviewed, the next version, with where it comes from."""
    explored = Explored(
        run_id=winner.run_id, cell=str(winner.cell), evaluator_hash=winner.evaluator_hash, artifact=winner.digest,
        improved=winner.improved,
    )  # fmt: skip
    told = {"evaluator": winner.evaluator, "score": winner.score, "explored": explored}
    version = str(semver.Version.parse(versions[-1]).bump_minor()) if versions else won.version
    provenance = won.provenance.model_copy(update=told)
    return won.model_copy(update={"version": version, "reviewed": False, "review": None, "provenance": provenance})
