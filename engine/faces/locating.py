"""A target as the candidates of a script's `only(…)`: Playwright's own locators, small functions where those do not reach."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.domain.capability import Locator, Target
from engine.domain.template import names_in
from engine.errors import CapabilityInvalid
from engine.faces.source import Call, Code, quoted, raw

ROLE_TELLS = frozenset({"button", "link", "checkbox", "radio", "combobox", "listbox", "tab", "menuitem", "option", "switch"})
"""Roles that Playwright and the engine tell alike, so that what a weaker locator finds can be held to them."""


def filled(template: str, literal: Callable[[str], str] = quoted) -> Code:
    """The template with inputs in place when it has any, else a literal."""
    names = names_in(template)
    if not names:
        return literal(template)
    if template == f"{{{{{names[0]}}}}}":
        return f"run.given[{quoted(names[0].removeprefix('secret.'))}]"
    return Call("run.fill", (literal(template),))


def matcher(locator: Locator) -> Code:
    """What a name or text must be."""
    if locator.match == "pattern":
        return expression(locator.value)
    return Call("exactly" if locator.match == "exact" else "word", (filled(locator.value),))


def expression(pattern: str) -> Code:
    """A regular expression; values of inputs stand for themselves in it."""
    return Call("run.pattern", (raw(pattern),)) if names_in(pattern) else Call("pattern", (raw(pattern),))


@dataclass
class Scopes:
    """The statements of one step that name where its elements are looked for."""

    page: str = "page"
    lines: list[tuple[str, Code]] = field(default_factory=list)

    def named(self, code: Code, word: str) -> str:
        """The variable that holds this place; the same place has one name."""
        for name, known in self.lines:
            if known == code:
                return name
        taken = [name for name, _ in self.lines]
        name = next(each for each in (word, *(f"{word}{number}" for number in range(2, 1000))) if each not in taken)
        self.lines.append((name, code))
        return name

    def within(self, anchor: Locator | None) -> str:
        """The variable for an anchor. A section is no place but a test of what was found: see `under`."""
        if anchor is None or anchor.by == "section":
            return self.page
        outer = self.within(anchor.within)
        if anchor.by == "region":
            return self.named(Call(f"{outer}.get_by_role", (quoted(anchor.role), keyword("name", matcher(anchor)))), "region")
        if anchor.column:
            raise CapabilityInvalid(f"A row told by its column {anchor.column!r} cannot be written as a script.")
        return self.row(outer, anchor)

    def row(self, outer: str, anchor: Locator) -> str:
        """The variable for the rows that an anchor means, in an outer place."""
        inside = () if outer == self.page else (f"inside={outer}",)
        return self.named(Call("rows", (self.page, matcher(anchor), *inside)), "lines")


def keyword(name: str, code: Code) -> Code:
    """`name=code` as an argument."""
    return f"{name}={code}" if isinstance(code, str) else Call(code.name, code.arguments, f"{name}={code.before}")


TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-qa", "data-cy")


def _attribute(*names: str) -> Callable[[str, Locator], Code]:
    return lambda place, one: Call("attribute", (place, filled(one.value), *map(quoted, names)))


FINDS: Mapping[str, Callable[[str, Locator], Code]] = {
    "test_id": _attribute(*TEST_IDS),
    "role": lambda place, one: Call(f"{place}.get_by_role", (quoted(one.role), keyword("name", matcher(one)))),
    "label": lambda place, one: Call(f"{place}.get_by_label", (matcher(one),)),
    "placeholder": lambda place, one: Call(f"{place}.get_by_placeholder", (matcher(one),)),
    "text": lambda place, one: Call(f"{place}.get_by_text", (matcher(one),)),
    "id": _attribute("id"),
    "name": _attribute("name"),
    "cell": lambda place, one: Call("cell", (place, filled(one.column))),
    "after": lambda place, one: Call("after", (place, matcher(one))),
}


def candidate(locator: Locator, scopes: Scopes) -> Code:
    """One candidate of `only`."""
    place = scopes.within(locator.within)
    if locator.by == "cell" and locator.value:
        place = scopes.row(place, locator)
    found = FINDS[locator.by](place, locator)
    anchor = locator.within
    while anchor is not None:
        if anchor.by == "section":
            found = Call("under", (matcher(anchor), found))
        anchor = anchor.within
    return found


def arguments(target: Target, scopes: Scopes) -> tuple[Code, ...]:
    """Everything `only` is given: what it is for people, its candidates, and what it must be."""
    frames = target.fingerprint.frames
    if frames:
        scopes.page = scopes.named(Call("frame", ("run", *(filled(each) for each in frames))), "inside")
    candidates = tuple(candidate(each, scopes) for each in target.locators)
    return (filled(target.description), *candidates, *_checks(target, scopes))


def _checks(target: Target, scopes: Scopes) -> tuple[Code, ...]:
    mark = target.fingerprint
    found: list[Code] = []
    weak = any(each.by not in ("role", "cell", "after") for each in target.locators)
    if mark.role in ROLE_TELLS and weak:
        name = (keyword("name", expression(mark.name)),) if mark.name else ()
        found.append(keyword("like", Call(f"{scopes.page}.get_by_role", (quoted(mark.role), *name))))
    if mark.form_method == "post":
        found.append(keyword("sent_to", expression(mark.form_action)))
    if mark.input_type in ("password", "file"):
        found.append(f"kind={quoted(mark.input_type)}")
    return tuple(found)
