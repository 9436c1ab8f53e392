"""Raw text of a page → typed values: deterministic, by locale; money is a decimal string and a currency, never a float."""

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TypeAlias

from babel import Locale, UnknownLocaleError
from babel.numbers import NumberFormatError, get_currency_symbol, get_territory_currencies, parse_decimal

from engine.domain.capability import JsonSchema, Parser

Parsed: TypeAlias = "str | int | bool | dict[str, str]"
NUMBER = re.compile(r"\d(?:[\d.,'’\u00a0\u202f ]*\d)?")
MINUS = re.compile(r"[-−–]\s*[^\d\s]{0,4}\s*\d|\(\s*[^\d\s]{0,4}\s*\d[^)]*\)|\d\s*[-−]\s*$")
TRUE = frozenset({"yes", "true", "on", "checked", "enabled", "active", "y", "✓", "1"})
FALSE = frozenset({"no", "false", "off", "unchecked", "disabled", "inactive", "n", "✗", "0"})
DATES = ("%Y-%m-%d", "%m/%d/%Y", "%d.%m.%Y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%Y/%m/%d")
DAY_FIRST = ("%d/%m/%Y",)


class Unparsable(ValueError):
    """The text is not of the type that was expected; the message says which and what it holds."""


def parse(raw: str, parser: Parser) -> Parsed:
    """The typed value. Raises Unparsable; nothing is ever guessed from a part of the text."""
    text = " ".join(raw.split())
    if parser.pattern:
        found = re.search(parser.pattern, text)
        if not found:
            raise Unparsable(f"{text[:100]!r} is not of the form {parser.pattern}")
        text = found[1] if found.groups() else found[0]
    return PARSERS[parser.type](text, parser)


def _text(text: str, _parser: Parser) -> Parsed:
    return text


def _integer(text: str, parser: Parser) -> Parsed:
    number = _number(text, parser, currency=False)
    if number != number.to_integral_value():
        raise Unparsable(f"{text[:100]!r} is not a whole number")
    return int(number)


def _decimal(text: str, parser: Parser) -> Parsed:
    return str(_number(text, parser, currency=False))


def _currency(text: str, parser: Parser) -> Parsed:
    amount = _number(text, parser, currency=True)
    return {"amount": str(amount), "currency": parser.currency or currency_of(text, parser.locale)}


def _date(text: str, parser: Parser) -> Parsed:
    day_first = not parser.locale.endswith("US")
    formats = (*DATES[:1], *(DAY_FIRST + DATES[2:] if day_first else DATES[1:]))
    for form in formats:
        try:
            return datetime.strptime(text, form).date().isoformat()
        except ValueError:
            continue
    raise Unparsable(f"{text[:100]!r} is not a date")


def _boolean(text: str, _parser: Parser) -> Parsed:
    word = text.casefold()
    if word in TRUE or word in FALSE:
        return word in TRUE
    raise Unparsable(f"{text[:100]!r} is neither yes nor no")


def _number(text: str, parser: Parser, currency: bool) -> Decimal:
    numbers = NUMBER.findall(text)
    rest = NUMBER.sub("", text)
    words = re.sub(r"[^\w]", "", rest)
    if len(numbers) != 1 or (words and not (currency and len(words) <= 4)):
        raise Unparsable(f"{text[:100]!r} is not one number")
    try:
        number = parse_decimal(re.sub(r"[\s\u00a0\u202f]", "", numbers[0]), locale=parser.locale, strict="," in numbers[0])
    except NumberFormatError as error:
        raise Unparsable(f"{text[:100]!r} is not a number of {parser.locale}") from error
    return -number if MINUS.search(text) else number


PARSERS: MappingProxyType[str, Callable[[str, Parser], Parsed]] = MappingProxyType(
    {"text": _text, "integer": _integer, "decimal": _decimal, "currency": _currency, "date": _date, "boolean": _boolean}
)

SCHEMAS: MappingProxyType[str, JsonSchema] = MappingProxyType(
    {
        "text": {"type": "string"},
        "integer": {"type": "integer"},
        "decimal": {"type": "string", "format": "decimal", "pattern": r"^-?\d+(\.\d+)?$"},
        "currency": {
            "type": "object",
            "properties": {
                "amount": {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"},
                "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
            },
            "required": ["amount", "currency"],
            "additionalProperties": False,
        },
        "date": {"type": "string", "format": "date"},
        "boolean": {"type": "boolean"},
    }
)


def currency_of(text: str, locale: str) -> str:
    """ISO code of the currency that a text names by code or symbol; the locale's own for a bare symbol that it uses."""
    code = re.search(r"\b[A-Z]{3}\b", text)
    if code:
        return code[0]
    try:
        own = get_territory_currencies(Locale.parse(locale).territory or "US")[0]
    except (UnknownLocaleError, IndexError):
        own = "USD"
    known = {"€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "NT$": "TWD", "CHF": "CHF"}
    symbol = "".join(character for character in text if not character.isdigit() and character not in ".,-−–() \u00a0'’")
    return own if symbol in ("", get_currency_symbol(own, locale)) else known.get(symbol, own)
