"""How many worker slots somebody holds."""

from engine.store.database import Database


def busy(database: Database) -> int:
    """Of the four."""
    with database.read() as connection:
        rows = connection.execute(
            "SELECT count(*) FROM worker_slots JOIN leases ON leases.name = worker_slots.lease"
            " WHERE leases.owner IS NOT NULL AND leases.epoch = worker_slots.epoch"
        )
        return int(rows.fetchone()[0])
