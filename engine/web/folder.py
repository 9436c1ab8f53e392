"""Reads one run's evidence folder for the pages: only names that its manifest holds, never through a link."""

import json
import os
import stat
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from engine.domain.brief import Message
from engine.domain.run import RunResult
from engine.domain.step import Step
from engine.errors import NotFound
from engine.pipeline import RunStarted
from engine.record.evidence import MANIFEST

MOST_BYTES = 64 << 20
Record = TypeVar("Record", bound=BaseModel)
_MESSAGES = TypeAdapter(tuple[Message, ...])


@dataclass(frozen=True)
class Folder:
    """The evidence of one run; `path` may be gone when it was withheld or pruned."""

    path: Path

    @property
    def there(self) -> bool:
        """Whether there is anything to read."""
        return (self.path / MANIFEST).is_file()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every file that the manifest held when first asked, and the manifest; in the order they were first written."""
        if not self.there:
            return ()
        entries = (_line(line) for line in (self.path / MANIFEST).read_bytes().split(b"\n"))
        found = dict.fromkeys(str(entry["path"]) for entry in entries if "path" in entry)
        return (*(name for name in found if _plain(name)), MANIFEST)

    def read(self, name: str) -> bytes:
        """A file's bytes. Raises NotFound for what the manifest does not hold, links, and anything but plain files."""
        if not _plain(name) or name not in self.names:
            raise NotFound("There is no such file in this run's evidence.")
        try:
            return _without_links(self.path, PurePosixPath(name).parts)
        except OSError as error:
            raise NotFound("There is no such file in this run's evidence.") from error

    def text(self, name: str) -> str:
        """A file as text; empty when it is not there."""
        try:
            return self.read(name).decode("utf-8", "replace")
        except NotFound:
            return ""

    def started(self) -> RunStarted | None:
        """What was asked; None when it cannot be read."""
        return _parsed(RunStarted, self.text("run.json"))

    def result(self) -> RunResult | None:
        """How it ended; None while it has not."""
        return _parsed(RunResult, self.text("result.json"))

    def steps(self) -> tuple[Step, ...]:
        """All whole steps so far; a half-written last line is left for later."""
        lines = self.text("steps.jsonl").split("\n")[:-1]
        return tuple(step for line in lines if (step := _parsed(Step, line)) is not None)

    def messages(self) -> tuple[Message, ...]:
        """The transcript so far; empty for a planner that asks no model."""
        try:
            return _MESSAGES.validate_json(self.text("transcript.json") or "[]")
        except ValidationError:
            return ()

    def touched(self) -> float:
        """When something was last written, in seconds since the epoch; 0 when nothing ever was."""
        try:
            return (self.path / MANIFEST).stat().st_mtime
        except OSError:
            return 0.0


def _parsed(kind: type[Record], text: str) -> Record | None:
    try:
        return kind.model_validate_json(text) if text else None
    except ValidationError:
        return None


def _line(line: bytes) -> dict[str, object]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) else {}


def _plain(name: str) -> bool:
    parts = PurePosixPath(name).parts
    odd = not parts or name.startswith("/") or any(part in ("..", ".") for part in parts)
    return not odd and "\\" not in name and "\0" not in name and "/".join(parts) == name


def _without_links(folder: Path, parts: tuple[str, ...]) -> bytes:
    """Opened part by part, so that no link anywhere on the way is followed. Raises OSError."""
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for part in parts[:-1]:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
            os.close(place)
            place = inner
        file = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=place)
    finally:
        os.close(place)
    with os.fdopen(file, "rb") as opened:
        facts = os.fstat(opened.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1 or facts.st_size > MOST_BYTES:
            raise OSError("no plain file")
        return opened.read()
