"""What the requests of the core return."""

from typing import Literal, TypeAlias

from pydantic import Field

from engine.domain.cost import UsdSource
from engine.domain.exploration import ApprovalState, CancelCode, Direction, RunState, RunStatus, StopCode, StopDetail
from engine.domain.frozen import Frozen
from engine.store.artifacts import SealedFile
from engine.store.explorations import CellRecord, RoundRecord

ApprovalStatus: TypeAlias = Literal["pending", "approved", "denied", "expired", "withdrawn", "not_required"]


class CostAnswer(Frozen):
    """Micro-dollars, apart by how they are known."""

    reported: int
    estimated: int
    unknown_liability: int
    pending: int
    max_usd_micros: int
    usd_source: UsdSource


class RunSummary(Frozen):
    """One run in a list."""

    run_id: str
    agent_id: str
    title: str
    requested_by: str
    fork_of: str | None
    state: RunState
    status: RunStatus | None
    approval_status: ApprovalStatus
    approval_expires_at: int | None = Field(description="Milliseconds since the epoch")
    stop_code: StopCode | None
    stop_detail: StopDetail | None
    cancel_code: CancelCode | None
    degraded: bool
    isolation_degraded: bool
    cost: CostAnswer
    calls: int
    max_calls: int
    model_requests: int
    direction: Direction
    baseline_score: float | None
    best_score: float | None
    best_cell_id: str | None
    winner_cell_id: str | None
    improved: bool | None
    planned_cells: int
    covered_cells: str = Field(description="How much of the plan the call limit covers: `6 of 8`")
    finished_nodes: int
    elapsed_secs: float
    tree_available: bool
    artifact_verified: bool
    artifact_expires_at: int | None
    created_at: int


class CatalogAnswer(Frozen):
    """What a caller may ask for."""

    agent_id: str
    approved_roots: tuple[str, ...]
    evaluators: tuple[str, ...]
    runtimes: tuple[str, ...]
    strategies: tuple[str, ...]
    can_create: bool
    requires_approval: bool
    limits: dict[str, int]


class Created(Frozen):
    """A new run."""

    task_id: str
    run_id: str
    status: RunState
    approval_id: str | None


class RunList(Frozen):
    """Runs, newest first."""

    runs: tuple[RunSummary, ...]


class Tree(Frozen):
    """A run with its cells; `next_cell` is where the next page begins, None after the last."""

    run: RunSummary
    nodes: tuple[CellRecord, ...]
    rounds: tuple[RoundRecord, ...]
    next_cell: str | None = None
    tree_unavailable_reason: str | None = None


class Standing(Frozen):
    """Where a run is after a request that steers it."""

    run_id: str
    status: RunState


class ArtifactAnswer(Frozen):
    """Verified metadata of the delivered artifact."""

    run_id: str
    cell_id: str
    digest: str
    expires_at: int
    files: tuple[SealedFile, ...]


class FileContent(Frozen):
    """One file with its bytes."""

    file: SealedFile
    content_base64: str


class EventAnswer(Frozen):
    """One event; `body` is JSON."""

    seq: int
    at: int
    kind: str
    subject: str
    source: str
    target: str
    body: str


class EventPage(Frozen):
    """Events after a sequence number, and where to go on."""

    events: tuple[EventAnswer, ...]
    next_seq: int


class ReceiptAnswer(Frozen):
    """A decision that was written."""

    approval_id: str
    request_sha256: str
    approve: bool
    decided_by: str
    decided_at: int
    comment: str
    hash: str


class ApprovalAnswer(Frozen):
    """One approval of the inbox."""

    approval_id: str
    run_id: str
    title: str
    state: ApprovalState
    requested_by: str
    requested_at: int
    expires_at: int
    request_sha256: str
    receipt: ReceiptAnswer | None


class ApprovalList(Frozen):
    """Approvals, newest first."""

    approvals: tuple[ApprovalAnswer, ...]
