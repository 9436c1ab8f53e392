"""What a compact text is made of before it is cut and shortened: lines that know what they show."""

from dataclasses import dataclass, field

from engine.domain.observation import Node
from engine.observe.roles import is_actionable

Place = tuple[str, int]
"""A ref of a table or list, and the index of the item in it."""


@dataclass(frozen=True)
class Line:
    """One line. `said` is its page text alone, `refs` are the actionable elements it shows, `ref` is the one it starts with.

    `places` are the tables and lists around it, outermost first, with the index of the item the line belongs to;
    `unit` is what such an item is called when it is counted, and `count` how many of them the line stands for.
    """

    depth: int
    text: str
    said: str = ""
    ref: str | None = None
    refs: tuple[str, ...] = ()
    plain: bool = False
    places: tuple[Place, ...] = ()
    unit: str = "lines"
    count: int = 1

    def __str__(self) -> str:
        return " " * self.depth + self.text


@dataclass(slots=True)
class Gist:
    """What a subtree holds: actionable elements, text pieces, characters of text, and whether it has a structure of its own."""

    acts: int = 0
    pieces: int = 0
    chars: int = 0
    block: bool = False


STRUCTURES = frozenset({"table", "grid", "treegrid", "iframe", "dialog", "alertdialog", "form"})


def gists(root: Node) -> dict[int, Gist]:
    """The gist of every node, by its identity."""
    found: dict[int, Gist] = {}
    for node in reversed(list(root.walk())):
        own = len(node.text) or len(node.name)
        acts, block = int(is_actionable(node)), node.role in STRUCTURES
        if not node.children:
            found[id(node)] = Gist(acts, 1 if own else 0, own, block)
            continue
        gist = found[id(node)] = Gist(acts, 0, own, block)
        for child in node.children:
            below = found[id(child)]
            gist.acts += below.acts
            gist.pieces += below.pieces
            gist.chars += below.chars
            gist.block = gist.block or below.block
    return found


@dataclass
class Sheet:
    """The lines of one page while they are written."""

    gists: dict[int, Gist]
    lines: list[Line] = field(default_factory=list)
    options: dict[tuple[str, ...], str] = field(default_factory=dict)
