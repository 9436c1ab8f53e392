"""What an attempt is given, what it reports, and what each kind of report leads to."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from engine.domain.exploration import CellId, CellState, Node, StopCode, StopDetail
from engine.domain.usage import Usage

AttemptEnd: TypeAlias = Literal[
    "done", "stuck", "step_limit", "timeout", "budget", "policy", "model_error", "spawn_failed", "rate_limited",
    "no_account", "isolation_unavailable", "runtime_unsupported", "cleanup_failed", "tool_violation", "transcript_overflow",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class EndRule:
    """What follows: output is sealed and scored unless `cell` says otherwise; `stop` ends the run; `retry` tries again."""

    without_output: CellState
    keeps_output: bool = False
    stop: StopCode | None = None
    detail: StopDetail | None = None
    retry: bool = False


ENDS: dict[AttemptEnd, EndRule] = {
    "done": EndRule("no_output", keeps_output=True),
    "stuck": EndRule("no_output", keeps_output=True),
    "step_limit": EndRule("no_output", keeps_output=True),
    "budget": EndRule("no_output", keeps_output=True),
    "timeout": EndRule("timeout", keeps_output=True),
    "policy": EndRule("policy_violation"),
    "model_error": EndRule("infra_failed", retry=True),
    "spawn_failed": EndRule("infra_failed", retry=True),
    "rate_limited": EndRule("infra_failed", stop="rate_limited"),
    "no_account": EndRule("infra_failed", stop="no_account"),
    "isolation_unavailable": EndRule("infra_failed", stop="isolation_unavailable"),
    "runtime_unsupported": EndRule("infra_failed", stop="runtime_unsupported"),
    "cleanup_failed": EndRule("infra_failed", stop="cleanup_failed"),
    "tool_violation": EndRule("policy_violation", stop="tool_violation"),
    "transcript_overflow": EndRule("runtime_error", stop="other", detail="transcript_overflow"),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What an attempt may know of another cell."""

    cell: str
    state: CellState
    score: float | None
    feedback: str

    @classmethod
    def of(cls, node: Node) -> "Shown":
        """The part of a node that may be shown."""
        return cls(str(node.cell), node.state, node.score, node.feedback)


@dataclass(frozen=True, slots=True)
class Prompt:
    """All that a model may be told: never a budget, a limit or a path. The same for every try of a cell."""

    title: str
    description: str
    cell: str
    seed: int
    parent: Shown | None = None
    seen: tuple[Shown, ...] = ()

    @property
    def sha256(self) -> str:
        """Hash over all of it."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Order:
    """One attempt to make: in which folder, with what in it, how long it may take, and on which approved root."""

    run_id: str
    cell: CellId
    runtime: str
    model: str
    prompt: Prompt
    place: Path
    seconds: float
    root: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """How an attempt ended. `called` is False only when no model was asked, so that it costs nothing.

    `model` is what the provider says; empty when it says nothing.
    """

    end: AttemptEnd
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    called: bool = True


class Meter(Protocol):
    """Where a running attempt says what it has used."""

    def observe(self, micros: int) -> bool:
        """So much so far, in micro-dollars; False when it must stop now."""
        ...


class Dispatcher(Protocol):
    """Makes attempts: in this process, or elsewhere."""

    def price_bound(self, runtime: str, model: str) -> int | None:
        """Most that one attempt can cost, in micro-dollars; None where that cannot be computed."""
        ...

    async def dispatch(self, order: Order, meter: Meter) -> Report:
        """Make the attempt; every expected end is a report."""
        ...

    async def quiesce(self, order: Order) -> bool:
        """True when nothing of the attempt is running any more; its folder does not change from then on."""
        ...


class Attempter(Protocol):
    """One runtime, as the in-process dispatcher knows it."""

    def price_bound(self, model: str) -> int | None:
        """As in Dispatcher."""
        ...

    async def attempt(self, order: Order, meter: Meter) -> Report:
        """As in Dispatcher."""
        ...

    async def quiesce(self, order: Order) -> bool:
        """As in Dispatcher."""
        ...
