"""Form tasks: find the form that has a field for every value, fill it, submit it once, see that it took."""

import re
from collections.abc import Iterable

from engine.decide.embedded.filling import option_for, options_of, put
from engine.decide.embedded.ground import Grounding, best
from engine.decide.embedded.intents import FormTask, Slot
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.progress import ASIDE, Deed
from engine.decide.embedded.scene import BUTTONS, FIELDS, LINKS, LISTS, TABS, Scene, Spot, all_text
from engine.decide.embedded.words import likeness
from engine.domain.action import Click

OPENERS = LINKS | BUTTONS | TABS | frozenset({"menuitem"})
BACKING = ("cancel", "back", "reset", "close", "discard", "dismiss", "clear", "sign out", "previous")
SUBMITTING = ("save", "submit", "update", "confirm", "apply", "send", "continue", "ok", "next", "done")
_WRONG = re.compile(
    r"\b(?:error|fail\w*|not|invalid|denied|wrong|cannot|can't|unable|expired|declined|rejected|nothing)\b", re.IGNORECASE
)

Places = list[tuple[Slot, Spot]]


def form_task(intent: FormTask, turn: Turn) -> Move:
    """Open, fill, submit, check."""
    submitted = f"submit {intent.verb} {intent.about}".strip()
    sent = [deed for deed in turn.past.deeds if deed.why == submitted and deed.ok]
    if sent:
        return confirmed(intent, sent[-1], turn)
    places, missing = slots_on(turn.scene, intent.slots, intent.pieces)
    if missing is not None:
        return _open(intent, missing, turn)
    for slot, spot in places:
        move = put(spot, slot.value, turn)
        if not isinstance(move, Finished):
            return move
    words = (f"{intent.verb} {intent.about}", intent.verb, *(f"{word} {intent.about}" for word in SUBMITTING[:3]), *SUBMITTING)
    found = submit_of(turn.scene, [spot for _, spot in places], words)
    if found.spot is None or found.spot.node.ref is None:
        return Blocked(found.problem("the button that submits this form"))
    return Do(Click(ref=found.spot.node.ref), submitted)


def slots_on(scene: Scene, slots: tuple[Slot, ...], pieces: tuple[Slot, ...] = ()) -> tuple[Places, str | None]:
    """A field for every slot, and None; or why there is none. A value in pieces goes into its pieces where it can."""
    if pieces:
        places, missing = slots_on(scene, pieces)
        if missing is None:
            return places, None
    places, taken = [], set[int]()
    for slot in slots:
        pool = [spot for spot in scene.of(FIELDS) if spot.order not in taken]
        found = best(pool, slot.label) if slot.label else _having(pool, slot.value)
        if found.spot is None:
            return [], found.problem(f'a field for {slot.label or "the value"} "{slot.value}"')
        taken.add(found.spot.order)
        places.append((slot, found.spot))
    return places, None


def _having(pool: list[Spot], value: str) -> Grounding:
    able = [spot for spot in pool if spot.node.role in LISTS and option_for(value, options_of(spot)) is not None]
    return Grounding(able[0]) if len(able) == 1 else Grounding(rivals=tuple(able))


def submit_of(scene: Scene, fields: list[Spot], words: Iterable[str]) -> Grounding:
    """The button that belongs to these fields: in the nearest container that has one, named by the first word that fits."""
    if not fields:
        return Grounding()
    for container in reversed(fields[-1].path):
        if not all(field.within(container) for field in fields):
            continue
        near = [spot for spot in scene.below(container) if spot.node.role in BUTTONS and spot.usable and not _backs(spot)]
        after = [spot for spot in near if spot.order > fields[0].order]
        if after:
            named = [found for word in words if (found := best(after, word)).spot or found.rivals]
            return Grounding(after[0]) if len(after) == 1 else named[0] if named else Grounding(rivals=tuple(after))
    return Grounding()


def _backs(spot: Spot) -> bool:
    return any(likeness(word, spot.label) >= 0.9 for word in BACKING)


def _open(intent: FormTask, missing: str, turn: Turn) -> Move:
    for name in (f"{intent.verb} {intent.about}".strip(), intent.about):
        found = best(turn.scene.of(OPENERS), name) if name else Grounding()
        if found.rivals:
            return Blocked(found.problem(f'"{name}"'))
        why = f"open the form behind {found.spot}"
        if found.spot is not None and found.spot.node.ref is not None and not turn.past.did(why):
            return Do(Click(ref=found.spot.node.ref), why)
    return Blocked(missing)


def confirmed(intent: FormTask, sent: Deed, turn: Turn) -> Move:
    """After the form was sent: what the page asks or says now. It is never sent a second time."""
    scene = turn.scene
    if any(dialog.answer == "dismissed" for dialog in sent.outcome.dialogs):
        return Blocked("The page asked to confirm and the policy said no.")
    asked = [spot for spot in scene.of(BUTTONS) if spot.dialog is not None and not _backs(spot)]
    confirm = best(asked, f"{intent.verb} {intent.about}", intent.verb, "confirm", "yes", "ok")
    why = "confirm it"
    if confirm.spot is not None and confirm.spot.node.ref is not None and not turn.past.did(why):
        return Do(Click(ref=confirm.spot.node.ref), why)
    if any(request.status is not None and request.status >= 400 for request in sent.outcome.requests):
        return Blocked(f"The site did not take it. {scene.messages}".strip())
    if any(deed.number > sent.number and deed.part not in (sent.part, ASIDE) for deed in turn.whole.deeds):
        return Blocked("The session ended while the form was sent; whether it took is not known.")
    _, missing = slots_on(scene, intent.slots, intent.pieces)
    alerts = [spot for spot in scene.spots if spot.node.role == "alert" and _said(spot)]
    if alerts and (missing is None or _WRONG.search(scene.messages)):
        return Blocked(f"It was not accepted: {scene.messages}")
    return Finished() if _took(intent, sent, turn, gone=missing is not None) else Blocked("No sign on the page that it took.")


def _took(intent: FormTask, sent: Deed, turn: Turn, gone: bool) -> bool:
    """The page says something new; or the form is gone, and the page is another or shows what was filled in."""
    since = [deed.outcome for deed in turn.past.deeds if deed.number >= sent.number]
    if turn.scene.messages or any(outcome.appeared for outcome in since):
        return True
    shown = all_text(turn.scene.root)
    moved = any(outcome.url_before != outcome.url_after for outcome in since)
    return gone and (moved or any(slot.value in shown for slot in intent.slots))


def _said(spot: Spot) -> bool:
    return any(node.text or node.name for node in spot.node.walk())
