"""How the next cells are chosen: one entry a strategy, pure functions of the request and what was recorded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from engine.domain.exploration import CellId, Node, StopDetail
from engine.domain.exploring import DiscoveryRequest
from engine.explore.progress import Progress


@dataclass(frozen=True, slots=True)
class Wave:
    """Cells to run next, all of one round: branches beside each other, a branch's attempts one after the other."""

    round: int
    cells: tuple[CellId, ...]


@dataclass(frozen=True, slots=True)
class Enough:
    """Nothing more is planned."""

    detail: StopDetail | None = None


class Strategy(Protocol):
    """Plans."""

    def most(self, request: DiscoveryRequest) -> int:
        """The most cells it can come to."""
        ...

    def next(self, request: DiscoveryRequest, progress: Progress) -> Wave | Enough:
        """The next wave, from what is recorded."""
        ...

    def parent(self, request: DiscoveryRequest, progress: Progress, cell: CellId) -> Node | None:
        """What a cell starts from, at the moment it starts; None is the baseline."""
        ...


class GridStrategy:
    """Branches × (refinements + 1) × rounds; a cell's parent is the branch's previous cell."""

    def most(self, request: DiscoveryRequest) -> int:
        """All rounds."""
        return request.grid.cells

    def next(self, request: DiscoveryRequest, progress: Progress) -> Wave | Enough:
        """A whole round at a time."""
        if progress.round >= request.budget.max_rounds:
            return Enough()
        return Wave(progress.round + 1, request.grid.round(progress.round + 1))

    def parent(self, request: DiscoveryRequest, progress: Progress, cell: CellId) -> Node | None:
        """The branch's last usable cell; a root starts from the baseline, or from the best of earlier rounds."""
        seed = progress.round_seed if request.round_seed == "best" else None
        return progress.tip(cell) or seed


class HillClimbStrategy:
    """Candidates one at a time, each from the best accepted; all in branch 0 of round 1."""

    def most(self, request: DiscoveryRequest) -> int:
        """As many candidates as were asked for, else as there may be calls."""
        return request.max_experiments or request.budget.max_agent_calls

    def next(self, request: DiscoveryRequest, progress: Progress) -> Wave | Enough:
        """One more candidate, unless three in a row left nothing."""
        if progress.streak == "no_output":
            return Enough("proposal_failed")
        if progress.planned >= self.most(request):
            return Enough("experiments_used")
        return Wave(1, (CellId(1, 0, progress.planned),))

    def parent(self, request: DiscoveryRequest, progress: Progress, cell: CellId) -> Node | None:
        """The best accepted."""
        return progress.accepted


STRATEGIES: Mapping[str, Strategy] = {"grid": GridStrategy(), "hill_climb": HillClimbStrategy()}
