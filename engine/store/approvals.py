"""Approvals of single steps: asked, decided by somebody else, consumed once by whoever holds the token."""

import hashlib
import secrets
import sqlite3
from dataclasses import dataclass, field

from engine.domain.approval import Approval, Binding, Channel
from engine.domain.step import StepEffect
from engine.domain.verdict import ApprovalNeeded
from engine.errors import IllegalTransition, NotFound
from engine.store.database import Database
from engine.store.effects import intend

COLUMNS = (
    "approval_id AS id, state, run_id, step, needed_json, policy_digest, capability, channel, asked_at, expires_at, approver, "
)
COLUMNS += "comment, decided_at, ended_at"


@dataclass(frozen=True)
class Now:
    """Both clocks: `wall` in seconds since the epoch, `monotonic` of the process that asks and consumes."""

    wall: float
    monotonic: float


@dataclass(frozen=True)
class Asked:
    """A question that was put: its public id, and the token that only the asking process holds."""

    id: str
    token: str = field(repr=False)


class ApprovalStore:
    """Approvals of one home. Every change is one transaction, so of two that contradict each other one is refused."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def ask(self, binding: Binding, *, channel: Channel, asked_by: str, seconds: float, now: Now) -> Asked:
        """Put a question that may be answered for so many seconds."""
        asked = Asked(f"ap-{secrets.token_hex(6)}", secrets.token_urlsafe(32))
        row = {
            "approval_id": asked.id, "token_sha256": hashed(asked.token), "binding_sha256": binding.digest,
            "run_id": binding.run_id, "step": binding.step, "needed_json": binding.needed.model_dump_json(),
            "policy_digest": binding.policy_digest, "capability": binding.capability, "channel": channel, "asked_by": asked_by,
            "state": "pending", "asked_at": now.wall, "expires_at": now.wall + seconds,
            "expires_monotonic": now.monotonic + seconds,
        }  # fmt: skip
        with self._database.write() as connection:
            names = ", ".join(row)
            connection.execute(
                f"INSERT INTO step_approvals ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values())
            )
        return asked

    def decide(self, approval_id: str, *, approve: bool, by: str, process: str, now: float, comment: str = "") -> Approval:
        """A person's answer. Raises IllegalTransition when it was answered, has expired, or the run's own process answers."""
        with self._database.write() as connection:
            row = self._row(connection, approval_id)
            if row["state"] != "pending":
                raise IllegalTransition(f"{approval_id} is {row['state']} already; nothing was changed.")
            if not by.strip():
                raise IllegalTransition("An approval needs the name of who gives it.")
            if row["channel"] == "inbox" and process == row["asked_by"]:
                raise IllegalTransition("The run's own process cannot approve its steps.")
            if not row["asked_at"] <= now <= row["expires_at"]:
                raise IllegalTransition(f"{approval_id} has expired; the run has gone on without it.")
            state = "approved" if approve else "denied"
            connection.execute(
                "UPDATE step_approvals SET state = ?, approver = ?, comment = ?, decided_at = ? WHERE approval_id = ?",
                (state, by, comment, now, approval_id),
            )
        return self.one(approval_id)

    def consume(self, asked: Asked, binding: Binding, *, effect: StepEffect, now: Now) -> None:
        """Use an approval up and write the step's intent, both or neither. Raises IllegalTransition and says why not."""
        problem = ""
        with self._database.write() as connection:
            row = self._row(connection, asked.id)
            problem = _misuse(row, asked, binding, now)
            if not problem:
                connection.execute(
                    "UPDATE step_approvals SET state = 'consumed', ended_at = ? WHERE approval_id = ?", (now.wall, asked.id)
                )
                intend(self._database, binding.run_id, binding.step, effect, asked.id, now.wall, binding.capability)
            elif row["state"] == "approved" and hashed(asked.token) == row["token_sha256"]:
                # Whoever holds the token came with something else, or too late: it is worth nothing from now on.
                self._end(connection, asked.id, "void", now.wall)
        if problem:
            raise IllegalTransition(problem)

    def withdraw(self, approval_id: str, *, expired: bool, now: float) -> None:
        """Nobody waits for the answer any more; nothing happens to one that has ended."""
        with self._database.write() as connection:
            if self._row(connection, approval_id)["state"] in ("pending", "approved"):
                self._end(connection, approval_id, "expired" if expired else "void", now)

    def one(self, approval_id: str) -> Approval:
        """One approval. Raises NotFound."""
        with self._database.read() as connection:
            return _approval(self._row(connection, approval_id))

    def pending(self, now: float) -> tuple[Approval, ...]:
        """What waits for an answer now, oldest first."""
        query = f"SELECT {COLUMNS} FROM step_approvals WHERE state = 'pending' AND expires_at > ? ORDER BY asked_at"
        with self._database.read() as connection:
            return tuple(map(_approval, connection.execute(query, (now,))))

    def of_run(self, run_id: str) -> tuple[Approval, ...]:
        """All questions of a run, in order."""
        query = f"SELECT {COLUMNS} FROM step_approvals WHERE run_id = ? ORDER BY asked_at"
        with self._database.read() as connection:
            return tuple(map(_approval, connection.execute(query, (run_id,))))

    def _row(self, connection: sqlite3.Connection, approval_id: str) -> sqlite3.Row:
        query = f"SELECT {COLUMNS}, token_sha256, binding_sha256, expires_monotonic, asked_by FROM step_approvals"
        row: sqlite3.Row | None = connection.execute(f"{query} WHERE approval_id = ?", (approval_id,)).fetchone()
        if row is None:
            raise NotFound(f"There is no approval {approval_id}; `discover approvals list` shows what waits.")
        return row

    def _end(self, connection: sqlite3.Connection, approval_id: str, state: str, now: float) -> None:
        connection.execute("UPDATE step_approvals SET state = ?, ended_at = ? WHERE approval_id = ?", (state, now, approval_id))


def hashed(token: str) -> str:
    """How a token is kept."""
    return hashlib.sha256(token.encode()).hexdigest()


def _misuse(row: sqlite3.Row, asked: Asked, binding: Binding, now: Now) -> str:
    """Why an approval may not be used, or an empty string."""
    if not secrets.compare_digest(hashed(asked.token), row["token_sha256"]):
        return "The token is not the one of this approval."
    if row["state"] != "approved":
        return f"The approval is {row['state']}, so it cannot be used."
    if binding.digest != row["binding_sha256"]:
        return "The step, the page or the policy is no longer what was approved."
    if now.wall > row["expires_at"] or now.monotonic > row["expires_monotonic"]:
        return "The approval has expired."
    if now.wall < row["decided_at"]:
        return "The clock was set back since the approval was given."
    return ""


def _approval(row: sqlite3.Row) -> Approval:
    fields = {key: row[key] for key in row.keys() if key in Approval.model_fields}  # noqa: SIM118 a Row iterates over values
    return Approval(**fields, needed=ApprovalNeeded.model_validate_json(row["needed_json"]))
