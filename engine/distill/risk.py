"""What repeating a step would mean, and from that the risk class of the whole."""

from collections.abc import Iterable

from engine.distill.prune import Turn
from engine.domain.action import Select, Type
from engine.domain.capability import CapabilityStep, RiskClass
from engine.domain.step import StepEffect

RANK: dict[RiskClass, int] = {"read_only": 0, "reversible": 1, "irreversible": 2}


def effect(turn: Turn) -> StepEffect:
    """commit: the page wrote something; idempotent: a field was filled, or a login; read: neither."""
    verdict = turn.step.verdict
    login = verdict.kind != "refusal" and verdict.facts.form_password
    if turn.writes:
        return "idempotent" if login else "commit"
    return "idempotent" if isinstance(turn.action, Type | Select) else "read"


def risk_class(steps: Iterable[CapabilityStep], proposed: RiskClass | None = None) -> RiskClass:
    """read_only without a commit; else irreversible, or reversible where a model says so and no dialog warned of it."""
    commits = [step for step in steps if step.effect == "commit"]
    if not commits:
        return proposed if proposed else "read_only"
    floor: RiskClass = "irreversible" if any(step.dialog for step in commits) else "reversible"
    return proposed if proposed and RANK[proposed] >= RANK[floor] else "irreversible"
