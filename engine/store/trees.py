"""Reads, copies and removes folders without ever following a link."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.domain.sealed import Entry, Manifest
from engine.errors import IntegrityChanged, TreeRefused

MAX_FILES = 4_096
MAX_TREE_BYTES = 1 << 30
CHUNK = 1 << 20
_DIR = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_tree(root: Path) -> Manifest:
    """The manifest of a folder.

    Raises TreeRefused for links (also hard links), devices, sockets, pipes, names that are no UTF-8, and more than 4,096
    files or 1 GiB; OSError when the folder cannot be read.
    """
    entries: list[Entry] = []
    with _opened(root, _DIR) as folder:
        _collect(folder, "", entries)
    return Manifest.of(entries)


def copy_tree(source: Path, target: Path, manifest: Manifest, *, durable: bool = False) -> None:
    """Copy the entries of a manifest into a new folder; raises IntegrityChanged when the source differs from it.

    `durable`: it survives a loss of power once this returns.
    """
    target.mkdir(parents=True, exist_ok=True)
    for entry in manifest.entries:
        if entry.type == "dir":
            (target / entry.path).mkdir(parents=True, exist_ok=True)
            continue
        with open_inside(source, entry.path) as fd:
            _copy_file(fd, target / entry.path, entry, durable)
    if not durable:
        return
    for folder in [target, *(target / entry.path for entry in manifest.entries if entry.type == "dir")]:
        sync_folder(folder)


def read_file(root: Path, entry: Entry) -> bytes:
    """The bytes of one sealed file, read without following links and checked before and after; raises IntegrityChanged."""
    with open_inside(root, entry.path) as fd:
        before = os.fstat(fd)
        content = b"".join(_chunks(fd))
        after = os.fstat(fd)
    odd = not stat.S_ISREG(before.st_mode) or before.st_nlink != 1
    moved = (before.st_ino, before.st_size, before.st_mtime_ns, before.st_nlink) != (
        after.st_ino, after.st_size, after.st_mtime_ns, after.st_nlink,
    )  # fmt: skip
    if odd or moved or len(content) != entry.size or hashlib.sha256(content).hexdigest() != entry.sha256:
        raise IntegrityChanged(f"{entry.path} is not what was sealed")
    return content


def remove_tree(root: Path) -> bool:
    """Remove a folder and all in it; False when something of it is still there."""
    if root.is_symlink():
        root.unlink(missing_ok=True)
    elif root.exists():
        shutil.rmtree(root, ignore_errors=True)
    return not os.path.lexists(root)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    with _opened(folder, _DIR) as fd:
        os.fsync(fd)


@contextmanager
def open_inside(root: Path, path: str) -> Iterator[int]:
    """A file descriptor for reading, opened part by part from `root`; raises IntegrityChanged at a link or a missing part."""
    *folders, name = path.split("/")
    if not name or "." in folders or ".." in [*folders, name] or name == ".":
        raise IntegrityChanged(f"{path!r} is no path inside a sealed tree")
    opened: list[int] = []
    try:
        opened.append(os.open(root, _DIR))
        for part in folders:
            opened.append(os.open(part, _DIR, dir_fd=opened[-1]))
        opened.append(os.open(name, _FILE, dir_fd=opened[-1]))
        yield opened[-1]
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IntegrityChanged(f"{path} is missing") from error
    except OSError as error:
        raise IntegrityChanged(f"{path} cannot be read as sealed: {error.strerror}") from error
    finally:
        for fd in opened:
            os.close(fd)


def _collect(folder: int, prefix: str, entries: list[Entry]) -> None:
    for name in os.listdir(folder):
        path = prefix + name
        try:
            path.encode("utf-8")
        except UnicodeEncodeError:
            raise TreeRefused("foreign", f"a name in {prefix or '.'} is not UTF-8") from None
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if stat.S_ISDIR(kind):
            entries.append(Entry(path, "dir"))
            with _opened(name, _DIR, folder) as inner:
                _collect(inner, path + "/", entries)
        elif stat.S_ISREG(kind):
            with _opened(name, _FILE, folder) as fd:
                entries.append(_entry(fd, path))
        else:
            raise TreeRefused("foreign", f"{path} is neither a file nor a folder")
        if len(entries) > MAX_FILES:
            raise TreeRefused("limit", f"more than {MAX_FILES:,} files and folders")


def _entry(fd: int, path: str) -> Entry:
    known = os.fstat(fd)
    if known.st_nlink != 1:
        raise TreeRefused("foreign", f"{path} has {known.st_nlink} names")
    if known.st_size > MAX_TREE_BYTES:
        raise TreeRefused("limit", f"{path} is larger than {MAX_TREE_BYTES:,} bytes")
    digest, size = hashlib.sha256(), 0
    for chunk in _chunks(fd):
        digest.update(chunk)
        size += len(chunk)
    return Entry(path, "file", size, digest.hexdigest(), bool(known.st_mode & stat.S_IXUSR))


def _copy_file(fd: int, target: Path, entry: Entry, durable: bool) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    mode = 0o755 if entry.executable else 0o644
    out = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(out, "wb") as sink:
        for chunk in _chunks(fd):
            digest.update(chunk)
            size += len(chunk)
            sink.write(chunk)
        if durable:
            sink.flush()
            os.fsync(out)
    if size != entry.size or digest.hexdigest() != entry.sha256:
        raise IntegrityChanged(f"{entry.path} changed while it was copied")


def _chunks(fd: int) -> Iterator[bytes]:
    while chunk := os.read(fd, CHUNK):
        yield chunk


@contextmanager
def _opened(path: Path | str, flags: int, folder: int | None = None) -> Iterator[int]:
    try:
        fd = os.open(path, flags, dir_fd=folder)
    except OSError as error:
        if folder is None:
            raise
        raise TreeRefused("foreign", f"{path} cannot be opened: {error.strerror}") from error
    try:
        yield fd
    finally:
        os.close(fd)
