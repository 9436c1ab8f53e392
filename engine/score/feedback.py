"""Makes an evaluator's words safe to show to a person, a terminal and a model."""

import re
import unicodedata

MAX_BYTES = 500
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)?")
_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """One line without escapes, control, invisible or reordering characters, at most 500 bytes of UTF-8."""
    plain = _SPACES.sub(" ", _ESCAPES.sub("", text))
    shown = "".join(sign for sign in plain if unicodedata.category(sign)[0] != "C").strip()
    return shown.encode("utf-8", "ignore")[:MAX_BYTES].decode("utf-8", "ignore")
