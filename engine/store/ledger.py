"""The money book: every call is admitted, held for, and settled here, in integer micro-dollars.

At every admission and top-up: settled + Σ max(reserved, observed) over calls in flight ≤ limit.
"""

import sqlite3
from collections.abc import Callable
from typing import Literal

from engine.domain.cost import Admission, Admitted, Cost, Refused
from engine.domain.usage import Usage
from engine.errors import NotFound, StoreError
from engine.store.database import Database

Now = Callable[[], int]


class Ledger:
    """One budget a run, one row a call, one journal row for everything that moves money. Each method is one transaction,
    or part of the caller's when it is called inside `database.write()`.
    """

    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now

    def open(self, run_id: str, max_calls: int, max_micros: int) -> None:
        """Set the limits of a run, once."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO ledger_budgets (run_id, max_calls, max_micros) VALUES (?, ?, ?)", (run_id, max_calls, max_micros)
            )

    def admit(self, run_id: str, cell_id: str, bound: int | None) -> Admission:
        """Hold money for one more call, or refuse.

        `bound` is the call's price upper bound in micro-dollars; None where it cannot be computed: then the equal share
        of the money left over the calls left is held.
        """
        with self._database.write() as connection:
            cost = _cost(connection, run_id)
            if cost.calls >= cost.max_calls:
                return Refused("calls")
            left = cost.max_micros - cost.settled - cost.pending
            wanted = max(1, bound) if bound is not None else left // (cost.max_calls - cost.calls)
            if wanted < 1 or wanted > left:
                return Refused("money")
            call_id = connection.execute(
                "INSERT INTO ledger_calls (run_id, cell_id, state, reserved) VALUES (?, ?, 'in_flight', ?)",
                (run_id, cell_id, wanted),
            ).lastrowid
            assert call_id is not None
            self._move(connection, run_id, calls=1, in_flight=1, held=wanted)
            self._row(connection, call_id, "reserve", wanted, "pending")
            return Admitted(call_id, wanted)

    def observe(self, call_id: int, micros: int) -> bool:
        """Note what a call in flight has used so far; True while it may go on.

        A call that reaches what is held for it is topped up from slack, by at most what it holds; False when there is none.
        """
        with self._database.write() as connection:
            call = _in_flight(connection, call_id)
            observed = max(call["observed"], micros)
            if observed < call["reserved"]:
                connection.execute("UPDATE ledger_calls SET observed = ? WHERE call_id = ?", (observed, call_id))
                return True
            cost = _cost(connection, call["run_id"])
            others = cost.pending - max(call["reserved"], call["observed"])
            room = cost.max_micros - cost.settled - others - observed
            grant: int = min(room, call["reserved"])
            reserved = observed + grant if grant >= 1 else call["reserved"]
            connection.execute(
                "UPDATE ledger_calls SET observed = ?, reserved = ? WHERE call_id = ?", (observed, reserved, call_id)
            )
            held = max(reserved, observed) - max(call["reserved"], call["observed"])
            self._move(connection, call["run_id"], held=held)
            if grant >= 1:
                self._row(connection, call_id, "top_up", reserved - call["reserved"], "pending")
            return grant >= 1

    def settle(self, call_id: int, usage: Usage, *, model: str = "") -> int:
        """Charge a call that ended; returns the charge. What is not known is charged as max(reserved, observed), never 0."""
        with self._database.write() as connection:
            call = _in_flight(connection, call_id)
            known = usage.usd_micros is not None and usage.usd_source in ("reported", "estimated")
            if known:
                assert usage.usd_micros is not None
                charged, source = usage.usd_micros, usage.usd_source
            else:
                charged, source = max(call["reserved"], call["observed"]), "unknown"
            self._close(connection, call, charged, source, model=model)
            self._move(connection, call["run_id"], model_requests=usage.requests)
            self._row(connection, call_id, "settle", charged, source)
            return charged

    def release(self, call_id: int) -> None:
        """Take back the admission of a call that was never made: it counts as no call and costs nothing."""
        with self._database.write() as connection:
            call = _in_flight(connection, call_id)
            connection.execute("UPDATE ledger_calls SET state = 'released' WHERE call_id = ?", (call_id,))
            held = max(call["reserved"], call["observed"])
            self._move(connection, call["run_id"], calls=-1, in_flight=-1, held=-held)
            self._row(connection, call_id, "release", -held, "pending")

    def orphan(self, run_id: str) -> int:
        """Charge every call in flight of a crashed run as unknown and mark it; returns how many there were."""
        with self._database.write() as connection:
            calls = connection.execute(
                "SELECT * FROM ledger_calls WHERE run_id = ? AND state = 'in_flight'", (run_id,)
            ).fetchall()
            for call in calls:
                charged = max(call["reserved"], call["observed"])
                self._close(connection, call, charged, "unknown", orphaned=True)
                self._row(connection, call["call_id"], "orphan", charged, "unknown")
            return len(calls)

    def correct(self, call_id: int, micros: int) -> None:
        """A late report: what was unknown or estimated becomes reported. Raises StoreError for any other call."""
        with self._database.write() as connection:
            call = connection.execute("SELECT * FROM ledger_calls WHERE call_id = ?", (call_id,)).fetchone()
            if call is None:
                raise NotFound(f"no call {call_id}")
            if call["state"] != "settled" or call["source"] == "reported":
                raise StoreError(f"call {call_id} takes no correction: it is {call['source'] or call['state']}")
            connection.execute("UPDATE ledger_calls SET charged = ?, source = 'reported' WHERE call_id = ?", (micros, call_id))
            self._move(connection, call["run_id"], **{call["source"]: -call["charged"], "reported": micros})
            self._row(connection, call_id, "correct", micros - call["charged"], "reported")

    def cost(self, run_id: str) -> Cost:
        """All sums of one run; raises NotFound."""
        with self._database.read() as connection:
            return _cost(connection, run_id)

    def models(self, run_id: str) -> tuple[str, ...]:
        """The models that the providers say answered; an empty name for a call whose provider did not say."""
        query = "SELECT DISTINCT model FROM ledger_calls WHERE run_id = ? AND state = 'settled' ORDER BY model"
        with self._database.read() as connection:
            return tuple(row[0] for row in connection.execute(query, (run_id,)))

    def _close(
        self, connection: sqlite3.Connection, call: sqlite3.Row, charged: int, source: str,
        *, model: str = "", orphaned: bool = False,
    ) -> None:  # fmt: skip
        connection.execute(
            "UPDATE ledger_calls SET state = 'settled', charged = ?, source = ?, model = ?, orphaned = ? WHERE call_id = ?",
            (charged, source, model, orphaned, call["call_id"]),
        )
        held = max(call["reserved"], call["observed"])
        self._move(connection, call["run_id"], **{"in_flight": -1, "held": -held, source: charged})

    def _move(self, connection: sqlite3.Connection, run_id: str, **deltas: int) -> None:
        sets = ", ".join(f"{column} = {column} + ?" for column in deltas)
        connection.execute(f"UPDATE ledger_budgets SET {sets} WHERE run_id = ?", (*deltas.values(), run_id))

    def _row(
        self, connection: sqlite3.Connection, call_id: int,
        kind: Literal["reserve", "top_up", "settle", "release", "orphan", "correct"], micros: int, source: str,
    ) -> None:  # fmt: skip
        connection.execute(
            "INSERT INTO ledger_rows (call_id, at_ms, kind, micros, source) VALUES (?, ?, ?, ?, ?)",
            (call_id, self._now(), kind, micros, source),
        )


def _cost(connection: sqlite3.Connection, run_id: str) -> Cost:
    row = connection.execute(
        "SELECT reported, estimated, unknown, held, calls, in_flight, model_requests, max_calls, max_micros"
        " FROM ledger_budgets WHERE run_id = ?",
        (run_id,),
    ).fetchone()
    if row is None:
        raise NotFound(f"no budget for run {run_id}")
    return Cost(*row)


def _in_flight(connection: sqlite3.Connection, call_id: int) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute("SELECT * FROM ledger_calls WHERE call_id = ?", (call_id,)).fetchone()
    if row is None or row["state"] != "in_flight":
        raise StoreError(f"call {call_id} is not in flight")
    return row
