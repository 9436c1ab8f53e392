"""When to stop although nobody said so: no progress, or asking again and again for what is refused."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.run import StopReason
from engine.domain.step import Step
from engine.domain.verdict import Refusal

SAME = 3


@dataclass(frozen=True)
class Stop:
    """Why a run ended, in a closed word and in a sentence."""

    reason: StopReason
    explanation: str


def no_progress(steps: Sequence[Step]) -> Stop | None:
    """The same action on the same state of the page, three times."""
    last = steps[-SAME:]
    if len(last) < SAME or len({(step.fingerprint, step.decision.action.model_dump_json()) for step in last}) > 1:
        return None
    action = last[-1].decision.action.action
    return Stop(
        "no_progress", f"The same {action} on the same page {SAME} times changed nothing; say in the goal how to get past it."
    )


def refused_too_often(steps: Sequence[Step]) -> Stop | None:
    """Three refusals by the policy in a row, or a person's no."""
    last = steps[-1]
    if last.outcome.denied:
        return Stop("approval_denied", last.outcome.problem)
    recent = steps[-SAME:]
    if len(recent) == SAME and all(isinstance(step.verdict, Refusal) and step.verdict.rule != "stale ref" for step in recent):
        return Stop("policy", f"The policy refused {SAME} actions in a row, the last because: {last.outcome.problem}")
    return None
