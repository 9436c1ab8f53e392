"""The end of a run: the winner is scored again, delivered, and everything is written."""

from dataclasses import dataclass
from pathlib import Path

from engine.domain.evaluation import CANDIDATE, HOST
from engine.domain.exploration import CellId, Node, RunStatus, better
from engine.errors import DeadlineExceeded, HostFault, IntegrityChanged, NotFound
from engine.explore.context import RunContext
from engine.explore.halt import Aborted, Reason, outcome
from engine.explore.scoring import Scorer
from engine.subjects.subject import Winner

FINALISTS = 3


@dataclass(frozen=True, slots=True)
class Finals:
    """Chooses and delivers."""

    run: RunContext

    async def hold(self) -> RunStatus:
        """End the run; returns its status."""
        run = self.run
        if run.book.record().state in ("preparing", "baseline_running", "exploring", "paused"):
            run.book.move("finalizing")
        winner = await self._winner() if self._may_deliver() else None
        improved = self._improved(winner)
        if winner is not None:
            await self._deliver(winner, improved)
        if run.progress.infra_failed:
            run.halt.stop(Reason.coded("attempt_failed"))  # last: whatever else there is says more
        why = outcome(run.halt.reasons, has_winner=winner is not None)
        run.desk.artifacts.sweep(run.run_id)
        if not run.desk.remove(run.desk.work / run.run_id):
            run.desk.leftovers.add(run.desk.work / run.run_id)
            why = outcome([*run.halt.reasons, Reason.coded("cleanup_failed")], has_winner=winner is not None)
        assert why.status is not None
        return run.book.finish(
            why.status, code=why.code, detail=why.detail, winner=winner.cell if winner else None, improved=improved
        )

    def _may_deliver(self) -> bool:
        """A cancelled run keeps its best only when it was asked to."""
        return self.run.book.record().cancel_code is None or self.run.request.keep_partial

    async def _winner(self) -> Node | None:
        """The first of the three best that passes a second scoring; without time for one, the first that is intact."""
        rejected = unscored = False
        for node in self._finalists():
            try:
                self._intact(node)
                verdict = await self._again(node)
            except (IntegrityChanged, NotFound):
                self.run.halt.stop(Reason.coded("integrity_changed"))
                continue
            if verdict == "passed":
                return node
            rejected = rejected or verdict == "rejected"
            unscored = unscored or verdict == "unscored"
        if unscored:
            self.run.halt.stop(Reason.coded("evaluator_unavailable"))
        elif rejected:
            self.run.halt.stop(Reason.coded("winner_rejected"))
        return None

    def _finalists(self) -> tuple[Node, ...]:
        best = self.run.progress.best
        others = [node for node in self.run.book.finalists(FINALISTS) if best is None or node.cell != best.cell]
        return tuple(([best] if best else []) + others)[:FINALISTS]

    def _intact(self, node: Node) -> Path:
        """The artifact as it was sealed, with the digest that the node was recorded with."""
        path = self.run.desk.artifacts.verified(self.run.run_id, str(node.cell))
        if self.run.desk.artifacts.find(self.run.run_id, str(node.cell)).digest != node.digest:
            raise IntegrityChanged(f"the node {node.cell} has another digest than its artifact")
        return path

    async def _again(self, node: Node) -> str:
        """passed, rejected or unscored."""
        run = self.run
        changed = any(reason.detail == "evaluator_changed" for reason in run.halt.reasons)
        if run.halt.aborted or changed or run.wall_left() <= 0:
            return "passed"  # no time, or nobody to ask: the verified first scoring stands
        try:
            scoring = await Scorer(run).score(str(node.cell))
        except (DeadlineExceeded, Aborted):
            return "passed"
        except HostFault as fault:
            run.fault(fault)
            return "unscored"
        body = {"fail_class": scoring.fail_class, "score": scoring.score}
        run.book.note("second_scoring", body, subject=str(node.cell))
        if scoring.fail_class in HOST:
            run.halt.stop(Reason.coded(*HOST[scoring.fail_class]))
        if scoring.fail_class not in CANDIDATE:
            return "unscored"
        if scoring.score is None or node.score is None:
            return "rejected"
        terms = run.evaluator.terms
        slack = max(terms.min_delta, 2 * terms.noise)
        return "rejected" if better(node.score, scoring.score, terms.direction, slack) else "passed"

    def _improved(self, winner: Node | None) -> bool | None:
        if winner is None or winner.score is None:
            return None
        progress = self.run.progress
        if progress.baseline is None:
            return True
        return better(winner.score, progress.baseline, progress.direction, progress.min_delta)

    async def _deliver(self, winner: Node, improved: bool | None) -> None:
        run = self.run
        terms = run.evaluator.terms
        told = Winner(
            run.run_id, CellId.parse(str(winner.cell)), winner.score or 0.0, terms.name, terms.hash, winner.digest, improved
        )
        try:
            if await run.root.subject.verify() != run.record.request.root_hash:
                run.halt.stop(Reason.coded("integrity_changed", "root_changed"))
            run.book.note("export", {"digest": winner.digest}, subject=str(winner.cell))  # the intent before the effect
            await run.root.delivery.export(self._intact(winner), told)
        except HostFault as fault:
            run.fault(fault)
