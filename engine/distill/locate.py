"""What was seen of an element → a target that holds no run data: ranked locators and a fingerprint."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.distill.inputs import Inputs, has_input, has_number
from engine.domain.capability import Fingerprint, Locator, Target
from engine.domain.run import Goal
from engine.domain.step import TargetSeen
from engine.domain.text import fold, words
from engine.errors import DistillRefused

KEPT = 5
CONTENT = frozenset({"role", "text"})
FIELDS = frozenset({"textbox", "searchbox", "combobox", "listbox", "spinbutton", "checkbox", "radio", "switch", "slider"})
WHOLES = frozenset({"table", "grid", "treegrid", "list", "listbox", "tree"})


@dataclass(frozen=True)
class Finder:
    """Makes targets for one capability."""

    inputs: Inputs
    goal: Goal

    def acting(self, seen: TargetSeen) -> Target:
        """The element of an action. Raises DistillRefused when only run data would find it."""
        found = self._ranked(parsed(seen.candidates), self._clean)
        print_ = self.fingerprint(seen, named=True)
        return self._target(seen, found, print_)

    def reading(self, seen: TargetSeen) -> Target:
        """The element that holds a value: its content is what changes, so its content never finds it."""
        if seen.role in FIELDS or seen.role in WHOLES:
            return self._target(seen, self._ranked(parsed(seen.candidates), self._clean), self.fingerprint(seen, named=True))
        cells = self._ranked(parsed(seen.cells), self._clean_cell)
        others = [each for each in parsed(seen.candidates) if each.by not in CONTENT]
        found = cells or self._ranked(iter(others), self._clean)
        loose = {"role": "cell" if cells else "", "tag": "", "region": ""}
        return self._target(seen, found, self.fingerprint(seen, named=False).model_copy(update=loose))

    def fingerprint(self, seen: TargetSeen, named: bool) -> Fingerprint:
        """What the element must still be."""
        print_ = Fingerprint.model_validate_json(seen.fingerprint)
        frames = tuple(
            f"path={self.inputs.path(each.removeprefix('path='))}" if each.startswith("path=") else self.inputs.put(each)
            for each in print_.frames
        )
        return print_.model_copy(
            update={
                "name": self.inputs.pattern(seen.name) if named and seen.name else "",
                "region": self.inputs.pattern(print_.region) if print_.region else "",
                "form_action": f"^{self.inputs.path(print_.form_action)}$" if print_.form_action else "",
                "frames": frames,
            }
        )

    def _target(self, seen: TargetSeen, found: tuple[Locator, ...], print_: Fingerprint) -> Target:
        if not found:
            raise DistillRefused(
                f"Nothing but data of this run would find the {seen.role or 'element'} {(seen.label or seen.name)[:80]!r}: "
                "name what tells it apart in the goal, or give it as --input."
            )
        return Target(description=described(seen, found[0]), locators=found, fingerprint=print_)

    def _ranked(self, candidates: Iterator[Locator], clean: Callable[[Locator], Locator | None]) -> tuple[Locator, ...]:
        """Clean candidates, best first. Where an input says which element is meant, only locators that hold it are kept."""
        found = list(dict.fromkeys(each for each in map(clean, candidates) if each))
        by_input = [each for each in found if chosen_by_input(each)]
        by_row = [each for each in found if in_row(each)]
        anchored = sorted(by_input or by_row, key=depth)
        plain = [each for each in found if each.within is None]
        narrowed = [each for each in found if each.within is not None and each.by != "after"]
        return tuple(steady(anchored or [*strong(plain), *narrowed, *weak(plain)] or found)[:KEPT])

    def _clean(self, locator: Locator) -> Locator | None:
        """The locator without run data, or None."""
        within = self._within(locator.within)
        if locator.within and not within:
            return None
        value = self.inputs.put(locator.value)
        if locator.match == "pattern":
            return locator.model_copy(update={"within": within}) if locator.value.startswith("^") else None
        if has_number(value) and locator.by != "role":
            return None
        if has_number(value):
            # the same words with other numbers: what was counted with numbers left open stays one element
            pattern = self.inputs.pattern(locator.value)
            return locator.model_copy(update={"value": pattern, "match": "pattern", "within": within})
        if locator.by == "after" and not locator.value.strip(" :"):
            return None
        return locator.model_copy(update={"value": value, "within": within})

    def _clean_cell(self, locator: Locator) -> Locator | None:
        within = self._within(locator.within)
        anchor = self._anchor(locator) if locator.value else locator
        if anchor is None or (locator.within and not within):
            return None
        column = self.inputs.put(locator.column)
        return None if has_number(column) else anchor.model_copy(update={"column": column, "within": within})

    def _within(self, locator: Locator | None) -> Locator | None:
        if locator is None:
            return None
        outer = self._within(locator.within)
        if locator.within and not outer:
            return None
        kept = self._anchor(locator) if locator.by == "row" else self._region(locator)
        return kept.model_copy(update={"within": outer}) if kept else None

    def _region(self, locator: Locator) -> Locator | None:
        value = self.inputs.put(locator.value)
        if has_number(value):
            return (
                None
                if locator.by == "section"
                else locator.model_copy(update={"value": self.inputs.pattern(locator.value), "match": "pattern"})
            )
        return locator.model_copy(update={"value": value})

    def _anchor(self, locator: Locator) -> Locator | None:
        """A row's anchor: an input, a row header, or words of the goal. Anything else in a row is data of the run."""
        value = self.inputs.put(locator.value)
        if has_input(value):
            return None if has_number(value) else locator.model_copy(update={"value": value, "role": ""})
        header = locator.role == "rowheader"
        spoken = words(fold(locator.value)).search(fold(self.goal.text)) is not None
        if has_number(value) or not (header or spoken):
            return None
        return locator.model_copy(update={"value": value, "role": ""})


def described(seen: TargetSeen, best: Locator) -> str:
    """The target for people, by its best locator: it holds no run data."""
    if best.by == "cell":
        return f'cell "{best.column or "value"}"' + (f' in the row of "{best.value}"' if best.value else "")
    row = f' in the row of "{best.within.value}"' if best.within and best.within.by == "row" else ""
    name = best.value if best.match == "exact" else "…"
    return f'{seen.role or "element"} {"after " if best.by == "after" else ""}"{name}"{row}'


def parsed(candidates: tuple[str, ...]) -> Iterator[Locator]:
    """Candidates as locators; the exact ones, and those whose numbers are left open only where the exact one is there."""
    found = [Locator.model_validate_json(text) for text in candidates]
    open_ = {(each.by, each.role, each.within) for each in found if each.match == "pattern"}
    for each in found:
        numbered = each.by == "role" and any(letter.isdigit() for letter in each.value)
        if each.match == "exact" and (not numbered or (each.by, each.role, each.within) in open_ or not open_):
            yield each


def chosen_by_input(locator: Locator) -> bool:
    """Whether an input decides which element it is: by its own text or by its row, not by a heading around it."""
    return (locator.by != "after" and has_input(locator.value)) or (
        locator.within is not None and locator.within.by == "row" and has_input(locator.within.value)
    )


def in_row(locator: Locator) -> bool:
    """Whether a row tells it apart."""
    return (locator.by == "cell" and locator.value != "") or (locator.within is not None and locator.within.by == "row")


def strong(locators: list[Locator]) -> list[Locator]:
    """Those that say what the element is for."""
    return [each for each in locators if each.by in ("test_id", "role", "label", "placeholder", "cell")]


def weak(locators: list[Locator]) -> list[Locator]:
    """Those that say where it is or how it is made."""
    return [each for each in locators if each.by in ("id", "name", "text")]


def steady(locators: list[Locator]) -> list[Locator]:
    """Without those that stand under a heading, if others are left: a heading may be data of the run."""
    return [each for each in locators if "section" not in around(each)] or locators


def around(locator: Locator) -> tuple[str, ...]:
    """The kinds of place that a locator is narrowed to, innermost first."""
    return (locator.within.by, *around(locator.within)) if locator.within else ()


def depth(locator: Locator) -> int:
    """How much must be true at once; the simpler one goes first."""
    return 0 if locator.within is None else 1 + depth(locator.within)
