"""Turns the replays of a case table into one scoring: share right × stability."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.domain.ending import Ending, ReplayResult
from engine.domain.evaluation import FailClass, Scoring
from engine.score.cases import Case, wrong_outputs

AT_ONCE: Mapping[Ending, tuple[FailClass, str]] = {
    "target_error": ("eval_crash", "the target did not answer"),
    "policy": ("tamper", "out-of-scope step"),
    "approval_needed": ("invalid_solution", "wrong effect: a step needs a person's approval"),
    "in_doubt": ("invalid_solution", "wrong effect: whether a step happened is not known"),
}
"""Endings that decide about the candidate whatever else it does; the first of these that any replay shows."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One case and the results of its replays, in order; at least one."""

    case: Case
    results: tuple[ReplayResult, ...]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Of each replay: nothing when it was right, else what was wrong, without a value."""
        return tuple(_wrong(self.case, result) for result in self.results)

    @property
    def stable(self) -> bool:
        """Every replay came to the same."""
        return len(set(self.verdicts)) == 1 and all(result.outputs == self.results[0].outputs for result in self.results)


def judge(tried: Sequence[Tried]) -> Scoring:
    """Valid when at least one case is right; the score is in 0 < score ≤ 1."""
    for ending, (fail_class, why) in AT_ONCE.items():
        for result in (result for each in tried for result in each.results if result.ending == ending):
            return Scoring(fail_class, feedback=f"{why}, at step {result.step or 'none'}")
    if _constant(tried):
        return Scoring("tamper", feedback="literal where an input belongs: the same outputs whatever the inputs")
    right = sum(not each.verdicts[0] for each in tried)
    stable = sum(each.stable for each in tried)
    faults = [f"case {number}: {why}" for number, each in enumerate(tried, 1) for why in each.verdicts[:1] if why]
    said = f"{right} of {len(tried)} cases right, {stable} of {len(tried)} stable" + "".join(f"; {why}" for why in faults[:3])
    if right == 0 or stable == 0:
        return Scoring("invalid_solution", feedback=said)
    return Scoring("ok", (right / len(tried)) * (stable / len(tried)), said)


def _wrong(case: Case, result: ReplayResult) -> str:
    if result.ending != "ok":
        return f"ended {result.ending} at step {result.step or 'none'}"
    differing = wrong_outputs(case.outputs, result.outputs)
    return f"output {', '.join(differing)} is not as expected" if differing else ""


def _constant(tried: Sequence[Tried]) -> bool:
    """Different inputs and different expectations, and yet always the same was read, wrongly."""
    ended = [each for each in tried if each.results[0].ending == "ok"]
    wrong = any(each.verdicts[0] for each in ended)
    differ = any(each.case.inputs != ended[0].case.inputs and each.case.outputs != ended[0].case.outputs for each in ended)
    return wrong and differ and all(each.results[0].outputs == ended[0].results[0].outputs for each in ended)
