"""What was already done, read from the history alone: every reason we gave begins with the part of the goal it served."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.domain.action import Action
from engine.domain.step import Outcome, Step
from engine.domain.verdict import Refusal

_TAG = re.compile(r"^Part (\d+) of \d+: (.*)$", re.DOTALL)
ASIDE = -1
"""The part of steps that serve none: dismissing what is in the way, waiting."""


@dataclass(frozen=True)
class Deed:
    """One earlier step of ours: for which part, why, what, and what came of it."""

    number: int
    part: int
    why: str
    action: Action
    outcome: Outcome
    ok: bool
    changed: bool
    refused: bool = False


@dataclass(frozen=True)
class Past:
    """Deeds in order, oldest first."""

    deeds: tuple[Deed, ...] = ()

    def of(self, part: int) -> "Past":
        """Those that served one part."""
        return Past(tuple(deed for deed in self.deeds if deed.part == part))

    def after(self, why: str) -> "Past":
        """Those since the last one with this reason."""
        last = max((index for index, deed in enumerate(self.deeds) if deed.why == why), default=-1)
        return Past(self.deeds[last + 1 :])

    @property
    def part(self) -> int:
        """The furthest part that was begun; 0 at the start."""
        return max((deed.part for deed in self.deeds), default=0)

    @property
    def last(self) -> Deed | None:
        """The latest deed."""
        return self.deeds[-1] if self.deeds else None

    def did(self, why: str) -> bool:
        """Whether an action with this reason went well."""
        return any(deed.ok and deed.why == why for deed in self.deeds)

    def count(self, why: str) -> int:
        """How often this reason was given."""
        return sum(deed.why == why for deed in self.deeds)

    def vain(self, why: str) -> list[Deed]:
        """The latest unbroken attempts with this reason that failed or changed nothing."""
        mine = [deed for deed in self.deeds if deed.why == why]
        vain: list[Deed] = []
        while mine and not (mine[-1].ok and mine[-1].changed):
            vain.append(mine.pop())
        return vain


def tagged(part: int, parts: int, why: str) -> str:
    """The reason of a step, from which `recall` knows its part again."""
    return why if part == ASIDE else f"Part {part + 1} of {parts}: {why}"


def recall(history: Sequence[Step], fingerprint: str) -> Past:
    """The past as the history tells it; `fingerprint` is the page's now."""
    marks = pairwise((*(step.fingerprint for step in history), fingerprint))
    return Past(tuple(_deed(step, before != after) for step, (before, after) in zip(history, marks, strict=True)))


def _deed(step: Step, changed: bool) -> Deed:
    match = _TAG.match(step.decision.reason)
    part, why = (int(match[1]) - 1, match[2]) if match else (ASIDE, step.decision.reason)
    outcome = step.outcome
    moved = changed or bool(outcome.downloads or outcome.values or outcome.new_tab)
    refused = outcome.denied or (isinstance(step.verdict, Refusal) and step.verdict.rule != "stale ref")
    return Deed(step.number, part, why, step.decision.action, outcome, outcome.ok, moved, refused)
