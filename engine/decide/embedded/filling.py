"""Putting values in fields and choosing options; lists that hide their options are opened first."""

from collections.abc import Iterable
from datetime import datetime

from engine.decide.embedded.ground import EXACT, Grounding, best, ground
from engine.decide.embedded.intents import Choose, Fill, Phrase, Text
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.scene import BOXES, FIELDS, LISTS, OPTIONS, TEXT_FIELDS, Scene, Spot, own_text
from engine.decide.embedded.tables import beside
from engine.decide.embedded.words import folded, likeness
from engine.domain.action import Click, Select, Type

DATES = ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%B %d, %Y", "%b %d, %Y", "%d %B %Y", "%d %b %Y", "%Y/%m/%d", "%m-%d-%Y")
MONTHS = ("%B %Y", "%b %Y", "%m/%Y", "%Y-%m")
CHOSEN = frozenset({"checked", "selected", "pressed"})
LISTED = frozenset({"option", "menuitem", "menuitemradio", "treeitem"})


def fill(intent: Fill, turn: Turn) -> Move:
    """Put the value in every field that is meant, each once."""
    value = intent.value.text if not intent.value.looked_up else None
    if value is None:
        looked = beside(turn.scene, intent.value.text)
        if looked.spot is None:
            return Blocked(looked.problem(f"the value of {intent.value.text}")) if not turn.past.last else Finished()
        value = own_text(looked.spot.node)
    fields = _fields(intent.target, turn.scene)
    if isinstance(fields, Blocked):
        return fields
    moves = (put(spot, value, turn, str(index + 1) if len(fields) > 1 else "") for index, spot in enumerate(fields))
    return next((move for move in moves if not isinstance(move, Finished)), Finished())


def _fields(target: Phrase, scene: Scene) -> list[Spot] | Blocked:
    pool = scene.of(FIELDS if target.kind in ("any", "list") else TEXT_FIELDS)
    if target.every:
        pool = [spot for spot in scene.of(TEXT_FIELDS) if not target.text or likeness(target.text, spot.label) >= EXACT]
        return pool or Blocked(f"I see no field that is called {target}.")
    found = field_for(scene, target, pool)
    return [found.spot] if found.spot else Blocked(found.problem(target if target.text else "the field that is meant"))


def field_for(scene: Scene, target: Phrase, pool: list[Spot]) -> Grounding:
    """The field a phrase names; the only field of a page needs no label."""
    found = best(pool, target.text, target.whole) if target.text else ground(scene, Phrase(kind="field"), pool)
    alone = len(pool) == 1 and not pool[0].label
    return Grounding(pool[0]) if alone and not found.spot else found


def put(spot: Spot, value: str, turn: Turn, which: str = "") -> Move:
    """One value into one field, by typing or by choosing."""
    if spot.node.role in LISTS and (options := options_of(spot)):
        return pick(spot, value, options, turn)
    assert spot.node.ref is not None
    why = f'put "{value}" in {spot}{" number " + which if which else ""}'
    if turn.past.did(why) or turn.past.did(f"{why} as a date"):
        return Finished()
    vain = turn.past.vain(why)
    iso = as_iso(value)
    if vain and iso:
        return Do(Type(ref=spot.node.ref, text=iso), f"{why} as a date")
    return Do(Type(ref=spot.node.ref, text=value), why)


def pick(spot: Spot, value: str, options: list[str], turn: Turn) -> Move:
    """Choose the option of a list that the value means."""
    assert spot.node.ref is not None
    option = option_for(value, options)
    if option is None:
        shown = ", ".join(f'"{each}"' for each in options[:8])
        return Blocked(f'No single option of {spot} is "{value}"; it has {shown}.')
    why = f'choose "{option}" in {spot}'
    return Finished() if turn.past.did(why) else Do(Select(ref=spot.node.ref, options=(option,)), why)


def options_of(spot: Spot) -> list[str]:
    """Labels of a list's options that can be chosen."""
    return [own_text(each) for each in spot.node.walk() if each.role == "option" and "disabled" not in each.states]


def option_for(value: str, options: Iterable[str]) -> str | None:
    """The option that is meant; None when none or several could be."""
    for form in (value, *_month_forms(value)):
        scored = sorted(((likeness(form, option), option) for option in dict.fromkeys(options)), reverse=True)
        if scored and scored[0][0] >= 0.6 and (len(scored) == 1 or scored[0][0] - scored[1][0] > 0.01):
            return scored[0][1]
    return None


def choose(intent: Choose, turn: Turn) -> Move:
    """Choose or tick every option, each once."""
    for names in ((intent.as_one,), intent.options):
        spots = [_option(name, intent, turn.scene) for name in names if name]
        if (
            intent.options
            and names != intent.options
            and not all(found.spot and _same(found.spot, name) for found, name in zip(spots, names, strict=False))
        ):
            continue
        return _choose_all(names if intent.options else (), spots, intent, turn)
    return Finished()


def _choose_all(names: tuple[str, ...], found: list[Grounding], intent: Choose, turn: Turn) -> Move:
    for name, each in zip(names, found, strict=False):
        move = _choose_one(name, each, intent, turn)
        if not isinstance(move, Finished):
            return move
    return Finished()


def _choose_one(name: str, found: Grounding, intent: Choose, turn: Turn) -> Move:
    spot = found.spot
    if spot is None or spot.node.ref is None:
        return Blocked(found.problem(f'"{name}"'))
    if spot.node.role in LISTS:
        return put(spot, name, turn) if options_of(spot) else _open_list(spot, name, turn)
    why = f"{'choose' if intent.on else 'untick'} {spot}"
    if turn.past.did(why) or bool(CHOSEN & set(spot.node.states)) == intent.on:
        return Finished()
    return Do(Click(ref=spot.node.ref), why)


def _open_list(spot: Spot, name: str, turn: Turn) -> Move:
    assert spot.node.ref is not None
    shown = best(turn.scene.of(LISTED), name)
    if shown.spot is not None and shown.spot.node.ref is not None:
        why = f"choose {shown.spot} of {spot}"
        return Finished() if turn.past.did(why) else Do(Click(ref=shown.spot.node.ref), why)
    if turn.past.did(f'choose option "{name}" of {spot}'):
        return Finished()
    opened = f"open {spot}"
    return Blocked(shown.problem(f'"{name}"')) if turn.past.did(opened) else Do(Click(ref=spot.node.ref), opened)


def _option(name: str, intent: Choose, scene: Scene) -> Grounding:
    lists = scene.of(LISTS)
    if intent.target.text:
        named = best(lists, intent.target.text, intent.target.whole)
        if named.spot or named.rivals:
            return named
    boxes = best(scene.of(BOXES | OPTIONS | LISTED), name)
    if intent.target.kind != "list" and (boxes.spot or boxes.rivals):
        return boxes
    holding = [spot for spot in lists if option_for(name, options_of(spot)) is not None]
    if holding:
        return Grounding(holding[0]) if len(holding) == 1 else Grounding(rivals=tuple(holding))
    return boxes


def _same(spot: Spot, name: str) -> bool:
    return any(likeness(name, label) >= EXACT for label in (spot.label, *options_of(spot)))


def as_iso(value: str) -> str | None:
    """A date as year-month-day, the month first where both readings are possible; None for what is no date."""
    for form in DATES:
        try:
            return datetime.strptime(value.strip(), form).date().isoformat()
        except ValueError:
            continue
    return None


def _month_forms(value: str) -> tuple[str, ...]:
    for form in MONTHS:
        try:
            month = datetime.strptime(folded(value), form)
        except ValueError:
            continue
        return tuple(month.strftime(each) for each in MONTHS)
    return ()


__all__ = ["Text", "choose", "field_for", "fill", "option_for", "options_of", "pick", "put"]
