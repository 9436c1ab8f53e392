"""Scores sealed copies, one at a time where timing counts."""

from dataclasses import dataclass

from engine.domain.evaluation import Scoring
from engine.errors import IntegrityChanged
from engine.explore.context import RunContext
from engine.store.leases import Lease

_MARGIN = 30.0
"""So many seconds the evaluator's own deadline may be over before ours fires."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """The run's evaluator over the run's artifacts."""

    run: RunContext

    async def score(self, name: str) -> Scoring:
        """Score a copy of a sealed artifact; it is hashed before and after.

        Raises Aborted, DeadlineExceeded, IntegrityChanged, HostFault.
        """
        run = self.run
        seconds = min(run.desk.pace.score, run.wall_left())
        turn = await self._turn(seconds) if run.evaluator.terms.timing_sensitive else None
        view = run.place(f"{name}.view")
        try:
            run.clear(view)
            sealed = run.desk.artifacts.copy(run.run_id, name, view)
            left = min(run.desk.pace.score, run.wall_left())
            scoring = await run.halt.race(left + _MARGIN, run.evaluator.score(view, run.asked, left))
            if run.desk.artifacts.find(run.run_id, name).digest != sealed.digest:
                raise IntegrityChanged(f"artifact {name} changed while it was scored")
            run.desk.artifacts.verified(run.run_id, name)
            return scoring
        finally:
            if turn is not None:
                run.desk.leases.give_back(turn)
            run.clear(view)

    async def _turn(self, seconds: float) -> Lease:
        """The turn to score with this evaluator, in the whole installation; waiting uses the deadline."""
        return await self.run.halt.race(seconds, self._wait_for_turn())

    async def _wait_for_turn(self) -> Lease:
        name = f"evaluator:{self.run.evaluator.terms.hash}"
        while (lease := self.run.desk.leases.take(name)) is None:
            await self.run.desk.clock.sleep(self.run.desk.pace.slot_look)
        return lease
