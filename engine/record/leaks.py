"""The leak gate: looks for secrets in every byte of an evidence folder before anyone may see it."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.record.redact import Redactor

MOST_UNPACKED = 64 * 1024 * 1024


@dataclass(frozen=True)
class Leak:
    """A file, relative to the folder, whose name or content holds a secret."""

    file: str
    secret: str

    def __str__(self) -> str:
        return f"{self.file} holds the secret {self.secret}"


def find_leaks(folder: Path, redactor: Redactor) -> tuple[Leak, ...]:
    """All leaks of a folder, packed files looked into; empty means that it may be published."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return tuple(leak for file in files for leak in leaks_of(file, redactor, file.relative_to(folder).as_posix()))


def leaks_of(file: Path, redactor: Redactor, name: str = "") -> tuple[Leak, ...]:
    """The leaks of one file, called `name` where its whole path is not what counts."""
    name = name or file.name
    contents = (name.encode(), *_contents(file.read_bytes()))
    secrets = dict.fromkeys(secret for content in contents for secret in redactor.found_in(content))
    return tuple(Leak(redactor(name), secret) for secret in secrets)


def withhold(folder: Path, leaks: tuple[Leak, ...]) -> str:
    """Move an evidence folder out of sight of every list and page; a sentence that says which files, and where it is now."""
    hidden = folder.with_name(f".withheld-{folder.name}")
    folder.rename(hidden)
    return (
        f"The evidence is withheld in {hidden}: {'; '.join(map(str, leaks))}. Remove or redact these files before sharing it."
    )


def _contents(content: bytes) -> Iterator[bytes]:
    yield content
    try:
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                small = [entry for entry in packed.infolist() if entry.file_size <= MOST_UNPACKED]
                yield from (packed.read(entry) for entry in small)
        elif content.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(content)) as unpacked:
                yield unpacked.read(MOST_UNPACKED)
        elif content.startswith(b"%PDF"):
            yield from _streams(content)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError):
        return  # not what its first bytes say: the bytes themselves were looked at


def _streams(pdf: bytes) -> Iterator[bytes]:
    for piece in pdf.split(b"stream")[1:]:
        try:
            yield zlib.decompressobj().decompress(piece.lstrip(b"\r\n"), MOST_UNPACKED)
        except zlib.error:
            continue
