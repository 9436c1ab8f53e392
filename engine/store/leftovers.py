"""Folders whose removal could not be confirmed: they block new work until they are swept."""

from collections.abc import Callable
from pathlib import Path

from engine.store.database import Database
from engine.store.ledger import Now


class Leftovers:
    """A list of paths."""

    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now

    def add(self, path: Path) -> None:
        """Something of it is still there."""
        with self._database.write() as connection:
            connection.execute("INSERT OR IGNORE INTO leftovers VALUES (?, ?)", (str(path), self._now()))

    def sweep(self, remove: Callable[[Path], bool]) -> tuple[Path, ...]:
        """Try again; returns what is still left."""
        with self._database.read() as connection:
            paths = [Path(row["path"]) for row in connection.execute("SELECT path FROM leftovers ORDER BY path")]
        left = tuple(path for path in paths if not remove(path))
        gone = [(str(path),) for path in paths if path not in left]
        if gone:
            with self._database.write() as connection:
                connection.executemany("DELETE FROM leftovers WHERE path = ?", gone)
        return left
