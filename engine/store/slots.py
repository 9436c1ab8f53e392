"""The worker slots that all runs of an installation share."""

from engine.store.database import Database
from engine.store.leases import Lease, LeaseStore, fence

_FREE = """
SELECT slot FROM worker_slots LEFT JOIN leases ON leases.name = worker_slots.lease
WHERE cell_id IS NULL OR leases.owner IS NULL OR leases.epoch <> worker_slots.epoch
ORDER BY slot LIMIT 1
"""


class SlotStore:
    """Four rows; a slot belongs to a cell of a lease, and falls free when that lease is given back, taken over or dead."""

    def __init__(self, database: Database, leases: LeaseStore) -> None:
        self._database = database
        self._leases = leases

    def take(self, lease: Lease, cell_id: str) -> int | None:
        """A slot for this cell, or None while all are busy. Raises LeaseLost."""
        with self._database.read() as connection:
            free = connection.execute(_FREE).fetchone()
        if free is None and not self._bury():
            return None
        with self._database.write() as connection:
            fence(connection, lease)
            row = connection.execute(_FREE).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE worker_slots SET lease = ?, epoch = ?, cell_id = ? WHERE slot = ?",
                (lease.name, lease.epoch, cell_id, row["slot"]),
            )
            return int(row["slot"])

    def give_back(self, lease: Lease, slot: int) -> None:
        """Free a slot that is still this lease's."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE worker_slots SET lease = NULL, epoch = NULL, cell_id = NULL WHERE slot = ? AND lease = ? AND epoch = ?",
                (slot, lease.name, lease.epoch),
            )

    def _bury(self) -> bool:
        """Free the slots of owners proved dead; True when there was one."""
        with self._database.read() as connection:
            holders = connection.execute("SELECT DISTINCT lease, epoch FROM worker_slots WHERE cell_id IS NOT NULL").fetchall()
        dead = [(row["lease"], row["epoch"]) for row in holders if self._leases.dead(row["lease"])]
        if dead:
            with self._database.write() as connection:
                connection.executemany(
                    "UPDATE worker_slots SET lease = NULL, epoch = NULL, cell_id = NULL WHERE lease = ? AND epoch = ?", dead
                )
        return bool(dead)
