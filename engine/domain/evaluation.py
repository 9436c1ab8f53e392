"""What an evaluator says of a candidate, and whose fault it is when it says nothing."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.domain.exploration import StopCode, StopDetail

FailClass: TypeAlias = Literal[
    "ok", "invalid_solution", "runtime_error", "timeout", "no_output", "tamper",
    "eval_timeout", "eval_crash", "eval_output_limit", "eval_protocol",
    "eval_registry_changed", "eval_isolation", "eval_cleanup", "eval_mutated_input",
]  # fmt: skip
CANDIDATE: frozenset[str] = frozenset({"ok", "invalid_solution", "runtime_error", "timeout", "no_output", "tamper"})
"""The candidate's own doing: a node. An evaluator may answer only these."""

HOST: dict[str, tuple[StopCode, StopDetail | None]] = {
    "eval_registry_changed": ("integrity_changed", "evaluator_changed"),
    "eval_isolation": ("isolation_unavailable", None),
    "eval_cleanup": ("cleanup_failed", None),
    "eval_mutated_input": ("integrity_changed", None),
}
"""The host's: the run ends with this code. What is in neither set leaves the cell not evaluated."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """One answer: `score` is finite exactly when `fail_class` is ok; `feedback` is cleaned and at most 500 bytes."""

    fail_class: FailClass
    score: float | None = None
    feedback: str = ""
    isolated: bool = True

    @property
    def valid(self) -> bool:
        """The candidate solves the task."""
        return self.fail_class == "ok"
