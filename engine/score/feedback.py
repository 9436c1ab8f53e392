"""Makes an evaluator's words safe to show to a person, a terminal and a model."""

import re
import unicodedata

MAX_BYTES = 500
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)?")


def clean(text: str) -> str:
    """One line without escapes, control, invisible or reordering characters, at most 500 bytes of UTF-8."""
    shown = "".join(sign for sign in _ESCAPES.sub("", text) if sign.isspace() or unicodedata.category(sign)[0] != "C")
    return " ".join(shown.split()).encode()[:MAX_BYTES].decode("utf-8", "ignore").rstrip()
