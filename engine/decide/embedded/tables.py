"""Where a value stands: in a table by row and column, or beside its label."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from engine.decide.embedded.ground import ENOUGH, EXACT, Grounding, clearest
from engine.decide.embedded.scene import FIELDS, PLAIN, PRESSABLE, Scene, Spot, all_text
from engine.decide.embedded.words import reads_as, tokens
from engine.domain.observation import Node

TABLES = frozenset({"table", "grid", "treegrid"})
CELLS = frozenset({"cell", "gridcell", "rowheader", "columnheader"})
LABEL_LENGTH = 60


@dataclass(frozen=True)
class Table:
    """A table of the page: the column headers (empty when it has none) and its rows of cells without them."""

    spot: Spot
    headers: tuple[str, ...]
    rows: tuple[tuple[Node, ...], ...]


def tables(scene: Scene) -> list[Table]:
    """All tables in document order."""
    return [_table(spot) for spot in scene.spots if spot.node.role in TABLES]


def _table(spot: Spot) -> Table:
    rows = [tuple(child for child in row.children if child.role in CELLS) for row in _rows(spot.node)]
    rows = [row for row in rows if row]
    if rows and all(cell.role == "columnheader" for cell in rows[0]):
        return Table(spot, tuple(all_text(cell) for cell in rows[0]), tuple(rows[1:]))
    return Table(spot, (), tuple(rows))


def _rows(node: Node) -> Iterator[Node]:
    for child in node.children:
        if child.role == "row":
            yield child
        elif child.role not in TABLES:
            yield from _rows(child)


def cell(scene: Scene, row: str, column: str) -> Grounding:
    """The cell in the column headed so, in the row that has such a cell."""
    scored: list[tuple[float, Spot]] = []
    for table in tables(scene):
        heads = [reads_as(column, header) for header in table.headers]
        top = max(heads, default=0.0)
        at = [index for index, score in enumerate(heads) if score >= ENOUGH and score >= top - 0.01]
        told = _apart(scene, table, row)
        for cells in table.rows:
            scored += [(min(score, top), scene.spot(cells[index])) for index in at if (score := _fits(told, cells, index))]
    return clearest([(score, spot) for score, spot in scored if spot.ref is not None])


def row_of(scene: Scene, words: str) -> Grounding:
    """The row of any table that has a cell with these words."""
    scored: list[tuple[float, Spot]] = []
    for table in tables(scene):
        told = _apart(scene, table, words)
        fitting = [(_fits(told, cells), scene.spot(cells[0]).path[-1]) for cells in table.rows]
        scored += [(score, scene.spot(row)) for score, row in fitting if score]
    return clearest(scored)


def _apart(scene: Scene, table: Table, words: str) -> str:
    """The words that tell a row, without those that the table says of all of its rows: its name and its headers."""
    said = {token for title in _titles(scene, table) for token in tokens(title)}
    return " ".join(word for word in words.split() if not set(tokens(word)) <= said) or words


def _fits(words: str, cells: tuple[Node, ...], but: int = -1) -> float:
    if but >= len(cells):
        return 0.0
    score = max((reads_as(words, all_text(each)) for index, each in enumerate(cells) if index != but), default=0.0)
    return score if score >= ENOUGH else 0.0


def beside(scene: Scene, label: str) -> Grounding:
    """The element that holds the value labelled so: term and definition, a row of two, a pair of texts, a field."""
    scored = [(score, spot) for score, spot in _labelled(scene, label) if score >= ENOUGH and spot.ref is not None]
    return clearest([(score, spot) for score, spot in scored if score >= EXACT] or scored)


def _labelled(scene: Scene, label: str) -> Iterator[tuple[float, Spot]]:
    for spot in scene.spots:
        if spot.node.role in FIELDS:
            yield reads_as(label, spot.label), spot
        for key, value in _pairs(spot.node):
            yield reads_as(label, key), scene.spot(value)
    for table in tables(scene):
        if len(table.rows) == 1:
            yield from (
                (reads_as(label, head), scene.spot(each)) for head, each in zip(table.headers, table.rows[0], strict=False)
            )


def _pairs(node: Node) -> Iterator[tuple[str, Node]]:
    """Neighbours of which the first labels the second: all of a list of terms, or a node that holds just the two."""
    parts = [child for child in node.children if all_text(child) and child.role not in PRESSABLE | FIELDS]
    for one, other in pairwise(parts):
        said = all_text(one).rstrip(":").strip()
        if len(said) <= LABEL_LENGTH and (_labels(one, other) or (len(parts) == 2 and _are_texts(one, other))):
            yield said, other


def _labels(one: Node, other: Node) -> bool:
    return (one.role, other.role) == ("term", "definition") or one.role == "rowheader"


def _are_texts(one: Node, other: Node) -> bool:
    return {one.role, other.role} <= PLAIN and not _holds_more(one) and not _holds_more(other)


def _holds_more(node: Node) -> bool:
    return sum(1 for each in node.walk() if not each.children) > 1


def named(scene: Scene, words: str) -> Grounding:
    """The table of that name or under that heading; without words, the only one that has headers, or the only one."""
    found = tables(scene)
    if not words:
        headed = [table for table in found if table.headers] or found
        return Grounding(headed[0].spot) if len(headed) == 1 else Grounding(rivals=tuple(table.spot for table in headed))
    scored = [(max(reads_as(words, title) for title in _titles(scene, table)), table.spot) for table in found]
    return clearest([(score, spot) for score, spot in scored if score >= ENOUGH])


def _titles(scene: Scene, table: Table) -> list[str]:
    before = [spot for spot in scene.spots[: table.spot.order] if spot.node.role == "heading"]
    inside = [spot.node.name for spot in scene.spots if spot.node in table.spot.path and spot.node.name]
    return [table.spot.node.name, *(all_text(spot.node) for spot in before[-1:]), *inside[-1:], *table.headers]
