"""Page text as a part of one of our lines: on one line, nothing invisible in it, and nothing that passes for our own marks.

Dropped: control characters, and every format character of Unicode (zero-width, bidirectional controls, tags, soft hyphens)
but a joiner between two characters outside ASCII, which shapes letters and pictographs. Escaped with a backslash: the bar
that parts cells, and an opening bracket before something like a ref. Whole marker lines cannot be faked: they start a line,
and page text never does.
"""

import re
import unicodedata

SUSPECT = re.compile(r"[^ -Z\\\]^-{}~]")
FAKE = re.compile(r"\||\[(?=(?:f\d+)?e\d)")
FILLERS = frozenset("\u115f\u1160\u3164\uffa0")


def clean(text: str) -> str:
    """The text in one line, safe between our marks."""
    if not SUSPECT.search(text) and "  " not in text:
        return text.strip()
    if not text.isascii() or not text.isprintable():
        text = "".join(" " if char.isspace() else char for at, char in enumerate(text) if _seen(text, at, char))
    return FAKE.sub(r"\\\g<0>", " ".join(text.split()))


def _seen(text: str, at: int, char: str) -> bool:
    if char in "\u200c\u200d":
        around = text[max(0, at - 1) : at], text[at + 1 : at + 2]
        return all(side and not side.isascii() for side in around)
    category = unicodedata.category(char)
    return char.isspace() or (category not in ("Cc", "Cf", "Co", "Cs") and char not in FILLERS)
