"""Extractors as code of a script: where the raw text comes from, and the function that makes a typed value of it."""

from collections.abc import Callable, Mapping

from babel import Locale, UnknownLocaleError
from babel.numbers import get_currency_symbol, get_decimal_symbol, get_group_symbol, get_territory_currencies

from engine.domain.capability import Extractor, Parser
from engine.domain.parse import DATES, DAY_FIRST
from engine.faces.source import Call, Code, quoted, raw


def value(extractor: Extractor) -> Code:
    """The typed value; `found` is the variable that holds the element, where there is one."""
    return READS[extractor.kind](extractor)


def _parsed(source: Callable[[Extractor], Code]) -> Callable[[Extractor], Code]:
    return lambda extractor: parsed(extractor.parser, source(extractor))


def parsed(parser: Parser, text: Code) -> Code:
    """The raw text through the parser."""
    flat = Call("part", (text, raw(parser.pattern))) if parser.pattern else Call("words", (text,))
    return PARSES[parser.type](parser, flat)


def _signs(parser: Parser) -> tuple[Code, ...]:
    return (quoted(get_group_symbol(parser.locale)), quoted(get_decimal_symbol(parser.locale)))


def _money(parser: Parser, text: Code) -> Code:
    own = own_currency(parser.locale)
    symbol = get_currency_symbol(own, parser.locale)
    code = (f"code={quoted(parser.currency)}",) if parser.currency else ()
    return Call("money", (text, *_signs(parser), f"own={quoted(own)}", f"sign={quoted(symbol)}", *code))


def _date(parser: Parser, text: Code) -> Code:
    rest = DATES[1:] if parser.locale.endswith("US") else DAY_FIRST + DATES[2:]
    return Call("date", (text, *(quoted(form) for form in (DATES[0], *rest))))


def own_currency(locale: str) -> str:
    """The currency of a locale's territory; US dollars when it has none."""
    try:
        return str(get_territory_currencies(Locale.parse(locale).territory or "US")[0])
    except (UnknownLocaleError, IndexError):
        return "USD"


PARSES: Mapping[str, Callable[[Parser, Code], Code]] = {
    "text": lambda _parser, text: text,
    "integer": lambda parser, text: Call("integer", (text, *_signs(parser))),
    "decimal": lambda parser, text: Call("str", (Call("number", (text, *_signs(parser))),)),
    "currency": _money,
    "date": _date,
    "boolean": lambda _parser, text: Call("boolean", (text,)),
}

_HREF = "found.evaluate(\"link => link.href ?? ''\")"


def _attribute(extractor: Extractor) -> Code:
    if extractor.attribute == "href":
        return _HREF
    return f'found.get_attribute({quoted(extractor.attribute)}) or ""'


def _url_part(extractor: Extractor) -> Code:
    if extractor.attribute.startswith("query."):
        return Call("query", ("run", quoted(extractor.attribute.removeprefix("query."))))
    return "urlsplit(run.page.url).path"


def _table(extractor: Extractor) -> Code:
    if not extractor.columns:
        return Call("grid", ("found",))
    return Call("records", ("found", *(quoted(column) for column in extractor.columns)))


READS: Mapping[str, Callable[[Extractor], Code]] = {
    "text": _parsed(lambda _extractor: "found.inner_text()"),
    "after_label": _parsed(lambda _extractor: "found.inner_text()"),
    "cell": _parsed(lambda _extractor: "found.inner_text()"),
    "field": _parsed(lambda _extractor: "found.input_value()"),
    "attribute": _parsed(_attribute),
    "url_part": _parsed(_url_part),
    "table": _table,
    "list": lambda _extractor: "[line[0] for line in grid(found)]",
    "file": lambda _extractor: Call("downloaded", ("run",)),
}
