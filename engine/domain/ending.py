"""How a replay ended: a closed set of endings, each with its exit code."""

from collections.abc import Mapping
from typing import Any, Literal, Self, TypeAlias

from pydantic import Field

from engine.domain.frozen import Frozen

Ending: TypeAlias = Literal[
    "ok", "input_invalid", "drift", "ambiguous", "checkpoint_failed", "output_invalid", "policy", "approval_needed",
    "auth_expired", "dialog_unexpected", "target_error", "timeout", "in_doubt", "not_approved", "tampered",
]  # fmt: skip

EXIT_OF_ENDING: dict[Ending, int] = {
    "ok": 0, "input_invalid": 2, "drift": 10, "ambiguous": 11, "checkpoint_failed": 12, "output_invalid": 13, "policy": 14,
    "approval_needed": 15, "auth_expired": 16, "dialog_unexpected": 17, "target_error": 18, "timeout": 19, "in_doubt": 20,
    "not_approved": 21, "tampered": 22,
}  # fmt: skip


class StepReplayed(Frozen):
    """One step of a replay: which locator matched (0 is the first choice), and how long it took."""

    id: str
    locator: int | None = None
    millis: float = 0
    skipped: bool = False


class ReplayResult(Frozen):
    """The one JSON object that a replay answers with."""

    capability: str
    version: str
    ending: Ending
    outputs: dict[str, Any] = Field(default_factory=dict)
    step: str | None = Field(default=None, description="The step it stopped at")
    expected: str = ""
    seen: str = ""
    explanation: str = ""
    steps: tuple[StepReplayed, ...] = ()
    millis: float = 0
    evidence: str | None = None
    run_id: str = ""

    @property
    def exit_code(self) -> int:
        """The process exit code that this ending means."""
        return EXIT_OF_ENDING[self.ending]


class RowReplayed(Frozen):
    """One row of a batch: its number from 1, the inputs it ran with (secrets are none of them), and how it ended."""

    row: int
    inputs: dict[str, str] = Field(default_factory=dict)
    result: ReplayResult


class BatchResult(Frozen):
    """The one JSON object that a batch answers with; `rows` lacks those that were not begun."""

    capability: str
    version: str
    total: int
    rows: tuple[RowReplayed, ...] = ()

    @classmethod
    def of(cls, result: ReplayResult, inputs: Mapping[str, str]) -> Self:
        """A single replay as a batch of one."""
        row = RowReplayed(row=1, inputs=dict(inputs), result=result)
        return cls(capability=result.capability, version=result.version, total=1, rows=(row,))

    @property
    def exit_code(self) -> int:
        """That of the first row that did not end ok; 0 when all did."""
        return next((row.result.exit_code for row in self.rows if row.result.exit_code), 0)
