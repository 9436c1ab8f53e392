"""Runs of the core as everybody outside the controller sees and steers them."""

import sqlite3
from dataclasses import dataclass

from engine.domain.exploration import (
    CancelCode,
    CellId,
    CellState,
    Node,
    RunState,
    RunStatus,
    StopCode,
    StopDetail,
)
from engine.domain.exploring import FrozenRequest
from engine.errors import NotFound, RequestRefused
from engine.store.chain import Event, append, events, verify
from engine.store.database import Database
from engine.store.ledger import Now


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One row of `explorations`; times in milliseconds since the epoch, None where not yet."""

    run_id: str
    requester: str
    agent_id: str
    request: FrozenRequest
    request_sha256: str
    state: RunState
    status: RunStatus | None
    stop_code: StopCode | None
    stop_detail: StopDetail | None
    cancel_code: CancelCode | None
    pause_requested: bool
    created_ms: int
    wall_started_ms: int | None
    paused_since_ms: int | None
    paused_ms: int
    ended_ms: int | None
    planned_cells: int
    planned_rounds: int
    finished_nodes: int
    baseline_score: float | None
    baseline_digest: str | None
    best_cell_id: str | None
    best_score: float | None
    improved: bool | None
    winner_cell_id: str | None
    isolated: bool

    @property
    def intact(self) -> bool:
        """The stored request still has the hash that was approved."""
        return self.request.sha256 == self.request_sha256

    def wall_used_ms(self, now_ms: int) -> int:
        """Wall time so far; queue, approval and paused time do not count."""
        if self.wall_started_ms is None:
            return 0
        until = self.ended_ms or self.paused_since_ms or now_ms
        return max(0, until - self.wall_started_ms - self.paused_ms)


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """How far a round is."""

    round: int
    planned: int
    ended: int
    valid: int
    best_score: float | None


@dataclass(frozen=True, slots=True)
class CellRecord:
    """One cell as the tree shows it."""

    cell_id: str
    state: CellState
    parent: str | None
    tries: int
    score: float | None
    fail_class: str | None
    feedback: str
    digest: str


class ExplorationStore:
    """Create, find, list, steer."""

    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now

    def create(self, run_id: str, request: FrozenRequest, *, approved: bool) -> None:
        """Write a new run: queued when `approved`, else pending approval."""
        with self._database.write() as connection:
            state = "queued" if approved else "pending_approval"
            connection.execute(
                "INSERT INTO explorations (run_id, requester, agent_id, request_json, request_sha256, state, created_ms)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    run_id, request.requester, request.task.assigned_to, request.model_dump_json(), request.sha256, state,
                    self._now(),
                ),
            )  # fmt: skip
            append(connection, run_id, self._now(), "run", target=state, body={"request_sha256": request.sha256})

    def get(self, run_id: str) -> RunRecord:
        """One run; raises NotFound."""
        with self._database.read() as connection:
            row = connection.execute("SELECT * FROM explorations WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise NotFound(f"no run {run_id}")
        return record(row)

    def list(self, *, agent_id: str | None = None, requester: str | None = None, limit: int = 100) -> tuple[RunRecord, ...]:
        """Newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM explorations WHERE (?1 IS NULL OR agent_id = ?1) AND (?2 IS NULL OR requester = ?2)"
                " ORDER BY created_ms DESC, rowid DESC LIMIT ?3",
                (agent_id, requester, limit),
            ).fetchall()
        return tuple(record(row) for row in rows)

    def open_runs(self) -> tuple[RunRecord, ...]:
        """Runs that have not ended, oldest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM explorations WHERE state <> 'terminal' ORDER BY created_ms, rowid"
            ).fetchall()
        return tuple(record(row) for row in rows)

    def cells(self, run_id: str, after: CellId | None = None, limit: int = 20_000) -> tuple[CellRecord, ...]:
        """Cells in the order round, branch, attempt, those after one of them."""
        start = (after.round, after.branch, after.attempt) if after else (0, 0, 0)
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT cell_id, state, parent, tries, score, fail_class, feedback, digest FROM cells"
                " WHERE run_id = ? AND (round, branch, attempt) > (?, ?, ?) ORDER BY round, branch, attempt LIMIT ?",
                (run_id, *start, limit),
            ).fetchall()
        return tuple(CellRecord(*row) for row in rows)

    def rounds(self, run_id: str) -> tuple[RoundRecord, ...]:
        """All rounds, at most a hundred."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT round, planned, ended, valid, best_score FROM rounds WHERE run_id = ? ORDER BY round", (run_id,)
            ).fetchall()
        return tuple(RoundRecord(*row) for row in rows)

    def events(self, run_id: str, after: int = 0, limit: int = 1000) -> tuple[Event, ...]:
        """What happened after a sequence number."""
        with self._database.read() as connection:
            return events(connection, run_id, after, limit)

    def last_event(self, run_id: str) -> int:
        """The sequence number of the newest event, 0 before the first."""
        with self._database.read() as connection:
            query = "SELECT coalesce(max(seq), 0) FROM exploration_events WHERE run_id = ?"
            found: int = connection.execute(query, (run_id,)).fetchone()[0]
            return found

    def verify(self, run_id: str) -> int:
        """Length of the unbroken chain of events; raises IntegrityChanged."""
        with self._database.read() as connection:
            return verify(connection, run_id)

    def note(self, run_id: str, kind: str, body: dict[str, object]) -> None:
        """Add an event that is no state change."""
        with self._database.write() as connection:
            append(connection, run_id, self._now(), kind, body=body)

    def move(self, run_id: str, target: RunState) -> None:
        """A state change from outside the controller: only `pending_approval → queued`."""
        with self._database.write() as connection:
            source = _state(connection, run_id)
            connection.execute("UPDATE explorations SET state = ? WHERE run_id = ?", (target, run_id))
            append(connection, run_id, self._now(), "run", source=source, target=target)

    def cancel(self, run_id: str, code: CancelCode) -> RunState:
        """Write the wish first. A run no controller has begun ends at once; any other ends when its controller sees it.

        Raises RequestRefused already_terminal; a second cancel changes nothing.
        """
        with self._database.write() as connection:
            source = _state(connection, run_id)
            if source == "terminal":
                raise RequestRefused("already_terminal", f"run {run_id} has already ended")
            connection.execute(
                "UPDATE explorations SET cancel_code = coalesce(cancel_code, ?) WHERE run_id = ?", (code, run_id)
            )
            append(connection, run_id, self._now(), "cancel", body={"cancel_code": code})
            if source in ("pending_approval", "queued"):
                connection.execute(
                    "UPDATE explorations SET state = 'terminal', status = 'cancelled', ended_ms = ? WHERE run_id = ?",
                    (self._now(), run_id),
                )
                append(connection, run_id, self._now(), "run", source=source, target="terminal", body={"status": "cancelled"})
                return "terminal"
            return source

    def pause(self, run_id: str, wanted: bool) -> RunState:
        """Ask the controller to pause or go on; raises RequestRefused already_terminal or not_available."""
        with self._database.write() as connection:
            source = _state(connection, run_id)
            if source == "terminal":
                if not wanted and self.get(run_id).status == "interrupted":
                    why = f"run {run_id} was interrupted and cannot be taken up again; a run with fork_of begins at its best"
                    raise RequestRefused("not_available", why)
                raise RequestRefused("already_terminal", f"run {run_id} has already ended")
            if source not in ("exploring", "paused"):
                raise RequestRefused("not_available", f"run {run_id} is {source}; only an exploring run can be paused")
            connection.execute("UPDATE explorations SET pause_requested = ? WHERE run_id = ?", (wanted, run_id))
            append(connection, run_id, self._now(), "pause" if wanted else "resume")
            return source


def _state(connection: sqlite3.Connection, run_id: str) -> RunState:
    row = connection.execute("SELECT state FROM explorations WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        raise NotFound(f"no run {run_id}")
    state: RunState = row["state"]
    return state


def record(row: sqlite3.Row) -> RunRecord:
    """A row as a record."""
    fields = dict(zip(row.keys(), row, strict=True))
    request = FrozenRequest.model_validate_json(fields.pop("request_json"))
    for flag in ("pause_requested", "isolated"):
        fields[flag] = bool(fields[flag])
    fields["improved"] = None if fields["improved"] is None else bool(fields["improved"])
    return RunRecord(request=request, **fields)


def node(row: sqlite3.Row) -> Node:
    """A finished cell's row as a node."""
    return Node(
        CellId(row["round"], row["branch"], row["attempt"]), row["state"], row["score"], row["feedback"], row["digest"],
        CellId.parse(row["parent"]) if row["parent"] else None, row["finished"] or 0,
    )  # fmt: skip


def open_cells(connection: sqlite3.Connection, run_id: str) -> dict[str, int]:
    """How many cells of a run are in each of these states."""
    found = connection.execute(
        "SELECT state, count(*) FROM cells WHERE run_id = ?"
        " AND state IN ('planned', 'waiting_slot', 'preparing', 'running', 'sealing', 'evaluating') GROUP BY state",
        (run_id,),
    )
    return {row[0]: row[1] for row in found}
