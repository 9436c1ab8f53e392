"""What the controller of one run writes, every transaction checked against its lease's fencing epoch."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engine.domain.cost import Admission, Admitted, Refused
from engine.domain.evaluation import Scoring
from engine.domain.exploration import (
    MAX_CELLS,
    NODE_STATES,
    SIGHT,
    CellId,
    CellState,
    Direction,
    Node,
    RunState,
    RunStatus,
    StopCode,
    StopDetail,
)
from engine.domain.usage import Usage
from engine.errors import IllegalTransition
from engine.store.chain import append
from engine.store.database import Database
from engine.store.explorations import RunRecord, node, open_cells, record
from engine.store.leases import Lease, fence
from engine.store.ledger import Ledger, Now

_STAMPS: dict[str, str] = {"preparing": ", wall_started_ms = :now", "paused": ", paused_since_ms = :now"}
_FATES = {
    "planned": "skipped", "waiting_slot": "skipped", "preparing": "void", "running": "void", "sealing": "void",
    "evaluating": "not_evaluated",
}  # fmt: skip
_WENT_ON = ", paused_ms = paused_ms + :now - paused_since_ms, paused_since_ms = NULL"


@dataclass(frozen=True, slots=True)
class Given:
    """What an attempt is given: its parent, how many finished nodes it may see, and the hash of its prompt."""

    parent: CellId | None
    sight: int
    prompt_sha256: str


class RunBook:
    """Writes under one lease. Raises LeaseLost as soon as somebody else owns the run; then nothing was written."""

    def __init__(self, database: Database, ledger: Ledger, lease: Lease, run_id: str, direction: Direction, now: Now) -> None:
        self.run_id = run_id
        self.direction = direction
        self.lease = lease
        self.ledger = ledger
        self._database = database
        self._now = now

    def record(self) -> RunRecord:
        """The run's row as it is now."""
        with self._database.read() as connection:
            return record(connection.execute("SELECT * FROM explorations WHERE run_id = ?", (self.run_id,)).fetchone())

    def wishes(self) -> tuple[RunState, bool, bool]:
        """The run's state, and whether somebody wants it cancelled or paused."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT state, cancel_code IS NOT NULL AS cancel, pause_requested FROM explorations WHERE run_id = ?",
                (self.run_id,),
            ).fetchone()
        return row["state"], bool(row["cancel"]), bool(row["pause_requested"])

    def wall_used_ms(self) -> int:
        """Wall time so far, without what was paused."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT wall_started_ms, coalesce(paused_since_ms, ?) - paused_ms AS until FROM explorations WHERE run_id = ?",
                (self._now(), self.run_id),
            ).fetchone()
        return int(row["until"] - row["wall_started_ms"]) if row["wall_started_ms"] is not None else 0

    def move(self, target: RunState) -> None:
        """The run's next state."""
        with self._fenced() as connection:
            source = connection.execute("SELECT state FROM explorations WHERE run_id = ?", (self.run_id,)).fetchone()["state"]
            extra = _WENT_ON if source == "paused" else _STAMPS.get(target, "")
            connection.execute(
                f"UPDATE explorations SET state = :target{extra} WHERE run_id = :run",
                {"target": target, "run": self.run_id, "now": self._now()},
            )
            self._append(connection, "run", source=source, target=target)

    def baseline(self, scoring: Scoring, digest: str) -> None:
        """What the starting point is worth."""
        with self._fenced() as connection:
            connection.execute(
                "UPDATE explorations SET baseline_score = ?, baseline_digest = ?, isolated = min(isolated, ?) WHERE run_id = ?",
                (scoring.score, digest, scoring.isolated, self.run_id),
            )
            body = {"fail_class": scoring.fail_class, "score": scoring.score, "digest": digest}
            self._append(connection, "baseline", body=body)

    def plan(self, round_number: int, cells: Sequence[tuple[CellId, int]]) -> None:
        """Add cells with their seeds to a round, all or none; raises IllegalTransition above 20,000 in a run."""
        with self._fenced() as connection:
            row = connection.execute("SELECT planned_cells FROM explorations WHERE run_id = ?", (self.run_id,)).fetchone()
            if row["planned_cells"] + len(cells) > MAX_CELLS:
                raise IllegalTransition(f"run {self.run_id} would have more than {MAX_CELLS:,} cells")
            connection.executemany(
                "INSERT INTO cells (run_id, cell_id, round, branch, attempt, state, seed) VALUES (?, ?, ?, ?, ?, 'planned', ?)",
                [(self.run_id, str(cell), cell.round, cell.branch, cell.attempt, seed) for cell, seed in cells],
            )
            connection.execute(
                "INSERT INTO rounds (run_id, round, planned) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET planned = planned + excluded.planned",
                (self.run_id, round_number, len(cells)),
            )
            connection.execute(
                "UPDATE explorations SET planned_cells = planned_cells + ?, planned_rounds = max(planned_rounds, ?)"
                " WHERE run_id = ?",
                (len(cells), round_number, self.run_id),
            )
            self._append(connection, "plan", subject=f"r{round_number}", body={"cells": len(cells)})

    def wait(self, cell: CellId) -> None:
        """planned → waiting_slot."""
        with self._fenced() as connection:
            self._step(connection, cell, "waiting_slot")

    def admit(self, cell: CellId, bound: int | None, until_ms: int, given: Given | None) -> Admission:
        """Hold money for one call and go to `preparing`, in one transaction; a refusal writes nothing.

        The first time, `given` freezes what the attempt is given; a retry is given the same.
        """
        with self._fenced() as connection:
            if self._now() >= until_ms:
                return Refused("wall")
            admission = self.ledger.admit(self.run_id, str(cell), bound)
            if given is not None and isinstance(admission, Admitted):
                connection.execute(
                    "UPDATE cells SET parent = ?, sight = ?, prompt_sha256 = ? WHERE run_id = ? AND cell_id = ?",
                    (given.parent and str(given.parent), given.sight, given.prompt_sha256, self.run_id, str(cell)),
                )
            if isinstance(admission, Admitted):
                body = {"call": admission.call_id, "reserved": admission.reserved}
                self._step(connection, cell, "preparing", body=body, sets="tries = tries + 1")
            return admission

    def step(self, cell: CellId, target: CellState) -> None:
        """A state change that carries nothing."""
        with self._fenced() as connection:
            self._step(connection, cell, target)

    def settle(self, cell: CellId, call_id: int, usage: Usage | None, model: str, target: CellState | None) -> None:
        """Charge the call, or release it when `usage` is None: it was never made; and go on to `target`."""
        with self._fenced() as connection:
            if usage is None:
                self.ledger.release(call_id)
                charged = 0
            else:
                charged = self.ledger.settle(call_id, usage, model=model)
            if target is None:
                return
            if target in NODE_STATES:
                self._end(connection, cell, target, None, body={"charged": charged})
            else:
                self._step(connection, cell, target, body={"charged": charged})

    def score(self, cell: CellId, target: CellState, scoring: Scoring, *, best: bool = False) -> Node:
        """The end of a cell that was looked at, in one transaction with its being the best so far.

        A node, unless it could not be evaluated.
        """
        with self._fenced() as connection:
            if not scoring.isolated:
                connection.execute("UPDATE explorations SET isolated = 0 WHERE run_id = ?", (self.run_id,))
            self._end(connection, cell, target, scoring)
            if best:
                self._best(connection, cell, scoring.score)
            return self.node(cell)

    def end(self, cell: CellId, target: CellState) -> Node:
        """The end of a cell that nobody scored."""
        with self._fenced() as connection:
            self._end(connection, cell, target, None)
            return self.node(cell)

    def node(self, cell: CellId) -> Node:
        """A cell as a node."""
        with self._database.read() as connection:
            return node(self._row(connection, cell))

    def sealed(self, cell: CellId, digest: str) -> None:
        """sealing → evaluating, with the digest of what was sealed; part of the transaction that writes the artifact's row."""
        with self._fenced() as connection:
            connection.execute("UPDATE cells SET digest = ? WHERE run_id = ? AND cell_id = ?", (digest, self.run_id, str(cell)))
            self._step(connection, cell, "evaluating", body={"digest": digest})

    def note(self, kind: str, body: Mapping[str, object], subject: str = "run") -> None:
        """An event that is no state change."""
        with self._fenced() as connection:
            self._append(connection, kind, subject=subject, body=body)

    def finalists(self, limit: int = 3) -> tuple[Node, ...]:
        """The best valid nodes, the first of equals first."""
        order = "DESC" if self.direction == "max" else "ASC"
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM cells WHERE run_id = ? AND score IS NOT NULL ORDER BY score {order}, finished LIMIT ?",
                (self.run_id, limit),
            ).fetchall()
        return tuple(node(row) for row in rows)

    def seen(self, sight: int, limit: int = SIGHT) -> tuple[Node, ...]:
        """What a cell with that sight may be shown: nodes finished by then, the best first, then the latest.

        The plus keeps SQLite on the index by score, which gives the first eight at once however many nodes there are.
        """
        order = "DESC" if self.direction == "max" else "ASC"
        with self._database.read() as connection:
            valid = connection.execute(
                f"SELECT * FROM cells WHERE run_id = ? AND score IS NOT NULL AND +finished <= ?"
                f" ORDER BY score {order}, finished LIMIT ?",
                (self.run_id, sight, limit),
            ).fetchall()
            rest = connection.execute(
                "SELECT * FROM cells WHERE run_id = ? AND finished <= ? AND score IS NULL ORDER BY finished DESC LIMIT ?",
                (self.run_id, sight, limit - len(valid)),
            ).fetchall() if len(valid) < limit else []  # fmt: skip
        return tuple(node(row) for row in [*valid, *rest])

    def finish(
        self,
        status: RunStatus,
        *,
        code: StopCode | None = None,
        detail: StopDetail | None = None,
        winner: CellId | None = None,
        improved: bool | None = None,
    ) -> RunStatus:
        """End the run and everything of it that is open, in one transaction; a cancel that was written first prevails."""
        with self._fenced() as connection:
            row = connection.execute("SELECT * FROM explorations WHERE run_id = ?", (self.run_id,)).fetchone()
            if row["cancel_code"] is not None:
                status, code, detail = "cancelled", None, None
            self._close_open(connection, status)
            connection.execute(
                "UPDATE explorations SET state = 'terminal', status = ?, stop_code = ?, stop_detail = ?, winner_cell_id = ?,"
                " improved = ?, ended_ms = ?, paused_ms = paused_ms + coalesce(? - paused_since_ms, 0), paused_since_ms = NULL"
                " WHERE run_id = ?",
                (status, code, detail, str(winner) if winner else None, improved, self._now(), self._now(), self.run_id),
            )
            body = {"status": status, "stop_code": code, "stop_detail": detail, "winner": str(winner) if winner else None}
            self._append(connection, "run", source=row["state"], target="terminal", body=body)
            return status

    def _close_open(self, connection: sqlite3.Connection, status: RunStatus) -> None:
        """Cells not begun are skipped, halfway ones void, sealed ones not evaluated, all cancelled by a cancel; calls in flight
        are liabilities."""
        cancelled = status == "cancelled"
        orphans = self.ledger.orphan(self.run_id)
        for state, count in open_cells(connection, self.run_id).items():
            fate = "cancelled" if cancelled else _FATES[state]
            connection.execute(
                "UPDATE cells SET state = ? WHERE run_id = ? AND state = ?"
                " AND state IN ('planned', 'waiting_slot', 'preparing', 'running', 'sealing', 'evaluating')",
                (fate, self.run_id, state),
            )
            self._append(connection, "cells", subject="cells", source=state, target=fate, body={"count": count})
        connection.execute("UPDATE rounds SET ended = planned WHERE run_id = ?", (self.run_id,))
        if orphans:
            self._append(connection, "orphans", body={"calls": orphans})

    def _best(self, connection: sqlite3.Connection, cell: CellId, score: float | None) -> None:
        connection.execute(
            "UPDATE explorations SET best_cell_id = ?, best_score = ? WHERE run_id = ?", (str(cell), score, self.run_id)
        )
        connection.execute("UPDATE rounds SET best_score = ? WHERE run_id = ? AND round = ?", (score, self.run_id, cell.round))
        self._append(connection, "best", subject=str(cell), body={"score": score})

    def _end(
        self, connection: sqlite3.Connection, cell: CellId, target: CellState, scoring: Scoring | None,
        body: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        """Write a cell's last state; nodes get their place in the order of finishing."""
        finished = None
        if target in NODE_STATES:
            finished = connection.execute(
                "UPDATE explorations SET finished_nodes = finished_nodes + 1 WHERE run_id = ? RETURNING finished_nodes",
                (self.run_id,),
            ).fetchone()[0]
        score = scoring.score if scoring else None
        fail_class, feedback = (scoring.fail_class, scoring.feedback) if scoring else (target, "")
        self._step(
            connection, cell, target, body={"score": score, "fail_class": fail_class, **(body or {})},
            sets="score = ?, fail_class = ?, feedback = ?, finished = ?", values=(score, fail_class, feedback, finished),
        )  # fmt: skip

    def _step(
        self, connection: sqlite3.Connection, cell: CellId, target: CellState, *,
        body: Mapping[str, object] | None = None, sets: str = "", values: tuple[object, ...] = (),
    ) -> None:  # fmt: skip
        source = self._row(connection, cell)["state"]
        extra = f", {sets}" if sets else ""
        connection.execute(
            f"UPDATE cells SET state = ?{extra} WHERE run_id = ? AND cell_id = ?", (target, *values, self.run_id, str(cell))
        )
        self._append(connection, "cell", subject=str(cell), source=source, target=target, body=body)
        if target in NODE_STATES or target in ("not_evaluated", "infra_failed", "cancelled", "skipped", "void"):
            connection.execute(
                "UPDATE rounds SET ended = ended + 1, valid = valid + ? WHERE run_id = ? AND round = ?",
                (target == "valid", self.run_id, cell.round),
            )

    def _row(self, connection: sqlite3.Connection, cell: CellId) -> sqlite3.Row:
        row: sqlite3.Row | None = connection.execute(
            "SELECT * FROM cells WHERE run_id = ? AND cell_id = ?", (self.run_id, str(cell))
        ).fetchone()
        if row is None:
            raise IllegalTransition(f"illegal: cell {cell} was never planned in run {self.run_id}")
        return row

    def _append(
        self, connection: sqlite3.Connection, kind: str, *, subject: str = "run", source: str = "", target: str = "",
        body: Mapping[str, object] | None = None,
    ) -> None:  # fmt: skip
        append(connection, self.run_id, self._now(), kind, subject=subject, source=source, target=target, body=body)

    @contextmanager
    def _fenced(self) -> Iterator[sqlite3.Connection]:
        with self._database.write() as connection:
            fence(connection, self.lease)
            yield connection
