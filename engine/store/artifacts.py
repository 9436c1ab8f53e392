"""Sealed artifacts: a folder each, its manifest in the database before anything else may point to it."""

import hashlib
import os
import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.domain.sealed import Entry, Manifest
from engine.errors import IntegrityChanged, NotFound, QuotaExceeded, RequestRefused, TreeRefused
from engine.store.database import Database
from engine.store.ledger import Now
from engine.store.trees import copy_tree, read_file, read_tree, remove_tree, sync_folder

MAX_READ_BYTES = 16 * 1024 * 1024
DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class SealedFile:
    """One file of an artifact as a caller sees it; `file_id` is bound to the artifact's digest and the path."""

    file_id: str
    name: str
    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """A sealed artifact's row."""

    run_id: str
    name: str
    digest: str
    manifest: Manifest
    sealed_ms: int
    expires_ms: int
    pinned: bool
    pruned: bool

    @property
    def files(self) -> tuple[SealedFile, ...]:
        """Its files with their ids."""
        return tuple(_sealed_file(self.digest, entry) for entry in self.manifest.files)


class ArtifactStore:
    """Seals folders, gives their bytes back verified, and prunes the bytes when their time is over. Rows stay for ever."""

    def __init__(self, database: Database, root: Path, now: Now, *, keep_days: int = 30, quota_bytes: int = 8 << 30) -> None:
        self._database = database
        self._root = root
        self._now = now
        self._keep_ms = keep_days * DAY_MS
        self._quota = quota_bytes

    def seal(self, run_id: str, name: str, source: Path, manifest: Manifest, written: Callable[[], None]) -> Artifact:
        """Copy a folder whose manifest was just read, and write its row together with what `written` writes.

        Raises IntegrityChanged when the folder changed meanwhile, QuotaExceeded when there is no room.
        """
        place = self._place(run_id, name)
        staging = place.with_name(f"{name}.{uuid.uuid4().hex}.part")
        try:
            copy_tree(source, staging, manifest, durable=True)
            if read_tree(staging).digest != manifest.digest:
                raise IntegrityChanged(f"{name} changed while it was sealed")
            with self._database.write() as connection:
                room = connection.execute("SELECT bytes FROM artifact_storage").fetchone()["bytes"]
                if room + manifest.size > self._quota:
                    raise QuotaExceeded(f"{manifest.size:,} bytes do not fit: {room:,} of {self._quota:,} bytes are used")
                now = self._now()
                connection.execute(
                    "INSERT INTO artifacts (run_id, name, digest, manifest, bytes, sealed_ms, expires_ms)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (run_id, name, manifest.digest, manifest.text, manifest.size, now, now + self._keep_ms),
                )
                connection.execute("UPDATE artifact_storage SET bytes = bytes + ?", (manifest.size,))
                if place.exists():
                    remove_tree(place)  # left by a crash before its row was written
                staging.rename(place)
                sync_folder(place.parent)
                written()
        finally:
            if staging.exists():
                shutil.rmtree(staging, ignore_errors=True)
        return self.find(run_id, name)

    def find(self, run_id: str, name: str) -> Artifact:
        """The row of an artifact; raises NotFound, and IntegrityChanged when its manifest is not the one of its digest."""
        with self._database.read() as connection:
            row = connection.execute("SELECT * FROM artifacts WHERE run_id = ? AND name = ?", (run_id, name)).fetchone()
        if row is None:
            raise NotFound(f"run {run_id} has no artifact {name}")
        manifest = Manifest.parse(row["manifest"])
        if manifest.digest != row["digest"]:
            raise IntegrityChanged(f"the manifest of {name} is not the one that was sealed")
        return Artifact(
            run_id, name, row["digest"], manifest, row["sealed_ms"], row["expires_ms"], bool(row["pinned"]),
            row["pruned_ms"] is not None,
        )  # fmt: skip

    def verified(self, run_id: str, name: str) -> Path:
        """The folder of an artifact, all of it read and compared; raises NotFound, IntegrityChanged."""
        artifact = self.find(run_id, name)
        self._refuse_pruned(artifact)
        place = self._place(run_id, name)
        try:
            found = read_tree(place)
        except (OSError, TreeRefused) as error:
            raise IntegrityChanged(f"artifact {name} cannot be read as it was sealed: {error}") from error
        if found.digest != artifact.digest:
            raise IntegrityChanged(f"artifact {name} is not what was sealed")
        return place

    def copy(self, run_id: str, name: str, target: Path) -> Manifest:
        """A verified copy in a new folder, for the moment; raises NotFound, IntegrityChanged."""
        artifact = self.find(run_id, name)
        self._refuse_pruned(artifact)
        copy_tree(self._place(run_id, name), target, artifact.manifest)
        return artifact.manifest

    def read(self, run_id: str, name: str, file_id: str) -> tuple[SealedFile, bytes]:
        """One file's bytes, verified; raises RequestRefused file_too_large above 16 MiB, NotFound, IntegrityChanged."""
        artifact = self.find(run_id, name)
        self._refuse_pruned(artifact)
        for entry in artifact.manifest.files:
            file = _sealed_file(artifact.digest, entry)
            if file.file_id == file_id:
                if entry.size > MAX_READ_BYTES:
                    raise RequestRefused("file_too_large", f"{file.path} is larger than 16 MiB", "file_id")
                return file, read_file(self._place(run_id, name), entry)
        raise NotFound(f"artifact {name} has no file {file_id}")

    def pin(self, run_id: str, name: str, pinned: bool = True) -> None:
        """Keep the bytes past their time, or no longer; raises NotFound."""
        with self._database.write() as connection:
            changed = connection.execute(
                "UPDATE artifacts SET pinned = ? WHERE run_id = ? AND name = ?", (pinned, run_id, name)
            )
            if changed.rowcount != 1:
                raise NotFound(f"run {run_id} has no artifact {name}")

    def prune(self) -> int:
        """Remove the bytes of artifacts whose time is over; returns how many. Rows, hashes and manifests stay."""
        with self._database.read() as connection:
            due = connection.execute(
                "SELECT run_id, name, bytes FROM artifacts WHERE pruned_ms IS NULL AND pinned = 0 AND expires_ms <= ?",
                (self._now(),),
            ).fetchall()
        for row in due:
            with self._database.write() as connection:  # the intent first: a half removed artifact is never served
                connection.execute(
                    "UPDATE artifacts SET pruned_ms = ? WHERE run_id = ? AND name = ?",
                    (self._now(), row["run_id"], row["name"]),
                )
                connection.execute("UPDATE artifact_storage SET bytes = bytes - ?", (row["bytes"],))
            remove_tree(self._place(row["run_id"], row["name"]))
        return len(due)

    def sweep(self, run_id: str) -> None:
        """Remove what a crash left half written in a run's folder."""
        folder = self._root / run_id
        for path in folder.glob("*.part") if folder.is_dir() else ():
            remove_tree(path)

    def _place(self, run_id: str, name: str) -> Path:
        folder = self._root / run_id
        if os.sep in run_id or os.sep in name or run_id.startswith(".") or name.startswith("."):
            raise NotFound("no such artifact")
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def _refuse_pruned(self, artifact: Artifact) -> None:
        if artifact.pruned:
            raise NotFound(f"the bytes of artifact {artifact.name} were removed when their time was over")


def _sealed_file(digest: str, entry: Entry) -> SealedFile:
    file_id = hashlib.sha256(f"{digest}\0{entry.path}".encode()).hexdigest()[:24]
    return SealedFile(file_id, entry.path.rpartition("/")[2], entry.path, entry.size, entry.sha256)
