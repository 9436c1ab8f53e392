"""How a replay ended: a closed set of endings, each with its exit code."""

from typing import Any, Literal, TypeAlias

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
