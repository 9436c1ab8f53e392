"""Append-only events of a run, each hashed with the one before it."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from engine.errors import IntegrityChanged


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a run: a state change (`source` → `target`) or a note, with a small JSON body."""

    seq: int
    at_ms: int
    kind: str
    subject: str
    source: str
    target: str
    body: str
    hash: str


def append(
    connection: sqlite3.Connection,
    run_id: str,
    at_ms: int,
    kind: str,
    *,
    subject: str = "run",
    source: str = "",
    target: str = "",
    body: Mapping[str, object] | None = None,
) -> None:
    """Add one event to the end of the run's chain, inside the caller's transaction."""
    last = connection.execute(
        "SELECT seq, hash FROM exploration_events WHERE run_id = ? ORDER BY seq DESC LIMIT 1", (run_id,)
    ).fetchone()
    seq, before = (last["seq"] + 1, last["hash"]) if last else (1, run_id)
    text = json.dumps(body or {}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    link = _link(before, seq, at_ms, kind, subject, source, target, text)
    connection.execute(
        "INSERT INTO exploration_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (run_id, seq, at_ms, kind, subject, source, target, text, link),
    )


def events(connection: sqlite3.Connection, run_id: str, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
    """Events after a sequence number, oldest first."""
    rows = connection.execute(
        "SELECT seq, at_ms, kind, subject, source, target, body, hash FROM exploration_events"
        " WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?",
        (run_id, after, limit),
    )
    return tuple(Event(*row) for row in rows)


def verify(connection: sqlite3.Connection, run_id: str) -> int:
    """The number of events of an unbroken chain; raises IntegrityChanged at the first that does not follow."""
    before, count = run_id, 0
    for row in connection.execute("SELECT * FROM exploration_events WHERE run_id = ? ORDER BY seq", (run_id,)):
        count += 1
        link = _link(before, count, row["at_ms"], row["kind"], row["subject"], row["source"], row["target"], row["body"])
        if row["seq"] != count or row["hash"] != link:
            raise IntegrityChanged(f"the record of run {run_id} was changed at event {count}")
        before = link
    return count


def _link(before: str, *fields: str | int) -> str:
    return hashlib.sha256(json.dumps([before, *fields], ensure_ascii=False).encode()).hexdigest()
