"""Searching, and coming to the page of one thing: by what the page shows, a row or link with its key, or a search."""

from itertools import pairwise
from urllib.parse import unquote, urlsplit

from engine.decide.embedded.filling import put
from engine.decide.embedded.forms import submit_of
from engine.decide.embedded.ground import Grounding, best
from engine.decide.embedded.intents import Locate, Search
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.scene import BUTTONS, LINKS, PRESSABLE, TABS, TEXT_FIELDS, Scene, Spot, all_text
from engine.decide.embedded.words import folded, holds, tokens
from engine.domain.action import Click, Press

OPENING = ("open", "view", "details", "show", "select", "edit")
SEEKING = ("search", "find", "go", "submit", "apply", "filter")
PAGES = 10
LONG = 5  # digits of a key that nothing else on a site has by chance


def locate(intent: Locate, turn: Turn) -> Move:
    """Finished when the page is about the key."""
    scene, what = turn.scene, f"{intent.noun} {intent.key}"
    if shows(scene, intent):
        return Finished()
    row = entry(scene, intent.key)
    opened = f"open {what}"
    if row.rivals:
        return Blocked(row.problem(what))
    if row.spot is not None and row.spot.node.ref is not None:
        if turn.past.did(opened):
            return Finished()
        return Do(Click(ref=row.spot.node.ref), opened)
    if turn.past.did(opened):
        return Finished()
    seek = _seek(intent.noun, _names(intent), intent.key, turn)
    return seek if not isinstance(seek, Finished) else _next_page(what, turn)


def search(intent: Search, turn: Turn) -> Move:
    """Finished when the search was sent."""
    names = (intent.field, f"{intent.noun} {intent.field}") if intent.field else ()
    return _seek(intent.noun, names, intent.value, turn)


def shows(scene: Scene, wanted: Locate) -> bool:
    """Whether the page is about the thing: its path, title or a heading says so, and it is no list of results.

    A short number says little by itself, so its noun must stand with it.
    """
    parts = [folded(part) for part in unquote(urlsplit(scene.observation.url).path).split("/")]
    before = [one for one, other in pairwise(parts) if other == folded(wanted.key)]
    if any(_tells(f"{part} {wanted.key}", wanted) for part in before):
        return True
    titles = [scene.observation.title] + [all_text(spot.node) for spot in scene.spots if spot.node.role == "heading"]
    return any(_tells(title, wanted) and not {"search", "result"} & set(tokens(title)) for title in titles)


def _tells(text: str, wanted: Locate) -> bool:
    certain = len(wanted.key) >= LONG or not wanted.key.isdigit() or folded(text) == folded(wanted.key)
    return holds(text, wanted.key) and (certain or bool(set(tokens(wanted.noun)) & set(tokens(text))))


def entry(scene: Scene, key: str) -> Grounding:
    """What opens the thing with this key: the link in its row, or a link that is named by it."""
    rows = [
        spot for spot in scene.spots if spot.node.role in ("row", "listitem") and any(_is(cell, key) for cell in _cells(spot))
    ]
    if rows:
        found = [each for each in (_opener(scene, row, key) for row in rows) if each is not None]
        return Grounding(found[0]) if len(found) == 1 else Grounding(rivals=tuple(found))
    links = [spot for spot in scene.of(LINKS | BUTTONS) if holds(spot.label, key)]
    return Grounding(links[0]) if len(links) == 1 else Grounding(rivals=tuple(links))


def entries(scene: Scene) -> list[Spot]:
    """What opens each row of what was found, in order; links outside of any list when there are no rows."""
    rows = [spot for spot in scene.spots if spot.node.role == "row" and not _heads(spot)]
    items = [spot for spot in scene.spots if spot.node.role in ("listitem", "article")]
    return [each for each in (_opener(scene, row, "") for row in rows or items) if each is not None]


def _heads(row: Spot) -> bool:
    return all(child.role == "columnheader" for child in row.node.children)


def _cells(row: Spot) -> list[str]:
    return [all_text(child) for child in row.node.children] or [all_text(row.node)]


def _is(text: str, key: str) -> bool:
    return folded(text) == folded(key) or (len(text) < 80 and holds(text, key))


def _opener(scene: Scene, row: Spot, key: str) -> Spot | None:
    inside = [spot for spot in scene.below(row.node) if spot.node.role in PRESSABLE and spot.usable]
    named = [spot for spot in inside if holds(spot.label, key)]
    if named or len(inside) == 1:
        return (named or inside)[0]
    for word in OPENING:
        if (found := best(inside, word)).spot:
            return found.spot
    return row if row.usable and row.has("cursor=pointer") else None


def _seek(noun: str, names: tuple[str, ...], value: str, turn: Turn) -> Move:
    """Type the value in the search field that fits and send it; Finished when that was done."""
    sent = f"search for {value}"
    if turn.past.did(sent):
        return Finished()
    field = _field(turn.scene, noun, names)
    if field.spot is None:
        return _to_search(noun, field, turn)
    move = put(field.spot, value, turn)
    if not isinstance(move, Finished):
        return move
    button = submit_of(turn.scene, [field.spot], SEEKING)
    if button.spot is not None and button.spot.node.ref is not None:
        return Do(Click(ref=button.spot.node.ref), sent)
    return Do(Press(ref=field.spot.node.ref, key="Enter"), sent)


def _names(intent: Locate) -> tuple[str, ...]:
    if any(map(str.isdigit, intent.key)):
        return (f"{intent.noun} number", "number", intent.noun)
    return (f"{intent.noun} name", "name", "full name", intent.noun)


def _field(scene: Scene, noun: str, names: tuple[str, ...]) -> Grounding:
    fields = scene.of(TEXT_FIELDS)
    for name in names:
        found = best(fields, name)
        if found.spot or found.rivals:
            return found
    general = [spot for spot in fields if _seeks(spot)]
    return best(general, f"search {noun}") if len(general) > 1 else Grounding(general[0]) if general else Grounding()


def _seeks(spot: Spot) -> bool:
    telling = {"search", "query", "keyword", "filter"} & set(tokens(spot.label))
    return bool(telling) or spot.node.role == "searchbox" or any(each.role == "search" for each in spot.path)


def _to_search(noun: str, field: Grounding, turn: Turn) -> Move:
    if field.rivals:
        return Blocked(field.problem("the search field"))
    pool = turn.scene.of(LINKS | TABS | BUTTONS)
    for name in (f"search {noun}", "search", noun):
        found = best(pool, name) if name else Grounding()
        why = f"go to {found.spot}"
        if found.spot is not None and found.spot.node.ref is not None and not turn.past.did(why):
            return Do(Click(ref=found.spot.node.ref), why)
    return Blocked(f"I see no way to search for {noun or 'it'} on this page.")


def _next_page(what: str, turn: Turn) -> Move:
    following = best(turn.scene.of(LINKS | BUTTONS), "next", "next page")
    number = sum(deed.why.startswith("turn to page") for deed in turn.past.deeds) + 2
    if following.spot is None or following.spot.node.ref is None or number > PAGES:
        said = f" The page says: {turn.scene.messages}" if turn.scene.messages else ""
        return Blocked(f"I find no {what} here.{said}")
    return Do(Click(ref=following.spot.node.ref), f"turn to page {number} of what was found")
