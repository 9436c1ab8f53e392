"""The list of runs: started, finished, found again."""

import sqlite3
import time
from datetime import UTC, datetime

from engine.domain.frozen import Frozen
from engine.domain.run import Goal, RunResult, RunStatus, StopReason
from engine.errors import NotFound, StoreError
from engine.store.database import Database
from engine.store.effects import hold, let_go


class RunRow(Frozen):
    """One run as the list shows it; `result` is None while it is running or when it was interrupted."""

    run_id: str
    goal: str
    target: str
    model: str
    status: RunStatus
    stop_reason: StopReason | None
    started_at: datetime
    ended_at: datetime | None
    evidence: str
    manifest_head: str | None
    result: RunResult | None


class RunStore:
    """Runs by id, newest first."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, run_id: str, goal: Goal, *, model: str, evidence: str) -> None:
        """Write that a run begins; raises StoreError when the id is taken."""
        with self._database.write() as connection:
            hold(self._database, run_id, time.time())
            connection.execute(
                "INSERT INTO runs (run_id, goal, target, model, status, started_at, evidence) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (run_id, goal.text, goal.target, model, "running", datetime.now(UTC).isoformat(), evidence),
            )

    def finish(self, result: RunResult) -> None:
        """Write how it ended, once; raises NotFound for an unknown id and StoreError for one that has ended."""
        with self._database.write() as connection:
            row = connection.execute("SELECT ended_at FROM runs WHERE run_id = ?", (result.run_id,)).fetchone()
            if row is None:
                raise NotFound(f"no run {result.run_id}")
            if row["ended_at"] is not None:
                raise StoreError(f"run {result.run_id} has already ended")
            connection.execute(
                "UPDATE runs SET status = ?, stop_reason = ?, ended_at = ?, model = ?, result_json = ? WHERE run_id = ?",
                (
                    result.status, result.stop_reason, datetime.now(UTC).isoformat(), result.model,
                    result.model_dump_json(), result.run_id,
                ),
            )  # fmt: skip
            let_go(connection, result.run_id)

    def set_manifest_head(self, run_id: str, head: str) -> None:
        """Write the last hash of the evidence's manifest; raises NotFound."""
        with self._database.write() as connection:
            changed = connection.execute("UPDATE runs SET manifest_head = ? WHERE run_id = ?", (head, run_id))
            if changed.rowcount != 1:
                raise NotFound(f"no run {run_id}")

    def get(self, run_id: str) -> RunRow:
        """One run; raises NotFound."""
        with self._database.read() as connection:
            row = connection.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise NotFound(f"no run {run_id}")
        return _parsed(row)

    def list(self, *, limit: int = 100, before: datetime | None = None) -> tuple[RunRow, ...]:
        """Newest first, at most `limit`, those that started before a moment."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM runs WHERE ? IS NULL OR started_at < ? ORDER BY started_at DESC, rowid DESC LIMIT ?",
                (before and before.isoformat(), before and before.isoformat(), limit),
            ).fetchall()
        return tuple(_parsed(row) for row in rows)


def _parsed(row: sqlite3.Row) -> RunRow:
    fields = {name: row[name] for name in row.keys() if name != "result_json"}  # noqa: SIM118 - a Row iterates values
    result = RunResult.model_validate_json(row["result_json"]) if row["result_json"] else None
    return RunRow.model_validate({**fields, "result": result})
