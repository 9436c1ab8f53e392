"""The nouns of an exploration: cells on a grid of rounds, their states, and the closed sets of codes a run may end with."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

MAX_CELLS = 20_000
MAX_BRANCHES = 1_000
MAX_REFINEMENTS = 1_000
MAX_PARALLELISM = 64
MAX_ROUNDS = 100
WORKER_SLOTS = 4
RETRY_SECONDS = (1.0, 2.0)
APPROVAL_SECONDS = 24 * 3600
STREAK = 3
"""So many cells in a row that say nothing of their candidate end the run."""
SIGHT = 8
"""So many finished nodes, the best first, are shown to an attempt beside its own ancestors."""

RunState: TypeAlias = Literal[
    "pending_approval", "queued", "preparing", "baseline_running", "exploring", "paused", "finalizing", "terminal"
]
RunStatus: TypeAlias = Literal[
    "cancelled", "blocked", "interrupted", "rate_limited", "budget_exhausted", "degraded", "complete", "failed"
]
PRECEDENCE: tuple[RunStatus, ...] = (
    "cancelled", "blocked", "interrupted", "rate_limited", "budget_exhausted", "degraded", "complete", "failed",
)  # fmt: skip
"""When several apply, the first of these is the status; a dead controller outranks what it was about to say."""

StopCode: TypeAlias = Literal[
    "no_account", "budget_exhausted", "rate_limited", "isolation_unavailable", "runtime_unsupported", "cleanup_failed",
    "integrity_changed", "winner_rejected", "evaluator_unavailable", "attempt_failed", "tool_violation", "other",
]  # fmt: skip
STATUS_OF: dict[StopCode, RunStatus] = {
    "no_account": "degraded", "budget_exhausted": "budget_exhausted", "rate_limited": "rate_limited",
    "isolation_unavailable": "degraded", "runtime_unsupported": "degraded", "cleanup_failed": "degraded",
    "integrity_changed": "degraded", "winner_rejected": "degraded", "evaluator_unavailable": "degraded",
    "attempt_failed": "degraded", "tool_violation": "degraded", "other": "degraded",
}  # fmt: skip
CancelCode: TypeAlias = Literal["approval_denied", "approval_expired", "cancelled_by_user"]
StopDetail: TypeAlias = Literal[
    "baseline_invalid", "target_reached", "experiments_used", "plan_failed", "grid_limit", "quota_exceeded", "lease_lost",
    "store_unavailable", "transcript_overflow", "policy_violation", "proposal_failed", "attempt_uncertain",
    "evaluator_changed", "root_changed", "operator_stop",
]  # fmt: skip

CellState: TypeAlias = Literal[
    "planned", "waiting_slot", "preparing", "running", "sealing", "evaluating",
    "valid", "invalid_solution", "runtime_error", "timeout", "no_output", "tamper", "policy_violation", "not_evaluated",
    "void", "infra_failed", "cancelled", "skipped",
]  # fmt: skip
NODE_STATES: frozenset[str] = frozenset(
    {"valid", "invalid_solution", "runtime_error", "timeout", "no_output", "tamper", "policy_violation"}
)
"""Finished attempts that say something of their candidate; only these are nodes."""
OPEN_STATES: tuple[str, ...] = ("planned", "waiting_slot", "preparing", "running", "sealing", "evaluating")

ApprovalState: TypeAlias = Literal["pending", "approved", "denied", "expired", "withdrawn"]
Direction: TypeAlias = Literal["max", "min"]

_CELL = re.compile(r"r([1-9]\d*)-b(0|[1-9]\d*)-a(0|[1-9]\d*)")


@dataclass(frozen=True, order=True, slots=True)
class CellId:
    """Where a cell stands: round from 1, branch from 0, attempt from 0 (the root); text form `r1-b0-a0`."""

    round: int
    branch: int
    attempt: int

    def __str__(self) -> str:
        return f"r{self.round}-b{self.branch}-a{self.attempt}"

    @classmethod
    def parse(cls, text: str) -> "CellId":
        """The cell of a canonical text (no signs, no leading zeros, ASCII digits); raises ValueError."""
        found = _CELL.fullmatch(text) if text.isascii() else None
        if found is None:
            raise ValueError(f"{text[:80]!r} is no cell id; one looks like r1-b0-a0")
        return cls(int(found[1]), int(found[2]), int(found[3]))


@dataclass(frozen=True, slots=True)
class Grid:
    """The shape of one round and how many there may be."""

    branches: int
    refinements: int
    rounds: int

    @property
    def cells_per_round(self) -> int:
        """branches × (refinements + 1)."""
        return self.branches * (self.refinements + 1)

    @property
    def cells(self) -> int:
        """All rounds together."""
        return self.cells_per_round * self.rounds

    def round(self, number: int) -> tuple[CellId, ...]:
        """The cells of one round, branch by branch."""
        return tuple(CellId(number, b, a) for b in range(self.branches) for a in range(self.refinements + 1))


@dataclass(frozen=True, slots=True)
class Node:
    """A finished attempt: what later cells may be shown of it, and what the best is chosen from."""

    cell: CellId
    state: CellState
    score: float | None = None
    feedback: str = ""
    digest: str = ""
    parent: CellId | None = None
    finished: int = 0  # 1, 2, 3 … in the order in which nodes finished

    @property
    def may_be_parent(self) -> bool:
        """It left something behind and did not cheat."""
        return bool(self.digest) and self.state not in ("tamper", "policy_violation")


def better(score: float, than: float, direction: Direction, min_delta: float = 0.0) -> bool:
    """True when a score beats another by more than `min_delta`; a tie never does, so the first is kept."""
    gain = score - than if direction == "max" else than - score
    return gain > min_delta
