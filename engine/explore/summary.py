"""Puts one run into the words of the requests."""

from dataclasses import dataclass

from engine.domain.cost import Cost
from engine.domain.exploration import MAX_CELLS
from engine.errors import CapwrightError
from engine.explore.answers import CostAnswer, RunSummary
from engine.explore.desk import Desk
from engine.store.explorations import RunRecord


@dataclass(frozen=True, slots=True)
class Summaries:
    """Reads what a summary needs beside the run's row."""

    desk: Desk

    def of(self, run: RunRecord, *, verify: bool = False) -> RunSummary:
        """The summary; `verify` reads the delivered artifact's bytes, else its row is believed."""
        cost = self.desk.ledger.cost(run.run_id)
        approval = self.desk.approvals.of_run(run.run_id)
        expires, verified = self._artifact(run, verify)
        request = run.request.task
        planned = max(run.planned_cells, self._planned(run))
        return RunSummary(
            run_id=run.run_id, agent_id=run.agent_id, title=request.title, requested_by=run.requester,
            fork_of=request.discovery.fork_of, state=run.state, status=run.status,
            approval_status=approval.state if approval else "not_required",
            approval_expires_at=approval.expires_ms if approval else None,
            stop_code=run.stop_code, stop_detail=run.stop_detail, cancel_code=run.cancel_code,
            degraded=run.status == "degraded" or not run.isolated, isolation_degraded=not run.isolated,
            cost=_cost(cost), calls=cost.calls, max_calls=cost.max_calls, model_requests=cost.model_requests,
            direction=run.request.direction, baseline_score=run.baseline_score, best_score=run.best_score,
            best_cell_id=run.best_cell_id, winner_cell_id=run.winner_cell_id, improved=run.improved,
            planned_cells=planned, covered_cells=f"{min(planned, cost.max_calls)} of {planned}",
            finished_nodes=run.finished_nodes, elapsed_secs=run.wall_used_ms(self.desk.clock.now_ms()) / 1000,
            tree_available=run.planned_cells <= MAX_CELLS, artifact_verified=verified, artifact_expires_at=expires,
            created_at=run.created_ms,
        )  # fmt: skip

    def _planned(self, run: RunRecord) -> int:
        strategy = self.desk.strategies.get(run.request.task.discovery.strategy)
        return strategy.most(run.request.task.discovery) if strategy else 0

    def _artifact(self, run: RunRecord, verify: bool) -> tuple[int | None, bool]:
        if run.winner_cell_id is None:
            return None, False
        try:
            found = self.desk.artifacts.find(run.run_id, run.winner_cell_id)
            if verify:
                self.desk.artifacts.verified(run.run_id, run.winner_cell_id)
        except CapwrightError:
            return None, False
        return found.expires_ms, not found.pruned


def _cost(cost: Cost) -> CostAnswer:
    return CostAnswer(
        reported=cost.reported, estimated=cost.estimated, unknown_liability=cost.unknown, pending=cost.pending,
        max_usd_micros=cost.max_micros, usd_source=cost.source,
    )  # fmt: skip
