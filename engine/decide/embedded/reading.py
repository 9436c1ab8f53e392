"""Reading: every asked value where it stands now; what is not on this page may be behind a link of that name."""

import re

from engine.decide.embedded.ground import Grounding, best
from engine.decide.embedded.intents import Item, Read
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.scene import FIELDS, LINKS, TABS, Scene, Spot, all_text, chosen
from engine.decide.embedded.tables import beside, cell, named, tables
from engine.decide.embedded.words import likeness
from engine.domain.action import Click, Extract, Reading, ValueType

TYPES: tuple[tuple[ValueType, re.Pattern[str]], ...] = (
    ("currency", re.compile(r"[-+(]?\s?(?:[$€£¥]\s?-?\d[\d.,\s]*|-?\d[\d.,\s]*\s?[€£¥$]|[A-Z]{3}\s?\d[\d.,]*)\)?")),
    (
        "date",
        re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}/\d{4}|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}|\d{1,2}\.? [A-Z][a-z]{2,8} \d{4}"),
    ),
    ("integer", re.compile(r"-?(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d{0,8})")),
    ("decimal", re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)\.\d+")),
)
"""What a value's own writing says of its type; the first that fits the whole value."""

_NUMBERED = re.compile(r"\b(?:id|no\.?|number|code|zip|phone|account|reference)\b", re.IGNORECASE)
REVEALS = 3


def read(intent: Read, turn: Turn) -> Move:
    """All items that stand on this page in one go, then the others."""
    have = {value.name for deed in turn.past.deeds for value in deed.outcome.values}
    left = [item for item in intent.items if item.name not in have]
    if not left:
        return Finished()
    found = [(item, _find(item, turn.scene)) for item in left]
    readings = tuple(_reading(item, each.spot) for item, each in found if each.spot is not None)
    blocked = [(item, each) for item, each in found if each.spot is None]
    if any(each.rivals for _, each in blocked) or (blocked and not readings):
        return _reveal(blocked[0][0], blocked[0][1], turn)
    return Do(Extract(readings=readings), "read " + ", ".join(reading.name for reading in readings))


def _find(item: Item, scene: Scene) -> Grounding:
    if item.table:
        return named(scene, item.variants[0][0])
    unclear = Grounding()
    for row, column in item.variants:
        found = cell(scene, row, column) if column else beside(scene, row)
        if found.spot is not None:
            return found
        unclear = unclear if unclear.rivals else found
    return unclear if unclear.rivals else _column(item, scene)


def _column(item: Item, scene: Scene) -> Grounding:
    """A column of several rows is read with its whole table, since a plain label asks for all of it."""
    words = item.variants[0][0]
    holding = [table.spot for table in tables(scene) if any(likeness(words, head) >= 0.75 for head in table.headers)]
    if holding:
        return Grounding(holding[0]) if len(holding) == 1 else Grounding(rivals=tuple(holding))
    return named(scene, words)


def _reading(item: Item, spot: Spot) -> Reading:
    ref = spot.ref
    assert ref is not None
    node = spot.node
    if node.role in ("table", "grid", "treegrid"):
        return Reading(name=item.name, ref=ref, what="table")
    if node.role in FIELDS:
        return Reading(name=item.name, ref=ref, what="value", value=node.text if not node.children else chosen(node))
    value = all_text(node)
    return Reading(name=item.name, ref=ref, value=value[:4096], type=type_of(value, item.name))


def type_of(value: str, name: str) -> ValueType:
    """The type that a value's writing shows; numbers that name something stay text."""
    found: ValueType = next((kind for kind, pattern in TYPES if pattern.fullmatch(value.strip())), "text")
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return "text" if found == "integer" and _NUMBERED.search(spaced) else found


def _reveal(item: Item, found: Grounding, turn: Turn) -> Move:
    what = " × ".join(part for part in item.variants[0] if part) or "a table"
    if found.rivals:
        return Blocked(found.problem(what))
    words = dict.fromkeys(word for variant in item.variants for word in variant if word)
    pool = [spot for spot in turn.scene.of(LINKS | TABS) if not turn.past.did(f"look for {what} behind {spot}")]
    looked = sum(deed.why.startswith("look for ") for deed in turn.past.deeds)
    behind = best(pool, *words) if words and looked < REVEALS else Grounding()
    if behind.spot is None or behind.spot.node.ref is None:
        said = f" The page says: {turn.scene.messages}" if turn.scene.messages else ""
        return Blocked(f"I see no {what} on this page.{said}")
    return Do(Click(ref=behind.spot.node.ref), f"look for {what} behind {behind.spot}")
