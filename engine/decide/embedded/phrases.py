"""Reads noun phrases of a goal: which element is meant, which thing it is about, and what a value is made of."""

import re
from collections.abc import Mapping

from engine.decide.embedded.clauses import ATOM, Masked
from engine.decide.embedded.intents import Kind, Locate, Phrase, Slot
from engine.decide.embedded.words import folded, split_camel, tokens

KINDS: Mapping[str, Kind] = {
    "radio button": "option", "radio option": "option", "radio": "option", "option": "option",
    "check box": "box", "checkbox": "box", "switch": "box", "toggle": "box",
    "button": "button", "icon": "button", "hyperlink": "link", "link": "link", "tab": "tab",
    "text field": "field", "text box": "field", "textbox": "field", "input field": "field", "input box": "field",
    "textarea": "field", "text area": "field", "input": "field", "field": "field", "box": "field",
    "drop-down list": "list", "dropdown list": "list", "drop-down": "list", "dropdown": "list", "drop down": "list",
    "combo box": "list", "combobox": "list", "select box": "list", "list box": "list", "list": "list", "menu": "list",
    "dialog box": "dialog", "dialog": "dialog", "dialogue": "dialog", "popup": "dialog", "pop-up": "dialog",
    "modal": "dialog", "window": "dialog", "banner": "dialog",
    "result": "row", "row": "row", "record": "row", "entry": "row", "match": "row", "item": "row",
    "section": "section", "panel": "section", "accordion": "section",
    "page": "any", "screen": "any",
}  # fmt: skip
"""Nouns that say what sort of element is meant, singular."""

_NOUNS = "|".join(re.escape(noun) for noun in sorted(KINDS, key=len, reverse=True))
_PLURAL = rf"(?P<noun>{_NOUNS})(?:e?s)?"
_LEADING = re.compile(rf"^{_PLURAL}\s+(?:named |called |labell?ed )?(?P<rest>.+)$", re.IGNORECASE)
_TRAILING = re.compile(rf"^(?P<rest>.*?)\s*\b{_PLURAL}$", re.IGNORECASE)
_ARTICLES = re.compile(r"^(?:(?:on|the|a|an|this|that|its|their|my|your|our|his|her)\s+)+", re.IGNORECASE)
_EVERY = re.compile(r"^(?:both|all|each|every)\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE)
_ORDINALS = {
    "first": 0,
    "1st": 0,
    "second": 1,
    "2nd": 1,
    "third": 2,
    "3rd": 2,
    "fourth": 3,
    "4th": 3,
    "fifth": 4,
    "5th": 4,
    "last": -1,
}
_PLACE = re.compile(r"\s+(?:below|above|here|shown|on (?:the|this) page|on the screen)$", re.IGNORECASE)

NUMBERISH = r"#?\d[\w.-]*|[A-Z]{1,6}-?\d[\w-]*"
_KEY = rf"(?P<key>{NUMBERISH}|{ATOM}|[A-Z][\w.-]*(?:\s[A-Z][\w.-]*)*)"
_NOUN = r"(?:the\s+)?(?P<noun>[a-z][a-z]*(?:\s[a-z]+){0,2}?)(?:\s+with(?:\s+the)?(?:\s+(?:id|number|name))?)?"
_POSSESSIVE = re.compile(rf"^{_NOUN}\s+{_KEY}'s?\s+(?P<rest>.+)$")
_OF = tuple(
    re.compile(rf"^(?P<rest>.*?)\s*\b{preposition}\s+{_NOUN}\s+{_KEY}(?P<tail>(?:\s.*)?)$")
    for preposition in ("of", "for", "on")
)
_ALONE = re.compile(rf"^{_NOUN}\s+{_KEY}$")
_NO_SUBJECT = frozenset(["month", "year", "day", "date", "amount", "page", "tab", "section", "step", "level", "line"])
_CITY_LINE = re.compile(r"^(?P<state>[A-Z]{2}|[A-Z][a-z]+(?:\s[A-Z][a-z]+)?)\s+(?P<zip>\d{4,5}(?:-\d{4})?)$")


def phrase(text: str, masked: Masked) -> Phrase:
    """The element that a noun phrase names."""
    bare = _PLACE.sub("", _ARTICLES.sub("", text.strip()))
    every = _EVERY.match(bare) is not None
    bare = _ARTICLES.sub("", _EVERY.sub("", bare))
    first, _, others = bare.partition(" ")
    place = _ORDINALS.get(first.lower()) if others else None
    bare = bare if place is None else others
    name, kind = _split_kind(bare)
    whole = masked.restore(bare)
    atoms = re.findall(ATOM, name)
    if len(atoms) == 1:
        return Phrase(masked.restore(atoms[0]), kind, quoted=True, every=every, place=place)
    return Phrase(masked.restore(name), kind, whole=whole if name != bare else "", every=every, place=place)


def _split_kind(bare: str) -> tuple[str, Kind]:
    for pattern in (_TRAILING, _LEADING):
        if match := pattern.match(bare):
            return _ARTICLES.sub("", match["rest"].strip()), KINDS[match["noun"].lower()]
    return bare, "any"


def subject(text: str, masked: Masked, inputs: Mapping[str, str]) -> tuple[Locate | None, str]:
    """The one thing that a phrase is about (`member 12's …`, `… of order A-7`), and the phrase without it."""
    for pattern in (_POSSESSIVE, *_OF):
        match = pattern.match(text)
        if match and match["noun"].split()[0] not in _NO_SUBJECT:
            rest = (match["rest"] + match.groupdict().get("tail", "")).strip()
            return _located(match, masked), rest
    return _from_inputs(text, inputs)


def alone(text: str, masked: Masked) -> Locate | None:
    """A phrase that is nothing but one thing: `member 12`."""
    match = _ALONE.match(text)
    words = match["noun"].split() if match else []
    if not match or not words or words[0] in _NO_SUBJECT or words[-1] in KINDS or words[0] in KINDS:
        return None
    return _located(match, masked)


def _located(match: re.Match[str], masked: Masked) -> Locate:
    return Locate(match["noun"].strip(), masked.restore(match["key"]).lstrip("#"))


def _from_inputs(text: str, inputs: Mapping[str, str]) -> tuple[Locate | None, str]:
    for name, value in inputs.items():
        noun = split_camel(name).lower().split()[0]
        mine = re.compile(rf"(?:\b(?:of|for)\s+)?(?:the\s+|a\s+)?\b{re.escape(noun)}(?:'s\b|$)\s*", re.IGNORECASE)
        if mine.search(text) and not re.search(rf"\b{re.escape(noun)}s\b", text):
            return Locate(noun, value), mine.sub("", text, count=1).strip()
    return None, text


def listed(text: str) -> list[str]:
    """The members of `a, b and c`."""
    return [part.strip() for part in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*", text) if part.strip()]


def postal(value: str) -> tuple[Slot, ...]:
    """Street, city, state and postcode of an address written in one line; empty when it is not written so."""
    lines = [line.strip() for line in value.split(",") if line.strip()]
    last = _CITY_LINE.match(lines[-1]) if len(lines) >= 3 else None
    if last is None or not re.search(r"\d", lines[0]):
        return ()
    street = ", ".join(lines[:-2])
    return (Slot("street", street), Slot("city", lines[-2]), Slot("state", last["state"]), Slot("zip code", last["zip"]))


def credential(names: tuple[str, ...]) -> tuple[str, str]:
    """Which of the named secrets or inputs is the user and which the password; empty where none fits."""
    words = {name: set(tokens(split_camel(name))) for name in names}
    password = next((name for name in names if words[name] & {"password", "pin", "pas", "pwd"}), "")
    telling = {"user", "username", "signin", "email", "operator", "account", "number"}
    others = [name for name in names if name != password]
    user = next((name for name in others if words[name] & telling), others[0] if len(others) == 1 else "")
    return user, password


def same_thing(one: Locate, other: Locate) -> bool:
    """Whether two clauses speak of the same thing."""
    return folded(one.key) == folded(other.key)
