"""Brings a database to the schema of this engine, one numbered SQL file after the other, and checks that it is that schema."""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import StoreError, StoreNewer

SCHEMA = Path(__file__).parent / "schema"

_BOOK = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL, fingerprint TEXT NOT NULL
) STRICT
"""


@dataclass(frozen=True)
class Migration:
    """One file `NNN_name.sql`."""

    number: int
    name: str
    sql: str

    @property
    def sha256(self) -> str:
        """Hash of the file's text."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations(folder: Path) -> tuple[Migration, ...]:
    """The migrations of a folder, in order of their numbers; raises StoreError when two share one."""
    found = [
        Migration(int(match[1]), match[2], path.read_text("utf-8"))
        for path in folder.glob("*.sql")
        if (match := re.fullmatch(r"(\d{3})_(\w+)\.sql", path.name))
    ]
    numbers = [migration.number for migration in found]
    if len(numbers) != len(set(numbers)):
        raise StoreError(f"two migrations in {folder} have the same number")
    return tuple(sorted(found, key=lambda migration: migration.number))


def migrate(connection: sqlite3.Connection, folder: Path) -> None:
    """Apply what is missing, in one transaction; the schema found must be the one that was left here."""
    known = migrations(folder)
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_BOOK)
        applied = connection.execute("SELECT * FROM schema_migrations ORDER BY applied_at, number").fetchall()
        _check(connection, known, applied)
        done = {row["number"] for row in applied}
        for migration in known:
            if migration.number not in done:
                _apply(connection, migration)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def fingerprint(connection: sqlite3.Connection) -> str:
    """Hash of every table, index and trigger as SQLite holds them."""
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type, name"
    )
    return hashlib.sha256("\n".join(f"{row[0]} {row[1]} {row[2]}" for row in rows).encode()).hexdigest()


def _check(connection: sqlite3.Connection, known: tuple[Migration, ...], applied: list[sqlite3.Row]) -> None:
    ours = {migration.number: migration for migration in known}
    for row in applied:
        mine = ours.get(row["number"])
        if mine is None:
            raise StoreNewer(f"the database holds migration {row['number']:03} {row['name']}; update the engine to use it")
        if mine.sha256 != row["sha256"]:
            raise StoreError(f"migration {mine.number:03}_{mine.name}.sql was changed after it was applied to this database")
    if applied and fingerprint(connection) != applied[-1]["fingerprint"]:
        raise StoreError("the schema of this database was changed by hand; restore it from a backup")


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    for statement in _statements(migration.sql):
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_migrations VALUES (?, ?, ?, ?, ?)",
        (migration.number, migration.name, migration.sha256, datetime.now(UTC).isoformat(), fingerprint(connection)),
    )


def _statements(sql: str) -> Iterator[str]:
    """Single statements, so that all of them run inside our transaction; triggers keep their inner semicolons."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        raise StoreError(f"a migration ends in the middle of a statement: {pending.strip()[:80]}")
