"""Leases with proof of death: one owner at a time, and a fencing epoch that its writes are checked against."""

import sqlite3
import uuid
from dataclasses import dataclass

from engine.errors import LeaseLost
from engine.store.database import Database
from engine.store.ledger import Now
from engine.store.liveness import ProcessIdentity, ProcessTable


@dataclass(frozen=True, slots=True)
class Lease:
    """What its owner holds: `epoch` grows by one with every new owner."""

    name: str
    owner: str
    epoch: int


class LeaseStore:
    """Leases by name. Time alone never frees one: its owner gives it back, or is proved dead."""

    def __init__(self, database: Database, now: Now, processes: ProcessTable | None = None) -> None:
        self._database = database
        self._now = now
        self._processes = processes or ProcessTable()

    def take(self, name: str) -> Lease | None:
        """The lease, or None while somebody who may be alive holds it."""
        me = self._processes.me()
        with self._database.write() as connection:
            row = _row(connection, name)
            if row is not None and row["owner"] is not None and self._processes.proof_of_death(_holder(row)) is None:
                return None
            lease = Lease(name, str(uuid.uuid4()), row["epoch"] + 1 if row is not None else 1)
            connection.execute(
                "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (name, lease.owner, me.host, me.boot_id, me.pid_namespace, me.pid, me.start_ticks, lease.epoch, self._now()),
            )
            return lease

    def give_back(self, lease: Lease) -> None:
        """Free it; the epoch stays, so that what its owner still has in hand is refused. Quiet when already lost."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE leases SET owner = NULL WHERE name = ? AND owner = ? AND epoch = ?",
                (lease.name, lease.owner, lease.epoch),
            )

    def dead(self, name: str) -> bool:
        """True when nobody who may be alive holds it."""
        with self._database.read() as connection:
            row = _row(connection, name)
        return row is None or row["owner"] is None or self._processes.proof_of_death(_holder(row)) is not None

    def held(self, prefix: str) -> tuple[str, ...]:
        """The rest of the names that begin so and that somebody who may be alive holds."""
        with self._database.read() as connection:
            query = "SELECT * FROM leases WHERE owner IS NOT NULL AND substr(name, 1, ?) = ?"
            rows = connection.execute(query, (len(prefix), prefix)).fetchall()
        living = [row["name"] for row in rows if self._processes.proof_of_death(_holder(row)) is None]
        return tuple(name.removeprefix(prefix) for name in living)


def fence(connection: sqlite3.Connection, lease: Lease) -> None:
    """Raise LeaseLost unless the lease is still this owner's; to be called inside every transaction that writes under it."""
    row = _row(connection, lease.name)
    if row is None or row["owner"] != lease.owner or row["epoch"] != lease.epoch:
        raise LeaseLost(f"{lease.name} has another owner; epoch {lease.epoch} may write no more")


def _row(connection: sqlite3.Connection, name: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = connection.execute("SELECT * FROM leases WHERE name = ?", (name,)).fetchone()
    return row


def _holder(row: sqlite3.Row) -> ProcessIdentity:
    return ProcessIdentity(row["host"], row["boot_id"], row["pid_namespace"], row["pid"], row["start_ticks"])
