"""Reads what a clause wants read: labelled values, cells by row and column, whole tables."""

import re

from engine.decide.embedded.clauses import Masked
from engine.decide.embedded.intents import Item
from engine.decide.embedded.phrases import listed
from engine.decide.embedded.words import camel, singular

_LEAD = re.compile(
    r"^(?:the|all|all the|its|their|his|her|off|out|both|each|every)\s+|^(?:the\s+)?values?\s+(?:of|for)\s+", re.IGNORECASE
)
_PLACE = re.compile(
    r"\s+(?:from|in|on|off)\s+(?:the\s+|this\s+)?(?:page|screen|site|form|application|app|console)$", re.IGNORECASE
)
_TABLE = re.compile(
    r"^(?:(?P<before>.*?)\s*\b(?:table|results|result list|rows)|(?:table|list|rows)\s+of\s+(?:the\s+)?(?P<after>.+))$",
    re.IGNORECASE,
)
_OF = re.compile(r"^(?P<column>.+?)\s+(?:of|for|in)\s+(?:the\s+)?(?P<row>.+?)(?:\s+row)?$", re.IGNORECASE)


def items(text: str, masked: Masked) -> tuple[Item, ...]:
    """The items in order; empty when nothing readable is named."""
    bare = _bare(_PLACE.sub("", text))
    if match := _TABLE.match(bare):
        words = masked.restore(match["before"] or match["after"] or "").strip()
        return (Item(camel(words.split()) if words else "table", ((words, ""),), table=True),)
    parts = [masked.restore(_bare(part)) for part in listed(bare)]
    head = _shared_head(parts)
    return tuple(_item(part, head if part is not parts[-1] else "", bool(head)) for part in parts if part)


def _bare(text: str) -> str:
    while (shorter := _LEAD.sub("", text.strip())) != text:
        text = shorter
    return text


def _shared_head(parts: list[str]) -> str:
    """`billing and shipping addresses`: the plural noun at the end belongs to all of them."""
    words = parts[-1].split() if parts else []
    if len(parts) < 2 or len(words) < 2 or singular(words[-1].lower()) == words[-1].lower():
        return ""
    return "" if any(singular(part.split()[-1].lower()) == singular(words[-1].lower()) for part in parts[:-1]) else words[-1]


def _item(part: str, head: str, shared: bool) -> Item:
    if match := _OF.match(part):
        row, column = match["row"], match["column"]
        return Item(camel([row, column]), ((row, column), (part, "")))
    words = part.split() + ([head] if head else [])
    splits = tuple((" ".join(words[:at]), " ".join(words[at:])) for at in range(len(words) - 1, 0, -1))
    plain = ((" ".join(words), ""),) + (((part, ""),) if head else ())
    name = [*words[:-1], singular(words[-1].lower())] if shared else words
    return Item(camel(name), (*plain[:1], *splits, *plain[1:]))
