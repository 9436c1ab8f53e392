"""The effects ledger: what each step with an effect meant to do, and whether that is known to have happened."""

import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from engine.domain.step import StepEffect
from engine.errors import StoreError
from engine.store.database import Database
from engine.store.leases import LeaseStore

EffectState: TypeAlias = Literal["intended", "done", "failed", "in_doubt"]
COLUMNS = "run_id, step, part, class, state, approval_id, what"
DOUBT = "UPDATE effects SET state = CASE class WHEN 'commit' THEN 'in_doubt' ELSE 'failed' END, ended_at = ? "
DOUBT += "WHERE run_id = ? AND state = 'intended'"


@dataclass(frozen=True)
class Effect:
    """One intended effect; `part` counts them within a step, `what` is the capability of a replay."""

    run_id: str
    step: int
    part: int
    effect: StepEffect
    state: EffectState
    approval_id: str | None
    what: str

    def __str__(self) -> str:
        of = f" of {self.what}" if self.what else ""
        return f"It is not known whether step {self.step} of run {self.run_id}{of} took effect; look before doing it again."


class EffectStore:
    """Effects of all runs. A commit that is still `intended` when its run is gone is in doubt and needs a person."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def intend(self, run_id: str, step: int, effect: StepEffect, now: float, what: str = "") -> None:
        """Before the action; an approved one was written when its approval was consumed."""
        intend(self._database, run_id, step, effect, None, now, what)

    def end(self, run_id: str, state: Literal["done", "failed", "in_doubt"], now: float) -> None:
        """What became of everything that the run had intended. Only commits are ever in doubt: the rest may be done again."""
        with self._database.write() as connection:
            if state == "in_doubt":
                connection.execute(DOUBT, (now, run_id))
            else:
                query = "UPDATE effects SET state = ?, ended_at = ? WHERE run_id = ? AND state = 'intended'"
                connection.execute(query, (state, now, run_id))
            let_go(connection, run_id)

    def recover(self, now: float) -> None:
        """Runs whose process is proved dead are interrupted, and what they had not finished is in doubt."""
        query = (
            "SELECT run_id FROM (SELECT run_id FROM runs WHERE status = 'running' "
            "UNION SELECT run_id FROM effects WHERE state = 'intended') JOIN leases ON name = 'run:' || run_id"
        )
        with self._database.read() as connection:
            open_runs = [row["run_id"] for row in connection.execute(query)]
        leases = LeaseStore(self._database, lambda: int(now * 1000))
        for run_id in open_runs:
            if leases.dead(f"run:{run_id}"):
                with self._database.write() as connection:
                    connection.execute(DOUBT, (now, run_id))
                    ended = "UPDATE runs SET status = 'interrupted', stop_reason = 'interrupted' WHERE run_id = ?"
                    connection.execute(f"{ended} AND status = 'running'", (run_id,))

    def of_run(self, run_id: str) -> tuple[Effect, ...]:
        """All effects of a run, in order."""
        return self._found("WHERE run_id = ? ORDER BY step, part", run_id)

    def in_doubt(self, since: float) -> tuple[Effect, ...]:
        """What needs a person, newest first."""
        return self._found("WHERE state = 'in_doubt' AND intended_at >= ? ORDER BY intended_at DESC", since)

    def last(self, what: str) -> Effect | None:
        """The newest effect of one capability's version."""
        found = self._found("WHERE what = ? AND class = 'commit' ORDER BY intended_at DESC LIMIT 1", what)
        return found[0] if found else None

    def _found(self, clause: str, *values: object) -> tuple[Effect, ...]:
        with self._database.read() as connection:
            return tuple(Effect(*row) for row in connection.execute(f"SELECT {COLUMNS} FROM effects {clause}", values))


class RunEffects:
    """The ledger as one run writes it; the database is opened when there is something to write."""

    def __init__(self, database: Callable[[], Database], run_id: str, what: str = "") -> None:
        self._open = database
        self._run = run_id
        self._what = what

    @cached_property
    def _store(self) -> EffectStore:
        return EffectStore(self._open())

    def intend(self, step: int, effect: StepEffect) -> None:
        """Before a write leaves. Raises StoreError, and then it must not leave."""
        self._store.intend(self._run, step, effect, time.time(), self._what)

    def end(self, state: Literal["done", "failed", "in_doubt"]) -> None:
        """After it. What cannot be written now stays intended, so that it is found in doubt."""
        with suppress(StoreError):
            self._store.end(self._run, state, time.time())


def hold(database: Database, run_id: str, now: float) -> None:
    """Write, as part of the caller's transaction, that this process runs it, so that its death can be proved."""
    with suppress(OSError):  # no table of processes here: then nobody can prove anything about it
        LeaseStore(database, lambda: int(now * 1000)).take(f"run:{run_id}")


def let_go(connection: sqlite3.Connection, run_id: str) -> None:
    """Forget who ran it, once nothing of it is open: nobody's death has to be proved any more."""
    connection.execute(
        "DELETE FROM leases WHERE name = 'run:' || ?1 "
        "AND NOT EXISTS (SELECT 1 FROM runs WHERE run_id = ?1 AND status = 'running') "
        "AND NOT EXISTS (SELECT 1 FROM effects WHERE run_id = ?1 AND state = 'intended')",
        (run_id,),
    )


def intend(
    database: Database, run_id: str, step: int, effect: StepEffect, approval_id: str | None, now: float, what: str
) -> None:
    """Write, as part of the caller's transaction, that a step is about to have an effect."""
    with database.write() as connection:
        hold(database, run_id, now)
        count: sqlite3.Row = connection.execute(
            "SELECT COUNT(*) FROM effects WHERE run_id = ? AND step = ?", (run_id, step)
        ).fetchone()
        connection.execute(
            f"INSERT INTO effects ({COLUMNS}, intended_at) VALUES (?, ?, ?, ?, 'intended', ?, ?, ?)",
            (run_id, step, count[0], effect, approval_id, what, now),
        )
