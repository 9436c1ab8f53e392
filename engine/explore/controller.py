"""The bounded-round loop: plan → admit → dispatch → seal → score → record → next."""

import asyncio
import contextlib
from collections.abc import Sequence
from itertools import groupby
from traceback import format_exception

import structlog

from engine.domain.evaluation import CANDIDATE, HOST, Scoring
from engine.domain.exploration import MAX_CELLS, MAX_ROUNDS, CellId, RunStatus
from engine.errors import DeadlineExceeded, HostFault, LeaseLost, StoreError, TreeRefused
from engine.explore.cell import CellStory
from engine.explore.context import BASELINE, RunContext
from engine.explore.finals import Finals
from engine.explore.halt import Aborted, Reason
from engine.explore.scoring import Scorer
from engine.explore.strategies import Enough, Wave
from engine.explore.watch import look, watch
from engine.store.trees import read_tree

_log = structlog.get_logger(__name__)


class Controller:
    """Explores one run that it holds the lease of."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._story = CellStory(run)
        self._parallel = asyncio.Semaphore(run.request.max_parallelism)

    async def explore(self) -> RunStatus | None:
        """From queued to terminal; returns the status, or None when the lease was lost and another owner will end the run."""
        run = self._run
        run.book.move("preparing")
        watcher = asyncio.create_task(watch(run))
        try:
            await self._guarded()
        finally:
            watcher.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watcher
        return None if run.halt.lease_lost else await self._finish()

    async def _rounds(self) -> None:
        """Wave after wave, until nothing more is planned or there is a reason to stop."""
        run = self._run
        while await run.halt.may_begin():
            wave = self._plan()
            if wave is None:
                return
            branches = [tuple(cells) for _, cells in groupby(wave.cells, key=lambda cell: cell.branch)]
            async with asyncio.TaskGroup() as group:
                for cells in branches:
                    group.create_task(self._branch(cells))

    async def _branch(self, cells: Sequence[CellId]) -> None:
        for cell in cells:
            async with self._parallel:
                look(self._run)
                if not await self._run.halt.may_begin():
                    return
                await self._story.tell(cell)

    def _plan(self) -> Wave | None:
        """The next wave, written with its seeds; None when the strategy has enough, or wants what may not be."""
        run = self._run
        wave = run.strategy.next(run.request, run.progress)
        if isinstance(wave, Enough):
            if wave.detail is not None:
                run.halt.stop(Reason(detail=wave.detail))
            return None
        in_order = list(wave.cells) == sorted(set(wave.cells))
        if not wave.cells or not in_order or wave.round > MAX_ROUNDS or any(cell.round != wave.round for cell in wave.cells):
            run.halt.stop(Reason.coded("other", "plan_failed"))
            return None
        if run.progress.planned + len(wave.cells) > MAX_CELLS:
            run.halt.stop(Reason.coded("other", "grid_limit"))
            return None
        run.book.plan(wave.round, [(cell, run.seed(cell)) for cell in wave.cells])
        run.progress.begin(wave.round, len(wave.cells))
        return wave

    async def _guarded(self) -> None:
        """The edge of the loop: every fault becomes a reason."""
        run = self._run
        try:
            look(run)
            if await self._baseline():
                run.book.move("exploring")
                await self._rounds()
        except Aborted:
            pass
        except DeadlineExceeded:
            run.halt.stop(Reason.coded("budget_exhausted" if run.wall_left() <= 0 else "other"))
        except (HostFault, StoreError) as error:
            run.fault(error)
        except Exception as error:  # noqa: BLE001 - the loop's edge: a run ends, whatever happened, and says so
            # Without the variables of each frame: they hold secrets.
            _log.error("exploration_failed", run_id=run.run_id, trace="".join(format_exception(error)))
            run.halt.stop(Reason.coded("other"))

    async def _baseline(self) -> bool:
        """Seal and score the starting point; False when the run must not go on."""
        run = self._run
        left = run.desk.leftovers.sweep(run.desk.remove)
        if left:
            run.halt.stop(Reason("cleanup_failed", None, "blocked"))
            return False
        place = run.place(BASELINE)
        run.clear(place)
        place.mkdir(parents=True)
        await run.halt.race(run.desk.pace.subject, run.root.subject.materialise(run.desk.forked(run.request)[1], place))
        try:
            manifest = read_tree(place)
        except TreeRefused as refused:
            raise HostFault("integrity_changed", str(refused), "root_changed") from refused
        run.book.move("baseline_running")
        run.desk.artifacts.seal(run.run_id, BASELINE, place, manifest, lambda: None)
        run.clear(place)
        return self._judge_baseline(await Scorer(run).score(BASELINE), manifest.digest)

    def _judge_baseline(self, scoring: Scoring, digest: str) -> bool:
        run = self._run
        run.book.baseline(scoring, digest)
        run.progress.baseline = scoring.score
        if scoring.fail_class in HOST:
            run.halt.stop(Reason.coded(*HOST[scoring.fail_class]))
        elif scoring.fail_class not in CANDIDATE:
            run.halt.stop(Reason.coded("evaluator_unavailable"))
        elif not scoring.valid and not run.request.allow_invalid_baseline:
            run.halt.stop(Reason(detail="baseline_invalid", status="failed"))
        return not run.halt.stopping

    async def _finish(self) -> RunStatus | None:
        """Write the end; a store that does not answer is asked again, then left to recovery."""
        for pause in (0.5, 1.0, 2.0):
            try:
                return await Finals(self._run).hold()
            except LeaseLost:
                return None
            except StoreError as error:
                self._run.fault(error)
                await self._run.desk.clock.sleep(pause)
        return None
