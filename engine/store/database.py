"""One SQLite file: how it is opened, migrated, read and written."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from queue import Empty, LifoQueue

from engine.errors import IllegalTransition, StoreError
from engine.store.migrations import SCHEMA, migrate

BUSY_SECONDS = 10.0


class Database:
    """A pool of connections to one file; readers see a snapshot, writers take turns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._writing: ContextVar[tuple[int, sqlite3.Connection] | None] = ContextVar("writing", default=None)

    @classmethod
    def open(cls, path: Path, *, schema: Path = SCHEMA) -> "Database":
        """Create or open the file and bring its schema up to date.

        Raises StoreNewer when a newer engine wrote it, StoreError when it is no database or its schema was changed by hand.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        database = cls(path)
        with _translated(path):
            connection = database._connect()
            try:
                _use_wal(connection)
                path.chmod(0o600)  # by name: opening the file ourselves would drop SQLite's lock when closed
                migrate(connection, schema)
            finally:
                database._idle.put(connection)
        return database

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A consistent snapshot; inside a `write()` of the same task, its connection."""
        held = self._writing.get()
        if held is not None and held[0] == threading.get_ident():
            yield held[1]
            return
        with _translated(self.path), self._borrowed() as connection, _transaction(connection, "BEGIN"):
            yield connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One writer transaction, all or nothing; a nested `write()` of the same task joins it. Never await inside."""
        held = self._writing.get()
        if held is not None and held[0] == threading.get_ident():
            yield held[1]
            return
        with _translated(self.path), self._borrowed() as connection:
            token = self._writing.set((threading.get_ident(), connection))
            try:
                with _transaction(connection, "BEGIN IMMEDIATE"):
                    yield connection
            finally:
                self._writing.reset(token)

    def backup(self, target: Path) -> None:
        """Copy the database, as of now, to a new file; raises StoreError when the target exists."""
        if target.exists():
            raise StoreError(f"{target} exists; a backup never overwrites a file")
        with _translated(self.path), self._borrowed() as connection:
            copy = sqlite3.connect(target)
            try:
                connection.backup(copy)
            finally:
                copy.close()
            target.chmod(0o600)

    def close(self) -> None:
        """Close every idle connection."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._idle.get_nowait()
        except Empty:
            connection = self._connect()
        try:
            yield connection
        finally:
            self._idle.put(connection)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA trusted_schema = OFF")
        return connection


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    if connection.in_transaction:
        try:
            connection.execute("COMMIT")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Say SQLite's errors in our own words: a refused edge is an IllegalTransition, the rest a StoreError."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        if str(error).startswith("illegal"):
            raise IllegalTransition(str(error)) from error
        raise StoreError(f"{path}: {error}") from error
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}") from error


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch to WAL once; SQLite's own busy wait does not cover two processes switching at the same moment."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        if time.monotonic() > until:
            raise StoreError("this file system does not allow SQLite's write-ahead log")
        time.sleep(0.01)
