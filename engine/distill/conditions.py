"""What must be true after each step, and the checkpoint that proves the flow arrived and is false on the start page."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from engine.distill.inputs import Inputs, has_number
from engine.distill.locate import Finder
from engine.distill.prune import Turn
from engine.domain.capability import Condition, Extractor
from engine.domain.text import fold
from engine.errors import DistillRefused


def expectation(turn: Turn, finder: Finder, data: frozenset[str]) -> tuple[Condition, ...]:
    """The path, where it changed; else a text that appeared and says nothing of this run; and what was waited for."""
    before, after = urlsplit(turn.outcome.url_before).path, urlsplit(turn.outcome.url_after).path
    found: list[Condition] = []
    moved = bool(after) and after != before
    if moved:
        found.append(Condition(kind="url", value=finder.inputs.path(after)))
    if not moved and (text := telling(turn.outcome.appeared, finder.inputs, data)):
        found.append(Condition(kind="text", value=text))
    for wait in turn.waits:
        text = finder.inputs.put(wait.text or "")
        if text and not wait.gone and not has_number(text) and fold(text) not in data:
            found.append(Condition(kind="text", value=text))
    return tuple(dict.fromkeys(found))


def confirmed(commit: Turn, finder: Finder) -> tuple[Condition, ...]:
    """The inputs that the page repeats right before a commit: what is about to happen must be what was asked for."""
    said = [finder.inputs.put(text) for text in (commit.seen.said if commit.seen else ())]
    asked = [each.placeholder for each in finder.inputs.values if each.telling and not each.schema.get("enum")]
    return tuple(Condition(kind="text", value=each) for each in asked if any(each in text for text in said))


def telling(appeared: Iterable[str], inputs: Inputs, data: frozenset[str]) -> str:
    """The first text that appeared and holds nothing of this run."""
    texts = (inputs.put(text) for text in appeared)
    return next((text for text in texts if 3 <= len(text) <= 120 and not has_number(text) and fold(text) not in data), "")


def checkpoint(
    turns: tuple[Turn, ...], extractors: Iterable[Extractor], finder: Finder, data: frozenset[str]
) -> tuple[Condition, ...]:
    """Where the flow ends: its path if it is not the start page's, a text that appeared last, the places of the outputs."""
    start = urlsplit(turns[0].outcome.url_after or turns[0].step.url).path
    end = urlsplit(turns[-1].outcome.url_after).path
    pattern = finder.inputs.path(end)
    found = [] if re.fullmatch(open_(pattern), start) else [Condition(kind="url", value=pattern)]
    text = telling(turns[-1].outcome.appeared, finder.inputs, data)
    if text and not found:
        found.append(Condition(kind="text", value=text))
    if not found:
        found = [Condition(kind="visible", target=each.target) for each in extractors if each.target][:2]
    if not found:
        raise DistillRefused(
            f"Nothing tells the end of this flow ({end}) from its start page: extract a value there, or end on another page."
        )
    return tuple(found)


def open_(pattern: str) -> str:
    """The path pattern with its placeholders left open."""
    return re.sub(r"\{\{[^{}]+\}\}", "[^/]+", pattern)
