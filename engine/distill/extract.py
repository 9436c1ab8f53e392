"""What was read → deterministic extractors whose parsers were tried on the run's own values, and the schema of the outputs."""

import json
import re
from typing import Any

from babel import Locale, UnknownLocaleError

from engine.distill.inputs import Inputs
from engine.distill.locate import Finder
from engine.distill.prune import Read
from engine.domain.action import ValueType
from engine.domain.capability import Extractor, JsonSchema, Parser, Target
from engine.domain.parse import SCHEMAS, Unparsable, parse
from engine.domain.text import loose, tidy
from engine.errors import DistillRefused

KINDS = {"value": "field", "table": "table", "list": "list", "url": "attribute", "file": "file"}
MONEY = re.compile(r"[-−(]?\s*(?:[A-Z]{3}\s?|[$€£¥₹])\s?\d[\d.,'’ ]*\)?|[-−(]?\d[\d.,'’ ]*\s?(?:[A-Z]{3}|[€£¥₹])\)?")
LOCALES = ("de_DE", "fr_FR", "de_CH", "en_US")
"""Tried in turn where a number is none in the page's own language."""


def extractor(read: Read, finder: Finder) -> Extractor:
    """How this value is read from now on. Raises DistillRefused when nothing but run data would find it."""
    what = read.reading.what
    if what == "file" or read.seen is None:
        return Extractor(output=read.reading.name, kind="file")
    if what == "url":
        return Extractor(output=read.reading.name, kind="attribute", attribute="href", target=finder.acting(read.seen))
    target = finder.reading(read.seen)
    if what in ("table", "list"):
        return Extractor(output=read.reading.name, kind=kind_of(what, target), target=target, columns=columns(read))
    return Extractor(output=read.reading.name, kind=kind_of(what, target), target=target, parser=parser(read, finder.inputs))


def kind_of(what: str, target: Target) -> Any:
    """The word for people: by what the place of the value is known."""
    places = {"cell": "cell", "after": "after_label"}
    return KINDS.get(what) or places.get(target.locators[0].by, "text")


def columns(read: Read) -> tuple[str, ...]:
    """Headers of the columns that hold something; none for a list or a table without headers."""
    headers = read.seen.headers if read.seen else ()
    return tuple(header for header in headers if header) if len(set(headers)) == len(headers) else ()


def parser(read: Read, inputs: Inputs) -> Parser:
    """Type, locale and the part that counts; tried on the run's value, and plain text where the type does not fit."""
    seen, raw = read.seen, read.value.raw
    assert seen is not None, "a value without an element is a file and has no parser"
    pattern = part(tidy(seen.text), tidy(raw), inputs) if read.reading.what == "text" else None
    wanted: ValueType = "currency" if read.reading.type in ("text", "decimal") and MONEY.fullmatch(raw) else read.reading.type
    own = locale_of(seen.lang)
    for kind in (wanted, "text"):
        for locale in (own, *LOCALES):
            tried = Parser(type=kind, locale=locale, pattern=pattern)
            if fits(tried, seen.text if read.reading.what == "text" else raw):
                return tried
    raise DistillRefused(f"{raw[:80]!r} ({read.reading.name}) cannot be read again from {seen.text[:80]!r}.")


def fits(tried: Parser, text: str) -> bool:
    """Whether the parser makes something of the run's own text."""
    try:
        parse(text, tried)
    except Unparsable:
        return False
    return True


def part(whole: str, raw: str, inputs: Inputs) -> str | None:
    """A pattern that takes the value out of a longer text; None when the text is the value."""
    at = whole.find(raw)
    if whole == raw or not raw or at < 0:
        return None
    before, after = whole[:at], whole[at + len(raw) :]
    return f"(?i)^{around(before)}(.+?){around(after)}$"


def around(text: str) -> str:
    """The words beside a value, numbers left open."""
    return r"\s*".join(loose(piece, dated=False) for piece in re.split(r"\s+", text))


def locale_of(lang: str) -> str:
    """A locale for a page's language; American English when it does not say."""
    try:
        locale = Locale.parse(lang or "en-US", sep="-")
    except (ValueError, UnknownLocaleError):
        return "en_US"
    if locale.territory:
        return str(locale)
    return "en_US" if locale.language == "en" else f"{locale.language}_{locale.language.upper()}"


def output_schema(read: Read, chosen: Extractor) -> JsonSchema:
    """The schema of one output."""
    if chosen.kind == "file":
        fields = {name: {"type": "string"} for name in ("name", "path", "sha256")}
        return {"type": "object", "properties": {**fields, "size": {"type": "integer"}}, "required": ["name", "sha256"]}
    if chosen.kind == "list":
        return {"type": "array", "items": {"type": "string"}}
    if chosen.kind == "table":
        return {"type": "array", "items": row_schema(chosen.columns)}
    return SCHEMAS[chosen.parser.type]


def row_schema(names: tuple[str, ...]) -> JsonSchema:
    """One row: an object by header, or a list of texts."""
    if not names:
        return {"type": "array", "items": {"type": "string"}}
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
        "additionalProperties": False,
    }


def run_texts(read: Read) -> tuple[str, ...]:
    """What this run read, as texts that must not find or prove anything in another run."""
    if read.reading.what in ("table", "list"):
        rows = json.loads(read.value.raw)
        return tuple(tidy(str(cell)) for row in rows[1:] for cell in (row if isinstance(row, list) else [row]))
    return (tidy(read.value.raw),)
