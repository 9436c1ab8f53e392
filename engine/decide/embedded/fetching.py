"""Downloading: choose what is asked, press what downloads, and see that a file came."""

from engine.decide.embedded.filling import options_of, pick, put
from engine.decide.embedded.forms import OPENERS, slots_on
from engine.decide.embedded.ground import Grounding, best
from engine.decide.embedded.intents import Fetch
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.scene import LISTS, Scene, Spot
from engine.decide.embedded.words import camel, tokens
from engine.domain.action import Click, Extract, Reading


def fetch(intent: Fetch, turn: Turn) -> Move:
    """Finished when a file came and was read as an output."""
    if any(deed.ok and isinstance(deed.action, Extract) for deed in turn.past.deeds):
        return Finished()
    started = f"download {intent.about}"
    trigger = _trigger(turn.scene, intent)
    if any(deed.outcome.downloads for deed in turn.past.deeds):
        ref = (trigger.spot.ref if trigger.spot else None) or _any_ref(turn.scene)
        reading = Reading(name=camel(intent.about.split()), ref=ref, what="file")
        return Do(Extract(readings=(reading,)), f"keep the file as {reading.name}")
    if turn.past.did(started):
        return Blocked(f"No file came. {turn.scene.messages}".strip())
    places, missing = slots_on(turn.scene, intent.slots)
    if trigger.spot is None or missing is not None:
        return _open(intent, trigger, missing, turn)
    assert trigger.spot.node.ref is not None
    moves = [put(spot, slot.value, turn) for slot, spot in places]
    told = _told(intent, [spot for _, spot in places], turn)
    press = Do(Click(ref=trigger.spot.node.ref), started)
    return next((move for move in (*moves, told or Finished()) if not isinstance(move, Finished)), press)


def _told(intent: Fetch, chosen: list[Spot], turn: Turn) -> Move | None:
    """Choose, in a list that no slot names, the one option that a word of the goal's own noun tells from the others."""
    for spot in turn.scene.of(LISTS):
        options = options_of(spot)
        for word in tokens(intent.about)[:-1] if spot not in chosen else ():
            named = [option for option in options if word in tokens(option)]
            if len(named) > 1 and len(named) < len(options):
                return Blocked(f'"{word}" fits several options of {spot}: {", ".join(named[:5])}.')
            if len(named) == 1 and len(options) > 1:
                move = pick(spot, named[0], options, turn)
                if not isinstance(move, Finished):
                    return move
    return None


def _trigger(scene: Scene, intent: Fetch) -> Grounding:
    form, about = intent.form, intent.about
    names = (
        (f"download {form}", f"download {about} {form}", f"{about} {form}", form) if form else (f"download {about}", "download")
    )
    wanted = set(tokens(form or "download"))
    return best([spot for spot in scene.of(OPENERS) if wanted & set(tokens(spot.label))], *names)


def _open(intent: Fetch, trigger: Grounding, missing: str | None, turn: Turn) -> Move:
    openers = [spot for spot in turn.scene.of(OPENERS) if not _followed(spot, turn)]
    found = best(openers, intent.about)
    if found.spot is None and not found.rivals:
        found = best(openers, intent.about.split()[-1])  # the noun alone: what qualifies it may be chosen behind the link
    if found.spot is not None and found.spot.node.ref is not None:
        return Do(Click(ref=found.spot.node.ref), _why(found.spot))
    if found.rivals or trigger.spot is None:
        return Blocked((found if found.rivals else trigger).problem(f"the download of {intent.about}"))
    return Blocked(missing or f"I see no download of {intent.about} here.")


def _why(spot: Spot) -> str:
    return f"go to {spot}"


def _followed(spot: Spot, turn: Turn) -> bool:
    return turn.past.did(_why(spot))


def _any_ref(scene: Scene) -> str:
    return next(spot.node.ref for spot in scene.spots if spot.node.ref)
