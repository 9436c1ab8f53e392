"""What has been recorded of a run so far, as far as planning and stopping need it."""

from dataclasses import dataclass, field

from engine.domain.exploration import STREAK, CellId, CellState, Direction, Node, better


@dataclass
class Progress:
    """Grows with every cell that ends, in the order in which they end. Small: it does not grow with the run."""

    direction: Direction
    min_delta: float = 0.0
    baseline: float | None = None
    planned: int = 0
    round: int = 0
    nodes: int = 0
    best: Node | None = None
    accepted: Node | None = None  # the best that also beats the baseline
    round_seed: Node | None = None  # the best when this round was planned
    tips: dict[int, Node] = field(default_factory=dict)  # by branch: the last cell of this round that may be a parent
    infra_failed: int = 0
    _streak: tuple[str, int] = ("", 0)

    def begin(self, round_number: int, cells: int) -> None:
        """A wave of a round was planned."""
        if round_number != self.round:
            self.round, self.tips, self.round_seed = round_number, {}, self.best
        self.planned += cells

    def would_be_best(self, score: float) -> bool:
        """The first of equals stays the best."""
        return self.best is None or self.best.score is None or self._better(score, self.best.score)

    def add(self, node: Node) -> bool:
        """A node finished; True when it is accepted: the best, and better than the baseline."""
        self.nodes += 1
        self.count(node.state)
        if node.may_be_parent:
            self.tips[node.cell.branch] = node
        if node.score is None or node.state != "valid":
            return False
        if self.would_be_best(node.score):
            self.best = node
        bar = self.accepted.score if self.accepted is not None else self.baseline
        if bar is not None and not self._better(node.score, bar):
            return False
        self.accepted = node
        return True

    def count(self, state: CellState) -> None:
        """A cell ended in this state."""
        self.infra_failed += state == "infra_failed"
        self._streak = (state, self._streak[1] + 1 if self._streak[0] == state else 1)

    @property
    def streak(self) -> str:
        """The state in which the last three cells all ended, or nothing."""
        state, length = self._streak
        return state if length >= STREAK else ""

    def reached(self, target: float | None) -> bool:
        """The best is at least as good as the target."""
        if target is None or self.best is None or self.best.score is None:
            return False
        return self.best.score == target or better(self.best.score, target, self.direction)

    def tip(self, cell: CellId) -> Node | None:
        """What the branch of a cell has come to in this round."""
        return self.tips.get(cell.branch) if cell.attempt > 0 else None

    def _better(self, score: float, than: float) -> bool:
        return better(score, than, self.direction, self.min_delta)
