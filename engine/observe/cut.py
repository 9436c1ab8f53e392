"""Keeps a page within its budget: long tables and lists end in a counted marker, and what still does not fit is counted too.

A marker is a line of its own: `… 87 more rows, widen e40`. Widening its ref shows all of that table or list, or, when the ref
is that of a single line, what follows from there.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.observe.lines import Line
from engine.observe.tokens import tokens

LONG = 25
"""A table or list with more items than this is cut …"""
SHOWN = 20
"""… to so many, unless it is widened."""

TEXT = 700
"""A text longer than this many characters is cut to `TEXT_SHOWN`, unless its ref is widened."""
TEXT_SHOWN = 500

MARKER_TOKENS = 14
FOLLOWING = 150
"""Lines shown from a widened single line on."""

RANKS = (3, SHOWN)
"""When the budget is short, items up to these indices go first, then the rest; what stands outside lists goes before all."""


def fit(lines: Sequence[Line], max_tokens: int, widened: frozenset[str]) -> list[Line]:
    """The lines to show, markers among them; together at most `max_tokens` by `tokens`."""
    short = [_shortened(line, widened) for line in lines]
    wanted = _wanted(short, widened)
    return _marked(short, _affordable(short, wanted, max_tokens, widened), widened)


def _shortened(line: Line, widened: frozenset[str]) -> Line:
    if len(line.text) <= TEXT or (line.ref in widened) or line.refs:
        return line
    left = len(line.text) - TEXT_SHOWN
    return replace(line, text=f"{line.text[:TEXT_SHOWN]} … {left} more characters, widen {line.ref or 'the page'}")


def _wanted(lines: Sequence[Line], widened: frozenset[str]) -> list[int]:
    """Indices of lines that are shown if there is room: not those deep in long tables and lists."""
    sizes: dict[str, int] = {}
    for line in lines:
        for owner, index in line.places:
            sizes[owner] = max(sizes.get(owner, 0), index + 1)
    anchors = _anchored(lines, widened)
    return [
        at
        for at, line in enumerate(lines)
        if at in anchors or all(index < SHOWN or sizes[owner] <= LONG or owner in widened for owner, index in line.places)
    ]


def _anchored(lines: Sequence[Line], widened: frozenset[str]) -> dict[int, int]:
    """Lines that follow a widened single line, and where the nearest such line is."""
    owners = {owner for line in lines for owner, _ in line.places}
    starts = [at for at, line in enumerate(lines) if line.ref in widened and line.ref not in owners]
    return {at: start for start in starts for at in range(start, min(start + FOLLOWING, len(lines)))}


def _affordable(lines: Sequence[Line], wanted: list[int], max_tokens: int, widened: frozenset[str]) -> frozenset[int]:
    """As many of the wanted lines as the budget holds, most telling first; all of them if they fit."""
    costs = {at: tokens(f"{lines[at]}\n") for at in wanted}
    gaps = 2 + sum(1 for one, two in itertools.pairwise(wanted) if two - one > 1)
    if sum(costs.values()) + gaps * MARKER_TOKENS <= max_tokens:
        return frozenset(wanted)
    rank = _ranking(_anchored(lines, widened), widened)
    left = max_tokens - 2 * MARKER_TOKENS
    chosen: set[int] = set()
    for at in sorted(wanted, key=lambda at: (rank(at, lines[at]), at)):
        opens = MARKER_TOKENS * (1 - (at - 1 in chosen) - (at + 1 in chosen))
        if costs[at] + opens > left:
            break
        left -= costs[at] + opens
        chosen.add(at)
    return frozenset(chosen)


def _ranking(anchors: Mapping[int, int], widened: frozenset[str]) -> Callable[[int, Line], float]:
    """What goes first when not all fits: lines outside lists, what follows the lowest widened line, widened lists, the rest."""

    def rank(at: int, line: Line) -> float:
        if at in anchors:
            return 1 - anchors[at] / 1_000_000
        if any(owner in widened for owner, _ in line.places):
            return 2
        deepest = max((index for _, index in line.places), default=-1)
        return 0 if deepest < 0 else 3 + sum(deepest >= bound for bound in RANKS)

    return rank


def _marked(lines: Sequence[Line], shown: frozenset[int], widened: frozenset[str]) -> list[Line]:
    result: list[Line] = []
    hidden: list[Line] = []
    for at, line in enumerate(lines):
        if at not in shown:
            hidden.append(line)
            continue
        if hidden:
            result.append(_marker(hidden, widened))
            hidden = []
        result.append(line)
    return [*result, _marker(hidden, widened)] if hidden else result


def _marker(hidden: list[Line], widened: frozenset[str]) -> Line:
    """What a gap says: how many rows or items of which table or list, else how many lines, and what to widen to see them."""
    first = hidden[0]
    owners = [set(line.places and {owner for owner, _ in line.places}) for line in hidden]
    within = [owner for owner, _ in first.places if owner and all(owner in each for each in owners) and owner not in widened]
    if within:
        owner = within[0]
        counts = {index: line.count for line in hidden for name, index in line.places if name == owner}
        unit = next((line.unit for line in hidden if line.places[-1][0] == owner), "items")
        return Line(first.depth, f"… {sum(counts.values())} more {unit}, widen {owner}", ref=owner)
    anchor = next((line.ref for line in hidden if line.ref), None)
    return Line(
        first.depth, f"… {sum(line.count for line in hidden)} more lines" + (f", widen {anchor}" if anchor else ""), ref=anchor
    )
