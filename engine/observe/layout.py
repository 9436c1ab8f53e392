"""A page's tree as lines: wrappers dropped, nothing said twice, one line for each thing that can be acted on or read.

    e9 button Log out                         an element to act on: ref, role, name, = value, (states)
    e12: # Diego Whitaker                     a text; `#` marks headings
    e63: Phone: (736) 555-0157                a label and the text that the ref names
    e24 table Accounts: Type | Balance        a table and its columns,
    e36| Main | $8,074.96 | e44 link Open      and its rows; a cell is read by the row's ref and its value

A value is read by the ref that its line starts with, or by its own where it has one.
"""

from collections.abc import Callable

from engine.domain.observation import Node
from engine.observe.clean import clean
from engine.observe.cut import LONG, SHOWN
from engine.observe.lines import Line, Place, Sheet, gists
from engine.observe.phrases import act, choice, decorative, phrase, pieces, repeated, says, separator, shell, states, untold
from engine.observe.roles import is_actionable

SECTIONS = frozenset({
    "article", "complementary", "feed", "figure", "form", "group", "iframe", "menu", "menubar", "navigation", "radiogroup",
    "region", "search", "tablist", "tabpanel", "toolbar", "tree",
})  # fmt: skip
"""Told when they have a name."""

ALWAYS_TOLD = frozenset({"dialog", "alertdialog"})
HOLLOW = frozenset({"list", "table", "grid", "treegrid", "row"})
"""Nothing special about these unless they hold something."""

ANNOUNCED = frozenset({"alert", "status", "progressbar", "meter", "timer", "log", "img", "blockquote", "code"})
TABLES = frozenset({"table", "grid", "treegrid"})
WRAPPERS = frozenset({"rowgroup", "generic"})
PHRASES = frozenset({"paragraph", "listitem", "caption", "term", "definition", "cell", "strong", "emphasis", "time"})
KEPT_APART = frozenset({"heading", "list", "term", "definition"})
LINE_CHARS = 400
LINE_ACTS = 8


class Layout:
    """Writes one page. `lines` is the result; `widened` are refs whose long option lists are wanted whole."""

    def __init__(self, root: Node, widened: frozenset[str]) -> None:
        self._widened = widened
        self._sheet = Sheet(gists(root))
        self._places: tuple[Place, ...] = ()
        self._unit = "lines"
        self._kinds: dict[str, Callable[[Node, int], None]] = {
            **dict.fromkeys(TABLES, self._table),
            "list": self._list,
            "row": self._row,
            "heading": self._heading,
            **dict.fromkeys(SECTIONS | ALWAYS_TOLD, self._section),
        }
        self._node(root, 0)

    @property
    def lines(self) -> list[Line]:
        """All lines, texts that only repeat a neighbour's name left out."""
        kept: list[Line] = []
        lines = self._sheet.lines
        for at, line in enumerate(lines):
            follower = lines[at + 1].said if at + 1 < len(lines) and not lines[at + 1].plain else ""
            if line.plain and line.said and line.said in (follower, kept[-1].said if kept else ""):
                continue
            kept.append(line)
        return kept

    def _node(self, node: Node, depth: int) -> None:
        if node.role == "more":
            self._more(node, depth)
        if not self._says(node):
            return
        if is_actionable(node):
            self._act(node, depth)
        elif (kind := self._kinds.get(node.role)) and (node.children or node.role not in HOLLOW):
            kind(node, depth)
        elif self._is_line(node):
            self._text(node, depth)
        else:
            self._children(node, depth)

    def _children(self, node: Node, depth: int) -> None:
        if not node.children and node.text:
            self._text(node, depth)
        elif node.role not in SECTIONS | ALWAYS_TOLD and node.name and untold(node):
            self._add(depth, None, _title(node), clean(node.name), ref=node.ref)
        skip = False
        for child, after in zip(node.children, [*node.children[1:], None], strict=False):
            if skip:
                skip = False
            elif child.role == "term" and after and self._is_pair(child, after):
                refs = _refs(pieces(after))
                self._add(depth, after, f": {says(child)}: {self._phrase(after)}", says(after), refs=refs)
                skip = True
            else:
                self._node(child, depth)

    def _act(self, node: Node, depth: int) -> None:
        inner = self._sheet.gists[id(node)]
        options = choice(node, self._sheet, self._widened)
        alone = inner.acts == 1 and (inner.chars <= LINE_CHARS or bool(options))
        shown = node if alone else shell(node)
        self._add(depth, None, act(shown), clean(shown.name), refs=(node.ref or "",), ref=node.ref)
        if not alone:
            self._children(node, depth + 1)
        elif options:
            self._add(depth + 1, None, options, "")

    def _heading(self, node: Node, depth: int) -> None:
        level = next((int(state[6:]) for state in node.states if state.startswith("level=")), 2)
        found = pieces(node) or [node]
        words = self._phrase(node) if node.children else says(node)
        self._add(depth, node, f": {'#' * min(level, 6)} {words}", words, refs=_refs(found), plain=True)

    def _section(self, node: Node, depth: int) -> None:
        if not node.name and node.role not in ALWAYS_TOLD:
            self._children(node, depth)
            return
        self._add(depth, None, _title(node), clean(node.name), ref=node.ref)
        self._children(node, depth + 1)

    def _list(self, node: Node, depth: int) -> None:
        texts = any(not is_actionable(piece) for piece in pieces(node))
        if node.name or (texts and len(node.children) > 1):
            self._add(depth, None, _title(node), clean(node.name), ref=node.ref)
            depth += 1
        self._items(node, list(node.children), "items", depth, self._node)

    def _items(self, owner: Node, items: list[Node], unit: str, depth: int, write: Callable[[Node, int], None]) -> None:
        around = self._places, self._unit
        told = self._told_items(owner, items)
        for index, item in enumerate(items):
            self._places, self._unit = (*around[0], (owner.ref or "", index)), unit
            if item.role == "more":
                self._more(item, depth)
            elif index < told:
                write(item, depth)
            elif self._says(item):
                self._add(depth, None, "", "", ref=item.ref)  # only counted: it stands behind the marker whatever it says
        self._places, self._unit = around

    def _more(self, node: Node, depth: int) -> None:
        """What was not read of a huge document."""
        self._add(
            depth, None, f"… {node.states[0]} more {self._unit}, widen {node.ref}", "", ref=node.ref, count=int(node.states[0])
        )

    def _told_items(self, owner: Node, items: list[Node]) -> int:
        """How many items are laid out: all, unless the rest is behind a marker anyway and nothing in it is widened."""
        if len(items) <= LONG or (owner.ref or "") in self._widened:
            return len(items)
        wide = self._widened and any(node.ref in self._widened for item in items[SHOWN:] for node in item.walk())
        long = sum(map(self._says, items)) > LONG
        return SHOWN if long and not wide else len(items)

    def _says(self, node: Node) -> bool:
        gist = self._sheet.gists[id(node)]
        return bool(gist.acts or gist.chars) and not decorative(node) and not separator(node)

    def _table(self, node: Node, depth: int) -> None:
        parts = self._parts(node)
        if parts is None:
            self._list(node, depth)
            return
        rows = [part for part in parts if part.role in ("row", "more")]
        captions = [part for part in parts if part.role == "caption"]
        heads = rows[:1] if rows and _is_head(rows[0]) else []
        if not heads and not any(self._short(cell) for row in rows for cell in row.children):
            if node.name and untold(node):
                self._add(depth, None, _title(node), clean(node.name), ref=node.ref)
            for part in parts:
                (self._children if part.role == "row" and not is_actionable(part) else self._node)(part, depth)
            return
        columns = " | ".join(self._phrase(cell) for row in heads for cell in row.children)
        refs = _refs([piece for row in heads for piece in pieces(row)])
        title = _title(node) + (f": {columns}" if columns else "")
        self._add(depth, None, title, clean(node.name), refs=refs, ref=node.ref)
        for caption in captions:
            self._node(caption, depth + 1)
        self._items(node, rows[len(heads) :], "rows", depth + 1, self._row)

    def _parts(self, node: Node) -> list[Node] | None:
        """Rows and captions of a table, through row groups and wrappers that say nothing; None when it holds anything else."""
        found: list[Node] = []
        for child in node.children:
            gist = self._sheet.gists[id(child)]
            if child.role in ("row", "caption", "more"):
                found.append(child)
            elif child.role in WRAPPERS and not is_actionable(child) and not untold(child) and child.children:
                below = self._parts(child)
                if below is None:
                    return None
                found += below
            elif gist.acts or gist.chars:
                return None
        return found

    def _row(self, row: Node, depth: int) -> None:
        cells = row.children or (row,)
        twice = repeated([says(cell) for cell in cells])
        shown = [self._phrase(cell, twice) if self._short(cell) else "(below)" for cell in cells]
        while shown and not shown[-1]:
            shown.pop()
        mark = (" clickable" if is_actionable(row) else "") + (f" {name}" if row.name and (name := untold(row)) else "")
        refs = _refs([row, *(piece for cell in cells if self._short(cell) for piece in pieces(cell))])
        self._add(depth, row, f"{mark}{states(row)}| {' | '.join(shown)}", "", refs=refs)
        for cell in cells:
            if not self._short(cell):
                self._node(cell, depth + 1)

    def _text(self, node: Node, depth: int) -> None:
        found = pieces(node)
        inner = found[0] if len(found) == 1 else node
        words = phrase(node, self._sheet, self._widened, repeated([says(piece) for piece in found]))
        role = f" {node.role}" if node.role in ANNOUNCED else ""
        holder = inner if inner.ref else node
        self._add(
            depth, holder, f"{role}: {words}{'' if node in found else states(node)}", words, refs=_refs(found), plain=not role
        )

    def _phrase(self, node: Node, twice: frozenset[str] = frozenset()) -> str:
        return phrase(node, self._sheet, self._widened, twice)

    def _short(self, node: Node) -> bool:
        gist = self._sheet.gists[id(node)]
        return not gist.block and gist.chars <= LINE_CHARS and gist.acts <= LINE_ACTS

    def _is_pair(self, one: Node, two: Node) -> bool:
        told = not self._sheet.gists[id(one)].acts and not is_actionable(two)
        return told and two.role == "definition" and self._short(two) and self._short(one)

    def _is_line(self, node: Node) -> bool:
        gist = self._sheet.gists[id(node)]
        if not node.children or (gist.pieces == 1 and not gist.acts):
            return True
        if not self._short(node) or any(each.role in KEPT_APART for each in node.walk()):
            return False
        flows = node.role in PHRASES and any(child.role == "text" for child in node.children)
        small = all(self._sheet.gists[id(child)].pieces <= 1 for child in node.children) and gist.pieces <= 5
        return flows or (small and not gist.acts)

    def _add(
        self,
        depth: int,
        holder: Node | None,
        text: str,
        said: str,
        *,
        refs: tuple[str, ...] = (),
        ref: str | None = None,
        plain: bool = False,
        count: int = 1,
    ) -> None:
        start = (holder.ref if holder else ref) or ""
        shown = f"{start or '-'}{text}" if holder else text
        self._sheet.lines.append(
            Line(depth, shown, said, start or None, refs, plain, self._places, self._unit if self._places else "lines", count)
        )


def _title(node: Node) -> str:
    return " ".join(part for part in (node.ref or "-", node.role, clean(node.name)) if part) + states(node)


def _is_head(row: Node) -> bool:
    """A row of column headers and nothing else."""
    bare = bool(row.children) and not is_actionable(row) and not untold(row)
    return bare and all(cell.role == "columnheader" for cell in row.children)


def _refs(nodes: list[Node]) -> tuple[str, ...]:
    return tuple(node.ref for node in nodes if node.ref and is_actionable(node))
