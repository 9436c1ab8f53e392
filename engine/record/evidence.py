"""The evidence folder and its hash chain: every write is an entry that names the file, its hash and the entry before.

One line of manifest.jsonl: `{"seq", "path", "offset", "size", "sha256", "previous", "entry"}`. `offset` is null for a whole
file, else the place of an appended piece; `entry` is the SHA-256 over all the other fields, so the last one (the head)
vouches for the whole folder.
"""

import errno
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engine.errors import EvidenceUnwritable

START = "0" * 64
MANIFEST = "manifest.jsonl"
ARRAY_END = b"\n]\n"


class Evidence:
    """Writes one run's folder. Every method raises EvidenceUnwritable when the disk refuses."""

    def __init__(self, folder: Path, head: Callable[[str], None] = lambda _head: None) -> None:
        self.folder = folder
        self.head = START
        self._report = head
        self._seq = self._start = 0
        self._before = START
        try:
            for name in ("snapshots", "screenshots", "downloads"):
                (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritable(folder, error) from error

    def write(self, path: str, content: bytes) -> str:
        """A whole file, complete or not at all; its relative path."""
        target = self.folder / path
        part = target.with_name(f".{target.name}.part")
        try:
            part.write_bytes(content)
            self._chain(path, None, content)
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise unwritable(target, error) from error
        return path

    def adopt(self, path: str) -> None:
        """Take a file that the browser wrote (a download) into the chain."""
        try:
            self._chain(path, None, (self.folder / path).read_bytes())
        except OSError as error:
            raise unwritable(self.folder / path, error) from error

    def append(self, path: str, line: str) -> None:
        """One line more of a .jsonl file."""
        self._append(path, f"{line}\n".encode(), b"", b"")

    def append_item(self, path: str, item: str) -> None:
        """One item more of a .json file that holds an array and is whole after every append."""
        self._append(path, f",\n{item}".encode(), b"[", ARRAY_END)

    def flush(self) -> None:
        """Put the chain on the disk and report its head: called before effects and after steps."""
        try:
            with (self.folder / MANIFEST).open("rb") as manifest:
                os.fsync(manifest.fileno())
        except OSError as error:
            raise unwritable(self.folder / MANIFEST, error) from error
        self._report(self.head)

    def _append(self, path: str, piece: bytes, first: bytes, tail: bytes) -> None:
        target = self.folder / path
        fresh = not target.exists()
        offset = 0 if fresh else target.stat().st_size - len(tail)
        piece = first + piece.removeprefix(b",") if fresh and first else piece
        try:
            self._chain(path, offset, piece)
        except OSError as error:
            raise unwritable(target, error) from error
        try:
            with target.open("wb" if fresh else "r+b") as file:
                file.seek(offset)
                file.write(piece + tail)
        except OSError as error:
            self._unchain(target, b"" if fresh else tail, offset)
            raise unwritable(target, error) from error

    def _unchain(self, target: Path, tail: bytes, offset: int) -> None:
        """Take the last entry back, whose piece did not fit: cutting off needs no room."""
        with suppress(OSError):
            os.truncate(self.folder / MANIFEST, self._start)
            self.head, self._seq = self._before, self._seq - 1
            if not offset:
                target.unlink()
            os.truncate(target, offset)
            with target.open("ab") as file:
                file.write(tail)

    def _chain(self, path: str, offset: int | None, content: bytes) -> None:
        entry = {
            "seq": self._seq,
            "path": path,
            "offset": offset,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "previous": self.head,
        }
        digest = entry_digest(entry)
        with (self.folder / MANIFEST).open("ab", buffering=0) as manifest:
            self._start = manifest.tell()
            line = json.dumps({**entry, "entry": digest}).encode() + b"\n"
            if manifest.write(line) < len(line):
                manifest.truncate(self._start)
                raise OSError(errno.ENOSPC, "the disk is full")
        self._before, self.head = self.head, digest
        self._seq += 1


def entry_digest(entry: dict[str, object]) -> str:
    """SHA-256 over an entry's fields but `entry` itself."""
    return hashlib.sha256(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def unwritable(path: Path, error: OSError) -> EvidenceUnwritable:
    """The one sentence for every refusal of the disk."""
    why = error.strerror or error
    return EvidenceUnwritable(
        f"Evidence cannot be written to {path}: {why}. No effect follows without it; make room and run again."
    )
