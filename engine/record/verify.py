"""Checks an evidence folder against its hash chain and names the first bad entry; the stored head shows truncation."""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from engine.record.evidence import ARRAY_END, MANIFEST, START, entry_digest

PART = re.compile(r"\..+\.part")
"""A file that is still being written."""


@dataclass(frozen=True)
class Verification:
    """`problem` is None for an intact folder, else a sentence that names the entry and the file."""

    entries: int
    head: str
    problem: str | None = None
    note: str = ""


def verify(folder: Path, stored_head: str | None = None, finished: bool = True) -> Verification:
    """Walk the chain, then the files. `stored_head` is the head that the database keeps for the run."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        nothing = not finished and stored_head is None and _files(folder, [], finished) is None
        return Verification(0, START, None if nothing else f"{MANIFEST} is missing.")
    entries: list[dict[str, object]] = []
    head = START
    heads = {START}
    for number, line in enumerate(manifest.read_bytes().split(b"\n")[:-1]):
        entry = _parsed(line)
        if entry is None:
            return Verification(number, head, f"Entry {number} of {MANIFEST} is not readable.")
        digest = entry.pop("entry", None)
        if entry.get("seq") != number or entry.get("previous") != head:
            return Verification(number, head, f"Entry {number} ({entry.get('path')}) does not follow the entry before it.")
        if digest != entry_digest(entry):
            return Verification(number, head, f"Entry {number} ({entry.get('path')}) was changed.")
        head = str(digest)
        heads.add(head)
        entries.append(entry)
    problem = _truncated(stored_head, head, heads, finished) or _files(folder, entries, finished)
    return Verification(len(entries), head, problem, "" if stored_head else "No stored head: truncation cannot be seen.")


def _parsed(line: bytes) -> dict[str, object] | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _truncated(stored: str | None, head: str, heads: set[str], finished: bool) -> str | None:
    if stored is None or stored == head or (not finished and stored in heads):
        return None
    return f"{MANIFEST} was cut or rewritten: the stored head {stored[:12]} is not its end."


def _files(folder: Path, entries: list[dict[str, object]], finished: bool) -> str | None:
    # An entry is written before its file: a run that was killed may end with an entry whose file is not there yet.
    last = str(entries[-1]["path"]) if entries and not finished else None
    pieces: dict[str, list[tuple[int, dict[str, object]]]] = {}
    for number, entry in enumerate(entries):
        pieces.setdefault(str(entry["path"]), []).append((number, entry))
    for path, parts in pieces.items():
        problem = _file(folder / path, path, parts)
        if problem and path != last:
            return problem
    known = set(pieces) | {MANIFEST}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_symlink() or (file.is_file() and name not in known and (finished or not PART.fullmatch(file.name))):
            return f"{name} is not in the chain."
    return None


def _file(file: Path, path: str, parts: list[tuple[int, dict[str, object]]]) -> str | None:
    number = parts[0][0]
    if file.is_symlink() or not file.is_file():
        return f"Entry {number} ({path}): the file is missing."
    content = file.read_bytes()
    if parts[-1][1]["offset"] is None:
        number, entry = parts[-1]
        return None if _agrees(content, entry) else f"Entry {number} ({path}): the content was changed."
    end = 0
    for number, entry in parts:
        start, size = int(str(entry["offset"])), int(str(entry["size"]))
        if start != end or not _agrees(content[start : start + size], entry):
            return f"Entry {number} ({path}): the content was changed."
        end = start + size
    tail = content[end:]
    return None if tail == (ARRAY_END if path.endswith(".json") else b"") else f"{path} holds more than the chain knows."


def _agrees(content: bytes, entry: dict[str, object]) -> bool:
    return len(content) == entry["size"] and hashlib.sha256(content).hexdigest() == entry["sha256"]
