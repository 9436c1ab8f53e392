"""The story of one cell: wait for a slot, be admitted, attempt, seal, score, be recorded."""

from pathlib import Path
from typing import NoReturn

from engine.domain.cost import Admitted, Refused
from engine.domain.evaluation import CANDIDATE, HOST, Scoring
from engine.domain.exploration import OPEN_STATES, RETRY_SECONDS, CellId, CellState, Node
from engine.domain.sealed import Manifest
from engine.errors import CapwrightError, DeadlineExceeded, HostFault, StoreError, TreeRefused
from engine.explore.clock import within
from engine.explore.context import BASELINE, RunContext
from engine.explore.halt import Aborted, Reason
from engine.explore.orders import ENDS, EndRule, Order, Prompt, Report, Shown
from engine.explore.scoring import Scorer
from engine.score.hooks import hooks_changed
from engine.store.ledger import Ledger
from engine.store.runbook import Given
from engine.store.trees import read_tree


class CallMeter:
    """The ledger's side of one running attempt."""

    def __init__(self, ledger: Ledger, call_id: int) -> None:
        self._ledger = ledger
        self._call_id = call_id

    def observe(self, micros: int) -> bool:
        """As in Meter."""
        return self._ledger.observe(self._call_id, micros)


class CellStory:
    """Runs cells of one run; whatever happens to one is a state of it or a reason for the run to stop."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._scorer = Scorer(run)

    async def tell(self, cell: CellId) -> None:
        """From planned to its last state. What is open when the run is aborted is closed when the run is."""
        run = self._run
        slot: int | None = None
        run.halt.in_flight += 1
        try:
            run.book.wait(cell)
            slot = await run.halt.race(min(run.desk.pace.slot, run.wall_left()), self._slot(cell))
            place = run.place(str(cell))
            start = await self._attempt(cell, place)
            if start is not None and await self._seal(cell, place, start):
                await self._score(cell)
        except Aborted:
            pass
        except DeadlineExceeded:
            self._out_of_time(cell)
        except (HostFault, StoreError) as error:
            run.fault(error)
        finally:
            run.halt.in_flight -= 1
            if slot is not None:
                run.desk.slots.give_back(run.book.lease, slot)

    async def _slot(self, cell: CellId) -> int:
        run = self._run
        async with run.desk.queue:
            while (slot := run.desk.slots.take(run.book.lease, str(cell))) is None:
                await run.desk.clock.sleep(run.desk.pace.slot_look)
        return slot

    async def _attempt(self, cell: CellId, place: Path) -> Manifest | None:
        """Make the attempt, again when the infrastructure fails; what it started from when there is output to seal."""
        run = self._run
        parent = run.strategy.parent(run.request, run.progress, cell)
        given: Given | None
        given, prompt = self._given(cell, parent)
        for pause in (*RETRY_SECONDS, None):
            if run.halt.stopping:
                self._end(cell, "skipped" if given is not None else "infra_failed")
                return None
            bound = run.desk.dispatcher.price_bound(run.request.runtime, run.request.model)
            admission = run.book.admit(cell, bound, run.deadline_ms(), given)
            if isinstance(admission, Refused):
                run.halt.stop(Reason.coded("budget_exhausted"))
                self._end(cell, "infra_failed" if given is None else "skipped")
                return None
            given = None
            asked, seconds = run.request, run.desk.pace.attempt
            order = Order(run.run_id, cell, asked.runtime, asked.model, prompt, place, seconds, asked.approved_root_id)
            start = await self._place(cell, order, parent, admission)
            report = await self._dispatch(order, admission)
            rule = ENDS[report.end]
            if not (rule.retry and pause is not None and not run.halt.stopping):
                return self._ended(cell, admission, report, rule, start)
            self._settle(cell, admission, report, None)
            await run.halt.race(run.wall_left(), run.desk.clock.sleep(pause))
        raise AssertionError("the last try always returns")

    def _given(self, cell: CellId, parent: Node | None) -> tuple[Given, Prompt]:
        run = self._run
        seen = tuple(Shown.of(node) for node in run.book.seen(run.progress.nodes))
        shown = Shown.of(parent) if parent else None
        prompt = Prompt(run.task.title, run.task.description, str(cell), run.seed(cell), shown, seen)
        return Given(parent.cell if parent else None, run.progress.nodes, prompt.sha256), prompt

    async def _place(self, cell: CellId, order: Order, parent: Node | None, admission: Admitted) -> Manifest:
        """Lay out the folder an attempt works in; a call admitted for one that cannot be laid out is released."""
        run = self._run
        try:
            run.clear(order.place)
            order.place.mkdir(parents=True)
            sealed = run.desk.artifacts.verified(run.run_id, str(parent.cell) if parent else BASELINE)
            await run.halt.race(run.desk.pace.subject, run.root.subject.materialise(sealed, order.place))
            start = read_tree(order.place)
        except (CapwrightError, Aborted, OSError):
            self._settle(cell, admission, Report("spawn_failed", called=False), None)
            raise
        run.book.step(cell, "running")
        return start

    async def _dispatch(self, order: Order, admission: Admitted) -> Report:
        """The report of the attempt, or timeout when our own deadline fires; nothing of it is running afterwards."""
        run = self._run
        seconds = min(order.seconds, run.wall_left())
        meter = CallMeter(run.desk.ledger, admission.call_id)
        try:
            report = await run.halt.race(seconds, run.desk.dispatcher.dispatch(order, meter))
        except DeadlineExceeded:
            report = Report("timeout")
            if run.wall_left() <= 0:
                run.halt.abort(Reason.coded("budget_exhausted"))
        except Aborted:
            report = Report("timeout")
        if run.halt.aborted and report.end == "timeout":
            await self._stopped(order, admission, report)
        if not await self._quiesce(order):
            run.desk.leftovers.add(order.place)
            return Report("cleanup_failed", report.usage, report.model, report.called)
        return report

    async def _stopped(self, order: Order, admission: Admitted, report: Report) -> NoReturn:
        """The run ended under the attempt: what it cost is not known, and its cell is closed with the run."""
        run = self._run
        if not await self._quiesce(order):
            run.desk.leftovers.add(order.place)
            run.halt.stop(Reason.coded("cleanup_failed"))
        if not run.halt.lease_lost:
            over = any(reason.code == "budget_exhausted" for reason in run.halt.reasons)
            self._settle(order.cell, admission, report, "timeout" if over else None)
        raise Aborted

    async def _quiesce(self, order: Order) -> bool:
        try:
            desk = self._run.desk
            return await within(desk.clock, desk.pace.subject, desk.dispatcher.quiesce(order))
        except DeadlineExceeded:
            return False

    def _ended(self, cell: CellId, admission: Admitted, report: Report, rule: EndRule, start: Manifest) -> Manifest | None:
        """Settle, and say whether there is something to seal."""
        run = self._run
        if rule.stop is not None:
            run.halt.stop(Reason.coded(rule.stop, rule.detail))
        if rule.keeps_output and self._changed(run.place(str(cell)), start):
            self._settle(cell, admission, report, "sealing")
            return start
        self._settle(cell, admission, report, rule.without_output)
        self._count(cell, rule.without_output)
        if report.end != "cleanup_failed":
            run.clear(run.place(str(cell)))
        return None

    def _changed(self, place: Path, start: Manifest) -> bool:
        try:
            return read_tree(place).digest != start.digest
        except TreeRefused:
            return True  # sealing says what is wrong with it

    async def _seal(self, cell: CellId, place: Path, start: Manifest) -> bool:
        """Check what was left and keep it; True when there is something to score."""
        run = self._run
        try:
            await run.halt.race(run.desk.pace.subject, run.root.subject.seal(place))
            end = read_tree(place)
            hooks = hooks_changed(start, end)
            fault = run.root.subject.check(start, end)
        except TreeRefused as refused:
            self._reject(cell, "tamper" if refused.kind == "foreign" else "policy_violation", str(refused))
        else:
            if hooks or fault is not None:
                state: CellState = "tamper" if hooks or fault is None else fault.state
                self._reject(cell, state, fault.why if fault else f"test hooks: {', '.join(hooks[:8])}")
            elif not end.files:
                self._reject(cell, "no_output", "nothing was left")
            else:
                self._keep(cell, place, end)
                run.clear(place)
                return True
        run.clear(place)
        return False

    def _keep(self, cell: CellId, place: Path, end: Manifest) -> None:
        run = self._run
        try:
            run.desk.artifacts.seal(run.run_id, str(cell), place, end, lambda: run.book.sealed(cell, end.digest))
        except StoreError:
            self._end(cell, "infra_failed")
            raise

    async def _score(self, cell: CellId) -> None:
        run = self._run
        scoring = await self._scorer.score(str(cell))
        if scoring.fail_class in CANDIDATE:
            state: CellState = "valid" if scoring.valid else scoring.fail_class  # type: ignore[assignment]
            await self._record(cell, state, scoring)
            return
        run.book.score(cell, "not_evaluated", scoring)
        run.progress.count("not_evaluated")
        if scoring.fail_class in HOST:
            run.halt.stop(Reason.coded(*HOST[scoring.fail_class]))
        elif run.progress.streak == "not_evaluated":
            run.halt.stop(Reason.coded("evaluator_unavailable"))

    async def _record(self, cell: CellId, state: CellState, scoring: Scoring) -> None:
        """The node, and what it means for the best, the target and the subject."""
        run = self._run
        best = scoring.score is not None and run.progress.would_be_best(scoring.score)
        accepted = run.progress.add(run.book.score(cell, state, scoring, best=best))
        if run.progress.reached(run.request.target) and not run.halt.stopping:
            run.halt.stop(Reason(detail="target_reached"))
        delivery = run.root.delivery
        if accepted:
            sealed = run.desk.artifacts.verified(run.run_id, str(cell))
            await run.halt.race(run.desk.pace.subject, delivery.accept(cell, sealed))
        else:
            await run.halt.race(run.desk.pace.subject, delivery.reject(cell))

    def _reject(self, cell: CellId, state: CellState, why: str) -> None:
        """A candidate that is not scored; the reason stays in the record."""
        self._run.progress.add(self._run.book.end(cell, state))
        self._run.book.note("refused", {"why": why}, subject=str(cell))
        self._stop_for_streak()

    def _settle(self, cell: CellId, admission: Admitted, report: Report, target: CellState | None) -> None:
        usage = report.usage if report.called else None
        self._run.book.settle(cell, admission.call_id, usage, report.model, target)

    def _end(self, cell: CellId, state: CellState) -> None:
        self._run.book.end(cell, state)
        self._count(cell, state)

    def _count(self, cell: CellId, state: CellState) -> None:
        """Cells that end without being looked at count for the streaks; those that say something are nodes."""
        node = self._run.book.node(cell)
        if node.finished:
            self._run.progress.add(node)
        else:
            self._run.progress.count(state)
        self._stop_for_streak()

    def _stop_for_streak(self) -> None:
        streak = self._run.progress.streak
        if streak == "infra_failed":
            self._run.halt.stop(Reason.coded("attempt_failed"))
        elif streak == "policy_violation":
            self._run.halt.stop(Reason.coded("tool_violation", "policy_violation"))

    def _out_of_time(self, cell: CellId) -> None:
        """Our deadline fired outside the attempt: while waiting for a slot, or in the subject's or the evaluator's hands."""
        if self._run.wall_left() <= 0:
            self._run.halt.abort(Reason.coded("budget_exhausted"))
            return
        state = self._run.book.node(cell).state
        if state not in OPEN_STATES:
            self._run.halt.stop(Reason.coded("other"))  # recorded, but the subject did not take notice in time
        elif state == "evaluating":
            self._run.book.score(cell, "not_evaluated", Scoring("eval_timeout", feedback="no answer in time"))
            self._run.progress.count("not_evaluated")
        else:
            self._end(cell, "infra_failed")
