"""What stands in the way: dialogs and notices that are not what the goal is about get dismissed."""

from engine.decide.embedded.ground import best
from engine.decide.embedded.moves import Blocked, Do, Move
from engine.decide.embedded.progress import Past
from engine.decide.embedded.scene import BUTTONS, DIALOGS, FIELDS, LINKS, Scene, Spot
from engine.decide.embedded.words import likeness
from engine.domain.action import Click
from engine.domain.observation import Node

DISMISSING = ("close", "dismiss", "got it", "no thanks", "not now", "later", "skip", "decline", "reject", "cancel",
              "understood", "ok", "continue")  # fmt: skip
CLEARLY = DISMISSING[:9]
"""Words that can only mean: go away."""

NOTICES = frozenset({"region", "alert", "status", "complementary", "banner", "note", "contentinfo", "group"})
SMALL = 12  # nodes of a notice
TIMES = 2


def clear_way(move: Move, scene: Scene, past: Past) -> Do | None:
    """What to dismiss before the move can be made, or None."""
    target = scene.at(getattr(move.action, "ref", None) or "") if isinstance(move, Do) else None
    for dialog in scene.dialogs:
        if target is not None and target.within(dialog.node):
            return None
        if dismissal := _dismiss(dialog, scene, past, DISMISSING):
            return dismissal
    failed = past.last is not None and not past.last.ok
    blocked = isinstance(move, Blocked) or failed
    for spot in scene.of(BUTTONS | LINKS):
        notice = _notice(spot)
        if notice is not None and not (target is not None and target.within(notice)):
            found = _dismissal(spot, notice.name, past, DISMISSING if blocked else CLEARLY)
            if found:
                return found
    return None


def _dismiss(dialog: Spot, scene: Scene, past: Past, words: tuple[str, ...]) -> Do | None:
    buttons = [spot for spot in scene.below(dialog.node) if spot.node.role in BUTTONS and spot.usable]
    for word in words:
        found = best([spot for spot in buttons if likeness(word, spot.label) >= 0.75], word)
        if found.spot is not None:
            return _dismissal(found.spot, dialog.label, past, words)
    return None


def _dismissal(spot: Spot, name: str, past: Past, words: tuple[str, ...]) -> Do | None:
    if spot.node.ref is None or not any(likeness(word, spot.label) >= 0.75 for word in words):
        return None
    why = f"dismiss {name or 'a notice'} by {spot}, which is in the way"
    return Do(Click(ref=spot.node.ref), why) if past.count(why) < TIMES else None


def _notice(spot: Spot) -> Node | None:
    """The small container of a button that holds nothing to work with."""
    container = next((each for each in reversed(spot.path) if each.role in NOTICES | DIALOGS), None)
    if container is None:
        return None
    nodes = list(container.walk())
    return container if len(nodes) <= SMALL and not any(node.role in FIELDS | {"table", "list"} for node in nodes) else None
