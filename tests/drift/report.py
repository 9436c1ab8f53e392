"""Results as the drift section of BENCHMARKS.md."""

# ruff: noqa: E501

import json
import math
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.drift.operators import OPERATORS
from tests.drift.plans import OTHERS
from tests.drift.trial import Tried

HEAD = "## Drift"


def read(results: Path) -> list[Tried]:
    """All trials of a file."""
    lines = results.read_text().splitlines() if results.exists() else []
    return [Tried(**json.loads(line) | {"applied": tuple(json.loads(line)["applied"])}) for line in lines]


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, in percent."""
    if not of:
        return 0.0, 100.0
    z, share = 1.959964, hits / of
    middle = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return max(0.0, 100 * (middle - spread) / (1 + z * z / of)), min(100.0, 100 * (middle + spread) / (1 + z * z / of))


def names(tried: Tried) -> list[str]:
    """The operators of a trial."""
    return [name for name, _step in json.loads(tried.key)[3]]


def way(tried: Tried) -> str:
    """Whose locators."""
    return str(json.loads(tried.key)[1])


def share(hits: int, of: int) -> str:
    """A share with its interval."""
    low, high = wilson(hits, of)
    return f"{100 * hits / of:.1f} % ({low:.1f}–{high:.1f})" if of else "–"


def counted(trials: list[Tried]) -> tuple[int, int, int]:
    """PASS, SAFE-ABORT, WRONG."""
    return tuple(sum(each.verdict == kind for each in trials) for kind in ("PASS", "SAFE-ABORT", "WRONG"))  # type: ignore[return-value]


def row(title: str, trials: list[Tried], good: Callable[[tuple[int, int, int]], int]) -> str:
    """One line of a table."""
    three = counted(trials)
    return f"| {title} | {len(trials)} | {three[0]} | {three[1]} | {three[2]} | {share(good(three), len(trials))} |"


def report(everything: Iterable[Tried], seeds: str) -> str:
    """The section: totals, every operator, everybody else."""
    ended = list(everything)
    trials = [each for each in ended if set(names(each)) & set(each.applied)]
    ours = [each for each in trials if way(each) == "capwright"]
    single = [each for each in ours if len(names(each)) == 1]

    def of(kind: str) -> list[Tried]:
        return [each for each in single if OPERATORS[names(each)[0]].kind == kind]

    def stack(size: int) -> list[Tried]:
        return [each for each in ours if len(names(each)) == size]

    survived, aborted, safe = (lambda n: n[0]), (lambda n: n[1]), (lambda n: n[0] + n[1])
    head = "| | trials | PASS | SAFE-ABORT | WRONG | |\n|---|---|---|---|---|---|"
    totals = [
        row("one operator that keeps the meaning: survival", of("must pass"), survived),
        *(row(f"{size} stacked: survival", stack(size), survived) for size in (2, 4, 8)),
        row("may pass or abort: not wrong", of("pass or abort"), safe),
        row("negatives: safe abort", of("must abort"), aborted),
        row("all: not wrong", ours, safe),
    ]
    each = [
        row(
            f"{name} ({operator.kind})",
            [one for one in single if names(one) == [name]],
            aborted if operator.kind == "must abort" else safe if operator.kind == "pass or abort" else survived,
        )
        for name, operator in OPERATORS.items()
    ]
    late = sum(each.verdict == "PASS" and each.ending != "ok" for each in ours)
    return "\n".join(
        [
            HEAD,
            "",
            intro(ours, seeds, late, len(ended) - len(trials)),
            "",
            head,
            *totals,
            "",
            "By operator; the last column is survival, or safe aborts for negatives, or what was not wrong.",
            "",
            head,
            *each,
            "",
            "**The same flows with other locators**, one a step, as they were when the flow was done. Survival of one and of four operators, safe aborts of negatives, wrong effects.",
            "",
            *others(trials),
        ]
    )


def intro(ours: list[Tried], seeds: str, late: int, early: int) -> str:
    """What was done."""
    flows = len({json.loads(each.key)[0] for each in ours})
    middle = sorted(each.millis for each in ours)[len(ours) // 2] if ours else 0
    return (
        f"`make drift`: {flows} flows (the console's three tenants; a site of native forms, ARIA widgets, library markup, tables and a wizard), "
        f"each driven once through the product's actor and distilled by it; then {len(ours)} replays by the product on pages that were changed, {seeds} seeds. "
        "PASS: by the server's own log exactly the right effect, once (for reading: exactly the right values); SAFE-ABORT: no effect and a typed ending; "
        f"WRONG: anything else. A step is given the product's 10 s where the flow should survive, 2.5 s where it may stop (and for others' locators). Wilson intervals, 95 %. Median of a trial {middle:.0f} ms "
        f"on a machine that other work shared, several trials at once: an abort for lack of time is counted as an abort. {late} trials did the right thing once and ended otherwise than ok; {early} ended before the page that was to change was drawn and are in no figure."
    )


def others(trials: list[Tried]) -> list[str]:
    """One line for each way of locating."""
    lines = ["| locators | trials | one operator | four stacked | negatives | WRONG |", "|---|---|---|---|---|---|"]
    for name in ("capwright", *OTHERS):
        mine = [each for each in trials if way(each) == name]
        one = [each for each in mine if len(names(each)) == 1]
        kinds = {kind: [each for each in one if OPERATORS[names(each)[0]].kind == kind] for kind in ("must pass", "must abort")}
        four = [each for each in mine if len(names(each)) == 4]
        cells = (
            share(counted(kinds["must pass"])[0], len(kinds["must pass"])),
            share(counted(four)[0], len(four)),
            share(counted(kinds["must abort"])[1], len(kinds["must abort"])),
        )
        lines.append(f"| {name} | {len(mine)} | {' | '.join(cells)} | {counted(mine)[2]} |")
    return lines
