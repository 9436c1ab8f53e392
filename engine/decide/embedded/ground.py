"""Grounds words of a goal on the page: one spot that is clearly meant, several that could be, or none."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.decide.embedded.intents import Kind, Phrase
from engine.decide.embedded.scene import (
    BOXES,
    BUTTONS,
    FIELDS,
    LINKS,
    LISTS,
    OPTIONS,
    PRESSABLE,
    TABS,
    TEXT_FIELDS,
    Scene,
    Spot,
)
from engine.decide.embedded.words import likeness

ENOUGH = 0.6
EXACT = 0.96
MARGIN = 0.06

ROLES: dict[Kind, tuple[frozenset[str], ...]] = {
    "any": (PRESSABLE | FIELDS,),
    "button": (BUTTONS, LINKS | TABS | frozenset({"menuitem"})),
    "link": (LINKS, BUTTONS),
    "tab": (TABS, LINKS | BUTTONS),
    "field": (TEXT_FIELDS, LISTS),
    "list": (LISTS, TEXT_FIELDS),
    "box": (BOXES | OPTIONS, TEXT_FIELDS),
    "option": (OPTIONS | BOXES | frozenset({"option"}),),
    "dialog": (PRESSABLE,),
    "table": (PRESSABLE,),
    "section": (TABS | BUTTONS | LINKS,),
    "row": (PRESSABLE,),
}
"""Which roles a kind noun may mean: the first group that has any fitting element decides."""


@dataclass(frozen=True)
class Grounding:
    """What was found: `spot` when one is clearly meant, else the `rivals` that could be."""

    spot: Spot | None = None
    rivals: tuple[Spot, ...] = ()

    def problem(self, wanted: object) -> str:
        """Why there is no one spot, naming the candidates."""
        if not self.rivals:
            return f"I see nothing on this page that could be {wanted}."
        names = ", ".join(f"{spot} [{spot.ref}]" for spot in self.rivals[:6])
        return f"Several elements could be {wanted}: {names}. Say in the goal which one."


def ground(scene: Scene, phrase: Phrase, pool: Iterable[Spot] | None = None) -> Grounding:
    """The element that a phrase names, among `pool` or all usable ones."""
    spots = list(pool) if pool is not None else None
    if phrase.place is not None:
        return _nth(scene, phrase, spots)
    found = Grounding()
    for roles in ROLES[phrase.kind]:
        among = [spot for spot in (scene.of(roles) if spots is None else spots) if spot.node.role in roles]
        found = _the_only(among) if not phrase.text else best(among, *_variants(phrase))
        if found.spot or found.rivals:
            return found
    return found


def _nth(scene: Scene, phrase: Phrase, pool: list[Spot] | None) -> Grounding:
    for roles in ROLES[phrase.kind]:
        among = [spot for spot in (scene.of(roles) if pool is None else pool) if spot.node.role in roles]
        named = [
            spot for spot in among if not phrase.text or max(likeness(text, spot.label) for text in _variants(phrase)) >= ENOUGH
        ]
        if phrase.place is not None and -len(named) <= phrase.place < len(named):
            return Grounding(named[phrase.place])
    return Grounding()


def best(spots: Iterable[Spot], *wanted: str) -> Grounding:
    """The spot whose label is most like one of the `wanted` texts, if it is ahead of all others."""
    scored = [(max(likeness(text, spot.label) for text in wanted if text), spot) for spot in spots]
    return clearest([(score, spot) for score, spot in scored if score >= ENOUGH])


def clearest(scored: list[tuple[float, Spot]]) -> Grounding:
    """The one with the best score, unless another is as good as that; what lies inside another counts for it."""
    if not scored:
        return Grounding()
    top = max(score for score, _ in scored)
    margin = 0.0 if top >= EXACT else MARGIN
    first = _innermost([spot for score, spot in scored if score >= top - margin])
    unlike = _distinct(first)
    return Grounding(spot=unlike[0]) if len(unlike) == 1 else Grounding(rivals=tuple(unlike))


def _variants(phrase: Phrase) -> tuple[str, ...]:
    return (phrase.text, phrase.whole) if phrase.whole else (phrase.text,)


def _the_only(spots: list[Spot]) -> Grounding:
    unlike = _distinct(_innermost(spots))
    return Grounding(spot=unlike[0]) if len(unlike) == 1 else Grounding(rivals=tuple(unlike))


def _innermost(spots: list[Spot]) -> list[Spot]:
    return [spot for spot in spots if not any(other is not spot and other.within(spot.node) for other in spots)]


def _distinct(spots: list[Spot]) -> list[Spot]:
    """Links of one name to one address are one."""
    seen: dict[tuple[str, str] | int, Spot] = {}
    for spot in spots:
        same = (spot.label, spot.node.url) if spot.node.url else spot.order
        seen.setdefault(same, spot)
    return list(seen.values())
