"""The observed page as the planner reasons on it: every node with its ancestors, its label, and whether it can be used."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, takewhile

from engine.decide.embedded.words import folded
from engine.domain.observation import Node, Observation

TEXT_FIELDS = frozenset({"textbox", "searchbox", "spinbutton"})
LISTS = frozenset({"combobox", "listbox"})
BOXES = frozenset({"checkbox", "switch", "menuitemcheckbox"})
OPTIONS = frozenset({"radio", "menuitemradio"})
BUTTONS = frozenset({"button"})
LINKS = frozenset({"link"})
TABS = frozenset({"tab"})
FIELDS = TEXT_FIELDS | LISTS
PRESSABLE = BUTTONS | LINKS | TABS | BOXES | OPTIONS | frozenset({"menuitem", "treeitem", "option"})
DIALOGS = frozenset({"dialog", "alertdialog"})
DEAD = frozenset({"disabled", "aria-hidden", "inert", "hidden"})
PLAIN = frozenset({"text", "generic", "paragraph", "strong", "emphasis", "code", "time", "cell", "gridcell"})
"""Roles that only show a text: what can label, and what can be labelled."""

LABEL_REACH = 3  # how many levels up a label may stand beside a field's container


@dataclass(frozen=True)
class Spot:
    """One node where it stands. `order` counts nodes in document order; `path` is its ancestors, outermost first."""

    node: Node
    path: tuple[Node, ...]
    order: int
    label: str = ""
    """Accessible name, else placeholder, else the text that stands before it."""

    @property
    def ref(self) -> str | None:
        """The handle to act on, of the node or else of the nearest ancestor that has one."""
        return self.node.ref or next((each.ref for each in reversed(self.path) if each.ref), None)

    @property
    def usable(self) -> bool:
        """Whether it can be acted on: it has a handle of its own and nothing disables or hides it."""
        return self.node.ref is not None and not any(DEAD & set(each.states) for each in (*self.path, self.node))

    @property
    def dialog(self) -> Node | None:
        """The innermost dialog around it."""
        return next((each for each in reversed(self.path) if each.role in DIALOGS), None)

    def within(self, node: Node) -> bool:
        """Whether it is `node` or below it."""
        return node is self.node or any(each is node for each in self.path)

    def has(self, state: str) -> bool:
        """Whether the node is marked so."""
        return state in self.node.states

    def __str__(self) -> str:
        return f'{self.node.role} "{self.label}"' if self.label else self.node.role


class Scene:
    """All spots of one observation. What repeats the goal's own sentence on the page is not part of it."""

    def __init__(self, observation: Observation, goal: str) -> None:
        self.observation = observation
        self.root = without(observation.root, folded(goal))

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """Every node but the echo of the goal, in document order."""
        return tuple(_labelled(list(_walk(self.root, (), [0]))))

    def of(self, roles: frozenset[str]) -> list[Spot]:
        """Usable spots of these roles."""
        return [spot for spot in self.spots if spot.node.role in roles and spot.usable]

    @cached_property
    def dialogs(self) -> list[Spot]:
        """Open dialogs."""
        return [spot for spot in self.spots if spot.node.role in DIALOGS and not DEAD & set(spot.node.states)]

    def at(self, ref: str) -> Spot | None:
        """The spot of a ref."""
        return next((spot for spot in self.spots if spot.node.ref == ref), None)

    @cached_property
    def _by_node(self) -> dict[int, Spot]:
        return {id(spot.node): spot for spot in self.spots}

    def spot(self, node: Node) -> Spot:
        """The spot of a node of this scene."""
        return self._by_node[id(node)]

    @property
    def messages(self) -> str:
        """What alerts and status lines of the page say now."""
        said = [all_text(spot.node) for spot in self.spots if spot.node.role in ("alert", "status")]
        return " ".join(dict.fromkeys(text for text in said if text))[:400]

    def below(self, node: Node) -> list[Spot]:
        """The spots inside a node."""
        top = self.spot(node)
        following = islice(self.spots, top.order + 1, None)
        return list(takewhile(lambda spot: len(spot.path) > len(top.path), following))


def without(node: Node, echo: str) -> Node:
    """The tree without the nodes that say just the echo; the same object where there are none."""
    kept = tuple(without(child, echo) for child in node.children if not _says(child, echo))
    same = len(kept) == len(node.children) and all(one is other for one, other in zip(kept, node.children, strict=True))
    return node if same else replace(node, children=kept)


def _says(node: Node, echo: str) -> bool:
    return len(echo) > 8 and folded(node.text or node.name) == echo


def _walk(node: Node, path: tuple[Node, ...], count: list[int]) -> Iterator[Spot]:
    yield Spot(node, path, count[0])
    count[0] += 1
    for child in node.children:
        yield from _walk(child, (*path, node), count)


def own_text(node: Node) -> str:
    """What a node shows by itself: its text, else its name."""
    return node.text or node.name


def all_text(node: Node) -> str:
    """Everything readable in a node, white space folded; a field counts by its value."""
    if node.role in LISTS:
        return chosen(node)
    if not node.children:
        return " ".join(own_text(node).split())
    below = " ".join(part for part in (all_text(child) for child in node.children) if part)
    return " ".join(f"{node.text} {below}".split()) or node.name


def chosen(node: Node) -> str:
    """What a list has chosen."""
    picked = [own_text(each) for each in node.walk() if each.role == "option" and {"selected", "checked"} & set(each.states)]
    return picked[0] if picked else node.text


def _labelled(spots: list[Spot]) -> Iterator[Spot]:
    before: Spot | None = None
    for spot in spots:
        node = spot.node
        if node.role in PRESSABLE | FIELDS:
            near = before if before is not None and _beside(before, spot) else None
            field = node.role in FIELDS | BOXES | OPTIONS
            label = node.name or (node.placeholder or (_said(near) if near else "") if field else all_text(node))
            yield Spot(node, spot.path, spot.order, " ".join(label.split()))
            before = None if node.role in FIELDS else before
            continue
        yield Spot(node, spot.path, spot.order, " ".join(node.name.split()))
        if not node.children and own_text(node).strip() and not any(each.role in PRESSABLE | FIELDS for each in spot.path):
            before = spot


def _said(spot: Spot) -> str:
    return own_text(spot.node).strip().rstrip(":*").strip()


def _beside(text: Spot, field: Spot) -> bool:
    if len(own_text(text.node)) > 60:
        return False
    row = next((each for each in reversed(field.path) if each.role == "row"), None)
    if row is not None and not text.within(row):
        return False
    shared = sum(1 for one, other in zip(text.path, field.path, strict=False) if one is other)
    return len(field.path) - shared < LABEL_REACH and len(text.path) - shared < LABEL_REACH
