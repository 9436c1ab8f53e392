"""Pressing, opening, following, focusing, expanding."""

import re

from engine.decide.embedded.finding import entries
from engine.decide.embedded.ground import ENOUGH, Grounding, best, clearest, ground
from engine.decide.embedded.intents import Phrase, Press, Unfold
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.scene import BUTTONS, LINKS, PRESSABLE, TABS, Scene, Spot, all_text
from engine.decide.embedded.tables import row_of
from engine.decide.embedded.words import likeness
from engine.domain.action import Click, Navigate

_URL = re.compile(r"^(?:https?://\S+|/\S*)$")
SUBMITS = ("submit", "save", "send", "ok", "continue", "next", "go", "apply", "confirm")
UNFOLDERS = TABS | BUTTONS | LINKS | frozenset({"summary", "DisclosureTriangle", "treeitem", "heading"})


def press(intent: Press, turn: Turn) -> Move:
    """Press it once; a path or URL is opened."""
    last = turn.past.last
    if last is not None and last.ok:
        return Finished()
    if _URL.match(intent.target.text) and not intent.target.quoted:
        return Do(Navigate(url=intent.target.text), f"open {intent.target.text}")
    found = _pressed(intent, turn.scene)
    if found.spot is None or found.spot.node.ref is None:
        return Blocked(found.problem(intent.target))
    return Do(Click(ref=found.spot.node.ref), f"press {found.spot}")


def _pressed(intent: Press, scene: Scene) -> Grounding:
    pool = [spot for spot in scene.of(PRESSABLE) if spot.dialog] if intent.inside == "dialog" and scene.dialogs else None
    if intent.target.kind == "row" and pool is None:
        named = best(scene.of(PRESSABLE), intent.target.whole) if intent.target.place is None else Grounding()
        if named.spot:
            return named
        pool = entries(scene)
    found = ground(scene, intent.target, pool)
    if found.spot or pool is not None:
        return found
    if within_row := _in_row(intent.target, scene):
        return within_row
    if found.rivals:
        return found
    if intent.target.kind == "any" and intent.target.text.lower() == "submit":
        return _some(scene, *SUBMITS)
    return found if intent.target.kind in ("link", "field") else best(_pointed(scene), intent.target.text, intent.target.whole)


def _in_row(target: Phrase, scene: Scene) -> Grounding | None:
    """`the details of the blue one`: what is called so in the one row that holds the other words."""
    what, _, row = re.sub(r"\s+(?:of|for|in)\s+(?:the\s+)?", "\0", target.whole or target.text, count=1).partition("\0")
    if not row or target.quoted:
        return None
    rows = row_of(scene, row)
    inside = [] if rows.spot is None else [spot for spot in scene.below(rows.spot.node) if spot.usable]
    found = best([spot for spot in inside if spot.node.role in PRESSABLE], what)
    return found if found.spot else rows if rows.rivals else None


def _some(scene: Scene, *names: str) -> Grounding:
    for name in names:
        found = best(scene.of(BUTTONS), name)
        if found.spot or found.rivals:
            return found
    return Grounding()


def _pointed(scene: Scene) -> list[Spot]:
    """Elements of no telling role that show a pointing hand."""
    pointed = [spot for spot in scene.spots if spot.has("cursor=pointer") and spot.usable and spot.node.role not in PRESSABLE]
    return [Spot(spot.node, spot.path, spot.order, all_text(spot.node)) for spot in pointed]


def unfold(intent: Unfold, turn: Turn) -> Move:
    """Press the header of a section unless it already is as wanted."""
    if turn.past.last is not None and turn.past.last.ok:
        return Finished()
    found = _header(intent.target, turn.scene)
    if found.spot is None or found.spot.node.ref is None:
        return Blocked(found.problem(intent.target))
    if found.spot.has("expanded") == intent.open:
        return Finished()
    return Do(Click(ref=found.spot.node.ref), f"{'expand' if intent.open else 'collapse'} {found.spot}")


def _header(target: Phrase, scene: Scene) -> Grounding:
    names = [name for name in (target.whole, target.text) if name]
    scored = [(max((likeness(name, spot.label) for name in names), default=0.0), spot) for spot in scene.of(UNFOLDERS)]
    return clearest([(score, spot) for score, spot in scored if score >= ENOUGH])
