"""The effects ledger: what each step with an effect meant to do, and whether that is known to have happened."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.domain.step import StepEffect
from engine.store.approvals import intend
from engine.store.database import Database

EffectState: TypeAlias = Literal["intended", "done", "failed", "in_doubt"]


@dataclass(frozen=True)
class Effect:
    """One intended effect; `part` counts them within a step."""

    run_id: str
    step: int
    part: int
    effect: StepEffect
    state: EffectState
    approval_id: str | None


class EffectStore:
    """Effects of all runs. One that is still `intended` when its run is gone is in doubt and needs a person."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def intend(self, run_id: str, step: int, effect: StepEffect, now: float) -> None:
        """Before the action; an approved one was written when its approval was consumed."""
        with self._database.write() as connection:
            intend(connection, run_id, step, effect, None, now)

    def end(self, run_id: str, step: int, state: Literal["done", "failed", "in_doubt"], now: float) -> None:
        """After the action: what became of everything that the step had intended."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE effects SET state = ?, ended_at = ? WHERE run_id = ? AND step = ? AND state = 'intended'",
                (state, now, run_id, step),
            )

    def doubt(self, run_id: str, now: float) -> tuple[Effect, ...]:
        """The run is over, however it ended: what it had not finished is in doubt. Reads are never in doubt."""
        with self._database.write() as connection:
            connection.execute(
                "UPDATE effects SET state = CASE class WHEN 'read' THEN 'failed' ELSE 'in_doubt' END, ended_at = ? "
                "WHERE run_id = ? AND state = 'intended'",
                (now, run_id),
            )
        return tuple(effect for effect in self.of_run(run_id) if effect.state == "in_doubt")

    def of_run(self, run_id: str) -> tuple[Effect, ...]:
        """All effects of a run, in order."""
        query = "SELECT run_id, step, part, class, state, approval_id FROM effects WHERE run_id = ? ORDER BY step, part"
        with self._database.read() as connection:
            return tuple(Effect(*row) for row in connection.execute(query, (run_id,)))
