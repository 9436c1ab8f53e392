"""Takes runs that are due, holds their lease, has them explored; and cleans up after controllers that died."""

import asyncio

import structlog

from engine.domain.exploration import WORKER_SLOTS, CellId, RunStatus
from engine.errors import HostFault, IntegrityChanged, LeaseLost, NotFound, RequestRefused
from engine.explore.context import RunContext
from engine.explore.controller import Controller
from engine.explore.desk import Desk
from engine.explore.halt import Halt, Reason
from engine.explore.progress import Progress
from engine.score.evaluator import Evaluator
from engine.store.explorations import RunRecord
from engine.store.leases import Lease
from engine.store.runbook import RunBook

_log = structlog.get_logger(__name__)


class Workshop:
    """Any number of these, in any number of processes, may share one database."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._halts: dict[str, Halt] = {}

    async def run(self, run_id: str) -> RunStatus | None:
        """Explore a queued run to its end. None when it is not due, or somebody else has it."""
        lease = self._desk.leases.take(f"run:{run_id}")
        if lease is None:
            return None
        try:
            record = self._desk.explorations.get(run_id)
            if record.state != "queued":
                return None
            book = self._book(record, lease)
            evaluator = await self._blocked(record, book)
            return await self._explore(record, book, evaluator) if evaluator else book.record().status
        except LeaseLost:
            return None
        finally:
            self._desk.leases.give_back(lease)

    async def run_due(self) -> tuple[str, ...]:
        """Recover, then run what is queued, one after the other; returns the ids of what was run."""
        self.recover()
        queued = [record.run_id for record in self._desk.explorations.open_runs() if record.state == "queued"]
        return tuple([run_id for run_id in queued if await self.run(run_id) is not None])

    async def serve(self) -> None:
        """Run what is due, up to four runs beside each other, until cancelled; then end them in order."""
        tasks: dict[str, asyncio.Task[RunStatus | None]] = {}
        try:
            while True:
                self.recover()
                for run_id in [run_id for run_id, task in tasks.items() if task.done()]:
                    if error := tasks.pop(run_id).exception():
                        _log.error("run_not_served", run_id=run_id, why=str(error))
                for record in self._desk.explorations.open_runs():
                    if record.state == "queued" and record.run_id not in tasks and len(tasks) < WORKER_SLOTS:
                        tasks[record.run_id] = asyncio.create_task(self.run(record.run_id))
                await self._desk.clock.sleep(self._desk.pace.look)
        finally:
            self.stop()
            await asyncio.gather(*tasks.values(), return_exceptions=True)

    def stop(self) -> None:
        """Ask every run under way here to end now: the operator wants this process to stop."""
        for halt in self._halts.values():
            halt.abort(Reason(detail="operator_stop", status="interrupted"))

    def recover(self) -> tuple[str, ...]:
        """End the runs whose controller is proved dead, with what is recorded and intact; returns their ids.

        What has had its time goes too: undecided approvals, and the bytes of old artifacts.
        """
        self._desk.approvals.expire()
        self._desk.artifacts.prune()
        ended = []
        for record in self._desk.explorations.open_runs():
            if record.state in ("pending_approval", "queued"):
                continue
            lease = self._desk.leases.take(f"run:{record.run_id}")
            if lease is None:
                continue
            try:
                self._bury(record, lease)
                ended.append(record.run_id)
            finally:
                self._desk.leases.give_back(lease)
        return tuple(ended)

    def _bury(self, record: RunRecord, lease: Lease) -> None:
        desk = self._desk
        desk.artifacts.sweep(record.run_id)
        if not desk.remove(desk.work / record.run_id):
            desk.leftovers.add(desk.work / record.run_id)
        uncertain = desk.ledger.cost(record.run_id).in_flight > 0
        winner = self._intact_best(record)
        self._book(record, lease).finish(
            "interrupted", detail="attempt_uncertain" if uncertain else "lease_lost", winner=winner
        )

    def _intact_best(self, record: RunRecord) -> CellId | None:
        if record.best_cell_id is None or (record.cancel_code and not record.request.task.discovery.keep_partial):
            return None
        try:
            self._desk.artifacts.verified(record.run_id, record.best_cell_id)
        except (IntegrityChanged, NotFound):
            return None
        return CellId.parse(record.best_cell_id)

    async def _blocked(self, record: RunRecord, book: RunBook) -> Evaluator | None:
        """The evaluator when everything that was approved still holds; else the run ends as blocked, and None."""
        desk = self._desk
        request = record.request
        reason = None if desk.approvals.authority(record.run_id) else Reason("other", None, "blocked")
        evaluator = None
        try:
            evaluator = desk.registry.evaluator(request.task.discovery.evaluator, request.evaluator_hash)
        except RequestRefused:
            reason = reason or Reason("integrity_changed", "evaluator_changed", "blocked")
        root = desk.roots.get(request.task.discovery.approved_root_id)
        try:
            forked, _ = desk.forked(request.task.discovery)
            if root is None or await root.subject.verify() != request.root_hash or forked != request.fork_digest:
                reason = reason or Reason("integrity_changed", "root_changed", "blocked")
        except (NotFound, IntegrityChanged):
            reason = reason or Reason("integrity_changed", "root_changed", "blocked")
        except HostFault as fault:
            reason = reason or Reason.of(fault)
        if reason is None:
            return evaluator
        assert reason.status is not None
        book.finish(reason.status, code=reason.code, detail=reason.detail)
        return None

    async def _explore(self, record: RunRecord, book: RunBook, evaluator: Evaluator) -> RunStatus | None:
        desk = self._desk
        discovery = record.request.task.discovery
        terms = evaluator.terms
        halt = self._halts[record.run_id] = Halt(desk.clock)
        run = RunContext(
            desk, record, book, halt, desk.roots[discovery.approved_root_id], evaluator,
            desk.strategies[discovery.strategy], Progress(terms.direction, terms.min_delta),
        )  # fmt: skip
        try:
            return await Controller(run).explore()
        finally:
            del self._halts[record.run_id]

    def _book(self, record: RunRecord, lease: Lease) -> RunBook:
        desk = self._desk
        return RunBook(desk.database, desk.ledger, lease, record.run_id, record.request.direction, desk.clock.now_ms)
