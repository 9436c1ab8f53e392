"""The legal edges of the three state machines; schema/003_explore.sql enforces the same table."""

from typing import Literal, TypeAlias

Machine: TypeAlias = Literal["run", "cell", "approval"]

_RUN: dict[str, str] = {
    "pending_approval": "queued terminal",
    "queued": "preparing terminal",
    "preparing": "baseline_running finalizing terminal",
    "baseline_running": "exploring finalizing terminal",
    "exploring": "paused finalizing terminal",
    "paused": "exploring finalizing terminal",
    "finalizing": "terminal",
}
_CELL: dict[str, str] = {
    "planned": "waiting_slot skipped cancelled",
    "waiting_slot": "preparing skipped cancelled void infra_failed",
    "preparing": "running infra_failed cancelled void",
    "running": "preparing sealing timeout no_output runtime_error policy_violation infra_failed cancelled void",
    "sealing": "evaluating tamper no_output policy_violation infra_failed cancelled void",
    "evaluating": "valid invalid_solution runtime_error timeout no_output tamper not_evaluated cancelled void",
}
_APPROVAL: dict[str, str] = {"pending": "approved denied expired withdrawn"}


def _pairs(table: dict[str, str]) -> frozenset[tuple[str, str]]:
    return frozenset((source, target) for source, targets in table.items() for target in targets.split())


EDGES: dict[Machine, frozenset[tuple[str, str]]] = {"run": _pairs(_RUN), "cell": _pairs(_CELL), "approval": _pairs(_APPROVAL)}


def legal(machine: Machine, source: str, target: str) -> bool:
    """True when the table holds the edge."""
    return (source, target) in EDGES[machine]
