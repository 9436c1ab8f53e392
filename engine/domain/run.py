"""One execution of discovery: what was asked, what it may cost, and how it ended."""

from typing import Literal, TypeAlias

from pydantic import Field

from engine.domain.frozen import Frozen
from engine.domain.step import Value
from engine.domain.usage import Usage

StopReason: TypeAlias = Literal[
    "done", "stuck", "no_progress", "step_limit", "timeout", "policy", "approval_denied", "evidence",
    "model_unavailable", "model_rate_limited", "model_timeout", "model_garbled", "browser", "target", "interrupted", "fault",
]  # fmt: skip
"""Closed set; one cause each. `policy`: the planner kept asking for what is forbidden, or the page left the scope."""

RunStatus: TypeAlias = Literal[
    "running", "done", "not_distilled", "stuck", "limit", "policy", "model", "browser", "interrupted", "fault"
]

STATUS_OF: dict[str, RunStatus] = {
    "done": "done", "stuck": "stuck", "no_progress": "stuck", "step_limit": "limit", "timeout": "limit",
    "policy": "policy", "approval_denied": "policy", "evidence": "policy",
    "model_unavailable": "model", "model_rate_limited": "model", "model_timeout": "model", "model_garbled": "model",
    "browser": "browser", "target": "browser", "interrupted": "interrupted", "fault": "fault",
}  # fmt: skip

EXIT_OF: dict[RunStatus, int] = {
    "done": 0, "stuck": 3, "limit": 4, "policy": 5, "model": 6, "browser": 7, "not_distilled": 8, "interrupted": 130,
    "fault": 1,
}  # fmt: skip


class Goal(Frozen):
    """What is wanted; secrets in it are already replaced by `{{secret.NAME}}`."""

    text: str = Field(min_length=1, max_length=16_000)
    target: str = Field(description="Base URL")
    inputs: dict[str, str] = Field(default_factory=dict, description="Named values the caller says are inputs")
    secrets: tuple[str, ...] = Field(default=(), description="Names of the secrets that may be typed")
    examples: tuple[dict[str, str], ...] = Field(default=(), description="Other inputs to prove the draft with")


class RunResult(Frozen):
    """How a discovery ended: the content of result.json and of `--json`."""

    run_id: str
    status: RunStatus
    stop_reason: StopReason
    explanation: str = Field(description="A sentence for a person: what happened and what to do next")
    capability: str | None = None
    outputs: tuple[Value, ...] = ()
    steps: int = 0
    model: str = ""
    usage: Usage = Usage()
    evidence: str = ""

    @property
    def exit_code(self) -> int:
        """The process exit code that this ending means."""
        return EXIT_OF[self.status]

    def printed(self) -> dict[str, object]:
        """The one JSON object of `--json`: outputs by name, money in dollars, null while unknown."""
        usage = self.usage.model_dump(exclude={"usd_micros"})
        usd = None if self.usage.usd_micros is None else self.usage.usd_micros / 1_000_000
        plain = self.model_dump(mode="json", exclude={"outputs", "usage"})
        return {**plain, "outputs": {value.name: value.parsed for value in self.outputs}, "usage": {**usage, "usd": usd}}
