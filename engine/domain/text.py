"""Text as it is compared: invisible characters out, quotes straight, white space single, case folded; like browser/names.js."""

import re
import unicodedata

from engine.domain.template import escape

_INVISIBLE = re.compile(
    "[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\ue000-\uf8ff]|[\U000f0000-\U0010ffff]"
)
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'})
_MONTH = r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DIGITS = re.compile(r"\d(?:(?:\\?[.,:/-])?\d)*")
NUMBER_PATTERN = r"\d[\d.,:/-]*"
"""What stands for a number, time or date of the run in a pattern."""


def tidy(text: str) -> str:
    """Case kept, the rest folded."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFC", text)).translate(_QUOTES)
    return " ".join(plain.split())


def fold(text: str) -> str:
    """What two texts that mean the same have in common."""
    return tidy(text).lower()


def loose(text: str, dated: bool) -> str:
    """A folded text as a regular expression in which numbers, and with `dated` the names of months, are left open."""
    pattern = escape(fold(text))
    if dated:
        pattern = re.sub(_MONTH, lambda _match: _MONTH, pattern)
    return _DIGITS.sub(lambda _match: NUMBER_PATTERN, pattern)


def words(needle: str) -> re.Pattern[str]:
    """Finds a text as whole words, case ignored."""
    return re.compile(rf"(?<![^\W_]){re.escape(needle)}(?![^\W_])", re.IGNORECASE)
