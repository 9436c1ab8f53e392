"""Decisions about versions of capabilities: rows that are only ever added; the last one of a version counts."""

import sqlite3
from datetime import datetime

from engine.domain.review import ReviewRow
from engine.store.database import Database


class ReviewStore:
    """The book of decisions. The schema refuses illegal edges and a second approved version with IllegalTransition."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, *rows: ReviewRow) -> None:
        """Write decisions in this order, all or none."""
        with self._database.write() as connection:
            for row in rows:
                connection.execute(
                    "INSERT INTO reviews (capability, version, digest, decision, by_name, at, comment) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (row.capability, row.version, row.digest, row.decision, row.by, row.at.isoformat(), row.comment),
                )

    def last(self, capability: str, version: str) -> ReviewRow | None:
        """The decision that counts for a version, or None."""
        rows = self.history(capability, version)
        return rows[-1] if rows else None

    def history(self, capability: str, version: str | None = None) -> tuple[ReviewRow, ...]:
        """All decisions about a capability, or about one version, oldest first."""
        query = "SELECT * FROM reviews WHERE capability = ? AND (? IS NULL OR version = ?) ORDER BY number"
        with self._database.read() as connection:
            return tuple(map(_parsed, connection.execute(query, (capability, version, version))))

    def approved(self, capability: str) -> ReviewRow | None:
        """The decision that makes the one approved version, or None."""
        last = {row.version: row for row in self.history(capability)}
        return next((row for row in last.values() if row.decision == "approved"), None)


def _parsed(row: sqlite3.Row) -> ReviewRow:
    return ReviewRow(
        capability=row["capability"],
        version=row["version"],
        digest=row["digest"],
        decision=row["decision"],
        by=row["by_name"],
        at=datetime.fromisoformat(row["at"]),
        comment=row["comment"],
    )
