"""What a sealed tree is: entries sorted by raw path bytes, each with type, size and hash, under one digest."""

import hashlib
import json
from dataclasses import dataclass
from typing import Literal, TypeAlias

EntryType: TypeAlias = Literal["file", "dir"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One file or folder; `path` is relative with `/`; size in bytes and sha256 in hex are 0 and empty for folders."""

    path: str
    type: EntryType
    size: int = 0
    sha256: str = ""
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """All entries of a tree, in the order of their path's bytes."""

    entries: tuple[Entry, ...]

    @property
    def text(self) -> str:
        """Canonical JSON of the entries: what is stored, and what the digest is made over."""
        rows = [[e.path, e.type, e.size, e.sha256, int(e.executable)] for e in self.entries]
        return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))

    @property
    def digest(self) -> str:
        """sha256 of the canonical text, in hex."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def files(self) -> tuple[Entry, ...]:
        """Only the files."""
        return tuple(entry for entry in self.entries if entry.type == "file")

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(entry.size for entry in self.entries)

    @classmethod
    def of(cls, entries: list[Entry]) -> "Manifest":
        """Sorted by raw path bytes."""
        return cls(tuple(sorted(entries, key=lambda entry: entry.path.encode())))

    @classmethod
    def parse(cls, text: str) -> "Manifest":
        """Back from its canonical text; raises ValueError when it is not that."""
        rows = json.loads(text)
        return cls(tuple(Entry(path, kind, size, sha256, bool(x)) for path, kind, size, sha256, x in rows))

    def by_path(self) -> dict[str, Entry]:
        """Entries by their path."""
        return {entry.path: entry for entry in self.entries}
