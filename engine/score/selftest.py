"""Tries an evaluator on its own fixtures before anybody relies on it."""

from dataclasses import dataclass
from pathlib import Path

from engine.domain.evaluation import Scoring
from engine.domain.exploration import better
from engine.sandbox.scratch import scratch
from engine.score.declaration import Declaration, Fixture
from engine.score.evaluator import Evaluator
from engine.store.trees import copy_tree, read_tree

GOOD_RUNS = 3


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What the fixtures showed: problems in sentences, none when all is well; `noise` is the spread of the good scores."""

    problems: tuple[str, ...]
    noise: float = 0.0
    isolated: bool = True


async def self_test(evaluator: Evaluator, folder: Path, declared: Declaration) -> SelfTest:
    """Score every fixture, and an empty folder, on copies; good ones three times."""
    problems: list[str] = []
    good: list[float] = []
    baselines: list[float] = []
    noise, isolated = 0.0, True
    for fixture in declared.fixtures:
        scorings = [await _score(evaluator, folder / fixture.path, declared) for _ in range(_runs(fixture))]
        isolated = isolated and all(scoring.isolated for scoring in scorings)
        problems += [problem for scoring in scorings if (problem := _problem(fixture, scoring))]
        scores = [scoring.score for scoring in scorings if scoring.score is not None]
        if fixture.kind == "good" and scores:
            good += scores
            noise = max(noise, max(scores) - min(scores))
        if fixture.kind == "baseline":
            baselines += scores
    empty = await _score(evaluator, None, declared)
    if empty.valid or empty.fail_class.startswith("eval_"):
        problems.append(f"an empty folder must be invalid; it was {empty.fail_class} {empty.feedback}".strip())
    top = (max if declared.direction == "max" else min)(good, default=0.0)
    problems += [f"a baseline scores {b}, better than good" for b in baselines if good and better(b, top, declared.direction)]
    return SelfTest(tuple(dict.fromkeys(problems)), noise, isolated)


def _runs(fixture: Fixture) -> int:
    return GOOD_RUNS if fixture.kind == "good" else 1


def _problem(fixture: Fixture, scoring: Scoring) -> str | None:
    told = f"{fixture.kind} fixture {fixture.path} was {scoring.fail_class} {scoring.feedback}".strip()
    if fixture.kind == "good":
        return None if scoring.valid else f"{told}; it must be valid"
    if fixture.kind == "cheating":
        return None if scoring.fail_class == fixture.fail_class else f"{told}; it must fail with {fixture.fail_class}"
    return f"{told}; nothing about it was said" if scoring.fail_class.startswith("eval_") else None


async def _score(evaluator: Evaluator, source: Path | None, declared: Declaration) -> Scoring:
    with scratch() as folder:
        view = folder / "view"
        view.mkdir()
        if source is not None:
            copy_tree(source, view, read_tree(source))
        seconds = declared.limits.wall_seconds * declared.repeats
        return await evaluator.score(view, {"title": "self-test", "description": ""}, seconds)
