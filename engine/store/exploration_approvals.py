"""Approvals of frozen requests: pending until a person decides in time, and worth nothing without their receipt."""

import hashlib
import json
import sqlite3
from dataclasses import dataclass

from engine.domain.exploration import APPROVAL_SECONDS, ApprovalState
from engine.errors import NotFound, RequestRefused
from engine.store.database import Database
from engine.store.explorations import ExplorationStore
from engine.store.ledger import Now


@dataclass(frozen=True, slots=True)
class Receipt:
    """Who decided what about which request, and when; `hash` covers all of it."""

    approval_id: str
    request_sha256: str
    approve: bool
    decided_by: str
    decided_ms: int
    comment: str
    hash: str

    @property
    def genuine(self) -> bool:
        """The hash fits the fields."""
        return self.hash == _hash(
            self.approval_id, self.request_sha256, self.approve, self.decided_by, self.decided_ms, self.comment
        )


@dataclass(frozen=True, slots=True)
class ApprovalRecord:
    """One approval with its receipt, if any."""

    approval_id: str
    run_id: str
    request_sha256: str
    state: ApprovalState
    requested_by: str
    requested_ms: int
    expires_ms: int
    receipt: Receipt | None


class ExplorationApprovals:
    """Ask, decide, withdraw, expire, and tell whether a run has authority."""

    def __init__(self, database: Database, explorations: ExplorationStore, now: Now) -> None:
        self._database = database
        self._explorations = explorations
        self._now = now

    def request(self, approval_id: str, run_id: str, request_sha256: str, requested_by: str) -> None:
        """A new pending approval, good for 24 hours."""
        now = self._now()
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO exploration_approvals VALUES (?, ?, ?, 'pending', ?, ?, ?)",
                (approval_id, run_id, request_sha256, requested_by, now, now + APPROVAL_SECONDS * 1000),
            )

    def decide(self, approval_id: str, *, approve: bool, by: str, comment: str = "") -> Receipt:
        """Write the receipt, then the state, then queue or cancel the run, all or nothing.

        Raises NotFound, RequestRefused expired, already_decided (and by whom) or payload_mismatch.
        """
        self.expire()
        with self._database.write() as connection:
            record = self._get(connection, approval_id)
            self._refuse_decided(record)
            run = self._explorations.get(record.run_id)
            if not run.intact or run.request_sha256 != record.request_sha256:
                raise RequestRefused("payload_mismatch", "the request is not the one that was put up for approval")
            receipt = _receipt(record, approve, by, self._now(), comment)
            connection.execute(
                "INSERT INTO exploration_receipts VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    approval_id, receipt.request_sha256, approve, by, receipt.decided_ms, comment, receipt.hash,
                ),
            )  # fmt: skip
            self._set(connection, approval_id, "approved" if approve else "denied")
            if approve:
                self._explorations.move(record.run_id, "queued")
            else:
                self._explorations.cancel(record.run_id, "approval_denied")
            return receipt

    def withdraw(self, run_id: str) -> None:
        """Take a pending approval out of the inbox, as part of a cancel; quiet when there is none."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE exploration_approvals SET state = 'withdrawn' WHERE run_id = ? AND state = 'pending'", (run_id,)
            )

    def expire(self) -> int:
        """Cancel what was not decided before its time was over; returns how many."""
        with self._database.write() as connection:
            due = connection.execute(
                "SELECT approval_id, run_id FROM exploration_approvals WHERE state = 'pending' AND expires_ms <= ?",
                (self._now(),),
            ).fetchall()
            for row in due:
                self._set(connection, row["approval_id"], "expired")
                if self._explorations.get(row["run_id"]).state != "terminal":
                    self._explorations.cancel(row["run_id"], "approval_expired")
        return len(due)

    def authority(self, run_id: str) -> bool:
        """True when the run may be executed: created by who may, or approved with a receipt for exactly this request."""
        run = self._explorations.get(run_id)
        record = self.of_run(run_id)
        if not run.intact:
            return False
        if record is None:  # nothing was asked, as the first event of the run says
            return self._explorations.events(run_id, limit=1)[0].target == "queued"
        receipt = record.receipt
        return (
            record.state == "approved"
            and receipt is not None
            and receipt.genuine
            and receipt.approve
            and receipt.request_sha256 == record.request_sha256 == run.request_sha256
        )

    def get(self, approval_id: str) -> ApprovalRecord:
        """One approval; raises NotFound."""
        with self._database.read() as connection:
            return self._get(connection, approval_id)

    def of_run(self, run_id: str) -> ApprovalRecord | None:
        """The approval of a run, or None when it needed none."""
        with self._database.read() as connection:
            row = connection.execute("SELECT approval_id FROM exploration_approvals WHERE run_id = ?", (run_id,)).fetchone()
            return self._get(connection, row["approval_id"]) if row else None

    def list(self, *, state: ApprovalState | None = None, limit: int = 100) -> tuple[ApprovalRecord, ...]:
        """Newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT approval_id FROM exploration_approvals WHERE ?1 IS NULL OR state = ?1"
                " ORDER BY requested_ms DESC, rowid DESC LIMIT ?2",
                (state, limit),
            ).fetchall()
            return tuple(self._get(connection, row["approval_id"]) for row in rows)

    def _refuse_decided(self, record: ApprovalRecord) -> None:
        if record.state == "expired":
            raise RequestRefused("expired", "this approval was not decided within 24 hours")
        if record.receipt is not None:
            raise RequestRefused("already_decided", f"{record.receipt.decided_by} has already decided")
        if record.state != "pending":
            raise RequestRefused("already_decided", f"this approval is {record.state}")

    def _get(self, connection: sqlite3.Connection, approval_id: str) -> ApprovalRecord:
        row = connection.execute("SELECT * FROM exploration_approvals WHERE approval_id = ?", (approval_id,)).fetchone()
        if row is None:
            raise NotFound(f"no approval {approval_id}")
        found = connection.execute("SELECT * FROM exploration_receipts WHERE approval_id = ?", (approval_id,)).fetchone()
        receipt = found and Receipt(
            approval_id, found["request_sha256"], bool(found["approve"]), found["decided_by"], found["decided_ms"],
            found["comment"], found["hash"],
        )  # fmt: skip
        return ApprovalRecord(
            row["approval_id"], row["run_id"], row["request_sha256"], row["state"], row["requested_by"], row["requested_ms"],
            row["expires_ms"], receipt,
        )  # fmt: skip

    def _set(self, connection: sqlite3.Connection, approval_id: str, state: ApprovalState) -> None:
        connection.execute("UPDATE exploration_approvals SET state = ? WHERE approval_id = ?", (state, approval_id))


def _receipt(record: ApprovalRecord, approve: bool, by: str, at_ms: int, comment: str) -> Receipt:
    link = _hash(record.approval_id, record.request_sha256, approve, by, at_ms, comment)
    return Receipt(record.approval_id, record.request_sha256, approve, by, at_ms, comment, link)


def _hash(*fields: object) -> str:
    return hashlib.sha256(json.dumps(fields, ensure_ascii=False).encode()).hexdigest()
