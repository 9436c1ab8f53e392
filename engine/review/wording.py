"""Locators, conditions and fingerprints in words that a reviewer reads."""

from engine.domain.capability import Condition, Extractor, Fingerprint, Locator, Target

_BY = {
    "test_id": 'test id "{value}"',
    "role": '{role} "{value}"',
    "label": 'field labelled "{value}"',
    "placeholder": 'placeholder "{value}"',
    "text": 'text "{value}"',
    "id": "#{value}",
    "name": 'name attribute "{value}"',
    "cell": 'cell under "{column}"',
    "after": 'what follows "{value}"',
    "row": 'row of "{value}"',
    "region": '{role} "{value}"',
    "section": 'section "{value}"',
}
_MATCH = {"exact": "", "word": " (as a word)", "pattern": " (pattern)"}
_CONDITIONS = {
    "url": "the path is {value}",
    "visible": "{what} is visible",
    "hidden": "{what} is gone",
    "text": 'the page says "{value}"',
    "field": '{what} holds "{value}"',
}


def locator(one: Locator) -> str:
    """`button "Open" in row of "{{memberId}}" in region "Accounts"`."""
    words = _BY[one.by].format(value=one.value, role=one.role, column=one.column) + _MATCH[one.match]
    if one.by == "cell" and one.value:
        words += f' in the row of "{one.value}"'
    return f"{words} in {locator(one.within)}" if one.within else words


def locators(target: Target | None) -> str:
    """All of them in their order."""
    return "; ".join(locator(each) for each in target.locators) if target else "none"


def fingerprint(target: Target | None) -> str:
    """Its fields that are set."""
    if target is None:
        return "none"
    fields = target.fingerprint.model_dump()
    said = [(name.replace("_", " "), fields[name]) for name in Fingerprint.model_fields if fields[name]]
    return ", ".join(f"{name} {' > '.join(value) if isinstance(value, tuple) else value}" for name, value in said)


def conditions(all_of: tuple[Condition, ...]) -> str:
    """What must be true, joined by `and`."""
    return " and ".join(_condition(each) for each in all_of) or "nothing"


def _condition(one: Condition) -> str:
    what = one.target.description if one.target else f'"{one.value}"'
    return _CONDITIONS[one.kind].format(what=what, value=one.value)


def extraction(one: Extractor) -> str:
    """`cell of cell "Balance" as currency`."""
    detail = f" {one.attribute}" if one.attribute else f" {', '.join(one.columns)}" if one.columns else ""
    return f"{one.kind.replace('_', ' ')}{detail} of {one.target.description if one.target else 'the page'}"


def parsing(one: Extractor) -> str:
    """`currency (en_US, USD)`."""
    given = ", ".join(part for part in (one.parser.locale, one.parser.currency, one.parser.pattern) if part)
    return f"{one.parser.type} ({given})"
