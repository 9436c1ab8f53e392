"""What a person or an agent asks of the core: one frozen request with its budget."""

import hashlib
import json
from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, field_validator

from engine.domain.exploration import (
    MAX_BRANCHES,
    MAX_CELLS,
    MAX_PARALLELISM,
    MAX_REFINEMENTS,
    MAX_ROUNDS,
    Direction,
    Grid,
)
from engine.domain.frozen import Frozen

Slug: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
MICROS = 1_000_000


class Budget(Frozen):
    """Limits of one run; money is an admission limit, not a ceiling on what a provider bills."""

    max_agent_calls: int = Field(ge=1, le=1_000_000)
    max_usd: Decimal = Field(gt=0, le=1_000_000, decimal_places=6)
    max_wall_secs: int = Field(ge=1, le=30 * 86_400)
    max_rounds: int = Field(default=1, ge=1, le=MAX_ROUNDS)

    @property
    def max_micros(self) -> int:
        """The money in integer micro-dollars."""
        return int(self.max_usd * MICROS)


class DiscoveryRequest(Frozen):
    """What to explore: ids of approved things only, never a path, an account or a policy."""

    approved_root_id: Slug
    evaluator: Slug
    runtime: Slug
    model: str = Field(default="", max_length=200)
    strategy: Slug = "grid"
    branch_count: int = Field(default=1, ge=1, le=MAX_BRANCHES)
    refine_count: int = Field(default=0, ge=0, le=MAX_REFINEMENTS)
    max_parallelism: int = Field(default=1, ge=1, le=MAX_PARALLELISM)
    max_experiments: int | None = Field(default=None, ge=1, le=MAX_CELLS, description="Candidates of a hill climb")
    budget: Budget
    fork_of: Slug | None = Field(default=None, description="An ended run of the same root: begin at the cell it delivered")
    direction: Direction | None = Field(default=None, description="Must be the evaluator's own when given")
    target: float | None = Field(default=None, allow_inf_nan=False, description="A score that stops new cells")
    round_seed: Literal["baseline", "best"] = "baseline"
    allow_invalid_baseline: bool = False
    keep_partial: bool = Field(default=True, description="A cancelled run still keeps its verified best")

    @property
    def grid(self) -> Grid:
        """Its shape."""
        return Grid(self.branch_count, self.refine_count, self.budget.max_rounds)


class TaskRequest(Frozen):
    """`tasks.create` as it is frozen, approved and executed."""

    assigned_to: Slug
    kind: Literal["discovery"]
    title: str = Field(min_length=1, max_length=200)
    description: str = Field(default="", description="At most 16,000 bytes")
    discovery: DiscoveryRequest

    @field_validator("description")
    @classmethod
    def _short(cls, text: str) -> str:
        if len(text.encode()) > 16_000:
            raise ValueError("the description is longer than 16,000 bytes")
        return text


class FrozenRequest(Frozen):
    """A request with the hashes that were true when it was made; approval binds to `sha256`."""

    task: TaskRequest
    requester: str
    evaluator_hash: str
    root_hash: str
    fork_digest: str = ""
    direction: Direction
    min_delta: float = 0.0
    noise: float = 0.0

    @property
    def sha256(self) -> str:
        """Hash over the canonical JSON of all of it."""
        plain = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(plain.encode()).hexdigest()
