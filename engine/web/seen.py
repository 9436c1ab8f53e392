"""The pages that a discovery run saw, to ask of each whether a condition holds there; from the evidence, without a browser."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from engine.domain.capability import Condition, Locator
from engine.domain.step import Step
from engine.domain.template import fill, fill_pattern
from engine.domain.text import fold, words

_ROW_HEAD = re.compile(r"^\s*- (?:cell|rowheader|gridcell)\b.*$", re.MULTILINE)


@dataclass(frozen=True)
class SeenPage:
    """One page as it was looked at: its path, and the text of its snapshot."""

    path: str
    text: str

    @cached_property
    def folded(self) -> str:
        """For comparing."""
        return fold(self.text)


@dataclass(frozen=True)
class Sight:
    """A run's goal, steps, and pages in order."""

    goal: str = ""
    steps: tuple[Step, ...] = ()
    pages: tuple[SeenPage, ...] = ()

    def has_row(self, word: str) -> bool:
        """Whether a cell of any table consists of that word."""
        lines = (line for page in self.pages for line in _ROW_HEAD.findall(page.text))
        wanted = re.compile(rf'(?:"|: ){re.escape(word)}(?:"|\s*$|\s*\[)', re.IGNORECASE)
        return any(wanted.search(line) for line in lines)


def page_of(step: Step, snapshot: str) -> SeenPage:
    """The page that a step looked at."""
    return SeenPage(urlsplit(step.url).path, snapshot)


def holding(conditions: tuple[Condition, ...], sight: Sight, values: Mapping[str, str]) -> tuple[bool, ...]:
    """For every page of the run whether all conditions hold there, as far as its snapshot tells."""
    return tuple(all(holds(each, page, values) for each in conditions) for page in sight.pages)


def holds(condition: Condition, page: SeenPage, values: Mapping[str, str]) -> bool:
    """Whether it holds on a page: the path exactly, texts and elements by what the snapshot says."""
    if condition.kind == "url":
        try:
            return re.fullmatch(fill_pattern(condition.value, values), page.path) is not None
        except re.error:
            return False
    if condition.kind == "text":
        return fold(fill(condition.value, values)) in page.folded
    if condition.target is None:
        return False
    found = any(_found(each, page, values) for each in condition.target.locators)
    if condition.kind == "hidden":
        return not found
    return found and (condition.kind != "field" or fold(fill(condition.value, values)) in page.folded)


def _found(locator: Locator, page: SeenPage, values: Mapping[str, str]) -> bool:
    texts = [text for text in (locator.value, locator.column) if text and locator.match != "pattern"]
    told = all(words(fold(fill(text, values))).search(page.folded) for text in texts)
    return told and (locator.within is None or _found(locator.within, page, values))
