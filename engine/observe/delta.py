"""Says a page by what changed: lines that stood in the page shown before are referred to, all others are written out."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from engine.observe.tokens import tokens

REF = re.compile(r"(f\d+)?e\d+[:|]?$")

WORTH = 14
"""Unchanged lines are referred to where they cost at least this many tokens; a reference costs about ten."""

SHARE = 0.6
"""Above this share of the whole text a delta is not worth having to look in two places."""


def against(shown: Sequence[str], lines: Sequence[str]) -> str | None:
    """`lines` as a text that refers to `shown`, or None when the whole text serves better."""
    if not shown:
        return None
    text = "\n".join(_parts(shown, lines))
    return text if tokens(text) <= SHARE * tokens("\n".join(lines)) else None


def _parts(shown: Sequence[str], lines: Sequence[str]) -> Iterator[str]:
    matcher = SequenceMatcher(None, shown, lines, autojunk=False)
    for kind, start, end, new_start, new_end in matcher.get_opcodes():
        if kind != "equal" or tokens("\n".join(lines[new_start:new_end])) < WORTH:
            yield from lines[new_start:new_end]
        else:
            yield _reference(shown[start:end])


def _reference(lines: Sequence[str]) -> str:
    first, last = _start(lines[0]), _start(lines[-1])
    return f"(as before: {first} to {last})" if len(lines) > 1 else f"(as before: {first})"


def _start(line: str) -> str:
    """What names a line: the ref it starts with, else its first words."""
    words = line.split()
    named = REF.match(words[0]) or words[0].endswith(":")
    return words[0].rstrip(":|") if named else " ".join(words[:4])[:40]
