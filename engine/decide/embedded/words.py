"""How alike two pieces of interface language are: ordinary synonyms, plurals, and fuzzy match for longer words only."""

import re
from collections.abc import Iterable

from rapidfuzz import fuzz

SAME: tuple[tuple[str, ...], ...] = (
    ("surname", "last name", "family name"),
    ("forename", "first name", "given name"),
    ("postcode", "zip code", "postal code", "post code", "zip"),
    ("signin", "sign in", "log in", "log on", "login", "signon", "sign on"),
    ("signout", "sign out", "log out", "log off", "logout", "sign off"),
    ("password", "passphrase", "passcode", "pass word"),
    ("username", "user name", "user id", "userid", "login name", "login id"),
    ("number", "no", "nr", "num", "id", "#"),
    ("phone", "telephone", "tel"),
    ("email", "e mail", "e-mail"),
    ("search", "find", "look up", "lookup"),
    ("change", "edit", "update", "modify", "amend"),
    ("save", "store", "apply"),
    ("download", "export", "get"),
    ("transfer", "move", "send"),
    ("remove", "delete", "erase"),
    ("add", "create", "new"),
    ("city", "town"),
    ("from", "source", "origin"),
    ("to", "into", "destination", "recipient"),
    ("amount", "sum"),
    ("close", "x", "×", "✕", "✖", "✗"),
    ("ok", "okay"),
    ("dropdown", "drop down", "drop-down"),
)
"""Ordinary words of interfaces that mean the same; the first of each row stands for all of it."""

GENERIC = frozenset({"number", "address", "value", "name", "date"})
"""Nouns that a label may leave out: `phone number` is labelled Phone."""

FILLERS = frozenset("a an the this that its their his her my your our of please all on".split())  # noqa: SIM905 one line a reader can take in
_CANON = {phrase: row[0] for row in SAME for phrase in row}
_PHRASES = re.compile(
    r"(?<![\w#])(" + "|".join(re.escape(phrase) for phrase in sorted(_CANON, key=len, reverse=True)) + r")(?!\w)"
)
_TOKEN = re.compile(r"\w+(?:[.,]\d+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
FUZZY_FROM = 5  # shorter words differ by one letter and mean something else
FUZZY_AT = 88


def folded(text: str) -> str:
    """White space folded, case ignored."""
    return " ".join(text.split()).casefold()


def tokens(text: str) -> tuple[str, ...]:
    """Canonical words of a text in order: synonyms replaced, plurals cut, fillers dropped (unless nothing else is left)."""
    plain = _PHRASES.sub(lambda match: f" {_CANON[match[1]]} ", folded(text.replace("_", " ")))
    found = [singular(token) for token in _TOKEN.findall(plain)]
    return tuple(token for token in found if token not in FILLERS) or tuple(found)


def singular(word: str) -> str:
    """A word without its plural ending; the same rule on both sides is all that matters."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def likeness(wanted: str, name: str) -> float:
    """0 to 1: how well `name` is meant by `wanted`. From 0.96 up they are equal but for case, fillers and synonyms."""
    if not wanted.strip() or not name.strip():
        return 0.0
    if wanted.strip() == name.strip():
        return 1.0
    if folded(wanted) == folded(name):
        return 0.98
    asked, held = tokens(wanted), tokens(name)
    if asked and asked == held:
        return 0.96
    return _overlap(asked, held)


def reads_as(wanted: str, label: str) -> float:
    """Likeness for reading, where a near miss is a wrong value: every wanted word is in the label, but for generic ones."""
    score = likeness(wanted, label)
    held = tokens(label)
    missing = {token for token in tokens(wanted) if not any(alike(token, other) for other in held)}
    return score if missing <= GENERIC and missing != set(tokens(wanted)) else 0.0


def _overlap(asked: tuple[str, ...], held: tuple[str, ...]) -> float:
    if not asked or not held or any(token not in held for token in asked if any(map(str.isdigit, token))):
        return 0.0
    hits = sum(max(alike(token, other) for other in held) for token in asked)
    return min(0.95, 0.6 * hits / len(asked) + 0.35 * min(1.0, hits / len(held)))


def alike(one: str, other: str) -> float:
    """1 for equal words, up to 1 for long words that differ by a slip, else 0."""
    if one == other:
        return 1.0
    if min(len(one), len(other)) < FUZZY_FROM or any(map(str.isdigit, one + other)):
        return 0.0
    ratio = fuzz.ratio(one, other)
    return ratio / 100 if ratio >= FUZZY_AT else 0.0


def split_camel(name: str) -> str:
    """`memberId` as `member Id`."""
    return _CAMEL.sub(" ", name).replace("_", " ")


def camel(words: Iterable[str]) -> str:
    """A name in camelCase out of any words; `value` when nothing is left."""
    parts = [part for word in words for part in re.findall(r"[A-Za-z0-9]+", word)]
    while parts and parts[0][0].isdigit():
        parts.pop(0)
    if not parts:
        return "value"
    first, *others = parts
    return str(first.lower() + "".join(part.capitalize() for part in others))[:64]


def holds(text: str, key: str) -> bool:
    """Whether `key` stands in `text` as a word of its own: 12 is not in 123 nor in 12-01."""
    return bool(key.strip()) and re.search(rf"(?<![\w-]){re.escape(folded(key))}(?![\w-])", folded(text)) is not None
