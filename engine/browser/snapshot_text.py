"""The text of an accessibility snapshot as a tree of nodes, and back.

Refs are renumbered by frame: Playwright calls the main frame of the third document `f3`, which would give the same button
another ref on every page. Here the main frame has no prefix (`e12`) and the frames in it are `f1`, `f2` in document order.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engine.domain.observation import Node

DEEPEST = 150
"""Levels below this one are laid flat into it, so that no reader of the tree needs a deep stack."""

QUOTE = "'"
QUOTED_KEY = re.compile(r"( *- )'((?:[^']|'')*)'(.*)", re.DOTALL)
ENTRY = re.compile(
    r"( *)- "
    r'((?!\x27)[^\s":\[]+)(?: ("(?:[^"\\]|\\.)*"))?'
    r"((?: \[(?!ref=(?:f\d+)?e\d+\])[^\[\]]*\])*)(?: \[ref=(f\d+)?(e\d+)\])?((?: \[[^\[\]]*\])*)(.*)",
    re.DOTALL,
)
"""Indent, role, name, marks before the ref, the ref's frame and number, marks after it, value."""

MARK = re.compile(r"\[([^\[\]]*)\]")
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
PLAIN_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
PLAIN = re.compile(r"[\w $€£(][\w ./,$()€£+-]*")
AWKWARD = re.compile(r"[:#{}`'\x7f-\x9f]")
SURROGATE = re.compile(r"[\ud800-\udfff]")
PROPERTIES = frozenset({"/url", "/placeholder"})


@dataclass(frozen=True)
class Parsed:
    """The nodes below one root of role `document`, and Playwright's name of each frame by ours (`{"": "f3", "f1": "f4"}`).

    `text` is what was read, with our refs in it.
    """

    root: Node
    frames: dict[str, str]
    text: str


@dataclass(slots=True)
class Entry:
    """One line of a snapshot; `line` is how it reads with our ref."""

    depth: int
    line: str
    role: str
    name: str
    states: tuple[str, ...]
    ref: str | None
    value: str
    is_text: bool


def parse(text: str, mark: str = "") -> Parsed:
    """Read a snapshot. Lines that are no entry belong to no one and are dropped.

    A text that is `mark` and a number becomes a node of role `more` with that number as its state: so many were not read.
    """
    reader = Reader()
    entries = [entry for line in _whole(text).split("\n") if (entry := reader.read(line))]
    frames = {ours: theirs for theirs, ours in reader.frames.items()}
    return Parsed(_tree(entries, mark), frames, "\n".join(entry.line for entry in entries))


def _tree(entries: list[Entry], mark: str) -> Node:
    """The nodes, made from the last line to the first: whatever is done and deeper then belongs to the line that is read.

    A text that is the only child becomes the node's own text.
    """
    done: list[tuple[int, Node]] = []
    properties: list[tuple[int, str, str]] = []
    for entry in reversed(entries):
        depth, role = entry.depth, entry.role
        if role in PROPERTIES:
            properties.append((depth, role, entry.value))
        elif entry.is_text:
            if entry.value:
                done.append((depth, _more(entry.value, mark) or Node("text", "", None, entry.value)))
        else:
            children = _deeper(done, depth)
            text = entry.value
            if children and children[-1].role == "more":
                children[-1] = replace(children[-1], ref=entry.ref)
            if len(children) == 1 and children[0].role == "text" and not text:
                text, children = children[0].text, []
            url = placeholder = ""
            while properties and properties[-1][0] > depth:
                _, which, value = properties.pop()
                url, placeholder = (value, placeholder) if which == "/url" else (url, value)
            if depth >= DEEPEST:
                done.extend((depth, child) for child in reversed(children))
                children = []
            done.append((depth, Node(role, entry.name, entry.ref, text, entry.states, url, placeholder, tuple(children))))
    children = _deeper(done, -1)
    alone = len(children) == 1 and children[0].role == "text"
    return Node("document", text=children[0].text) if alone else Node("document", children=tuple(children))


def _more(text: str, mark: str) -> Node | None:
    _, found, count = text.partition(mark) if mark else ("", "", "")
    return Node("more", states=(count.split()[0],)) if found and count else None


def _deeper(done: list[tuple[int, Node]], depth: int) -> list[Node]:
    found = []
    while done and done[-1][0] > depth:
        found.append(done.pop()[1])
    return found


class Reader:
    """Reads lines one by one. `frames` is our name of each frame by Playwright's, in the order in which they appear."""

    def __init__(self) -> None:
        self.frames: dict[str, str] = {}
        self._states: dict[str, tuple[str, ...]] = {"": ()}

    def read(self, line: str) -> Entry | None:
        """The entry, or None for a line that is none."""
        plain = ENTRY.fullmatch(line)
        key = None if plain else QUOTED_KEY.fullmatch(line)
        if key:
            plain = ENTRY.fullmatch(f"{key[1]}{key[2].replace(QUOTE * 2, QUOTE)}")
        if plain is None:
            return None
        indent, role, name, before, prefix, number, after, rest = plain.groups()
        if key:
            rest = key[3]
        ref = None
        if number:
            theirs = prefix or ""
            ours = self.frames.get(theirs)
            if ours is None:
                ours = self.frames[theirs] = f"f{len(self.frames)}" if self.frames else ""
            ref = ours + number
            if ours != theirs:
                line = _renamed(line, plain, key, ref)
        marks = before + after
        states = self._states.get(marks)
        if states is None:
            states = self._states[marks] = tuple(mark for mark in MARK.findall(marks) if not mark.startswith("box="))
        is_text = role == "text" and name is None and not marks and ref is None
        value = _value(rest) if len(rest) > 2 else ""
        return Entry(len(indent) // 2, line, role, _name(name) if name else "", states, ref, value, is_text)


def _renamed(line: str, plain: re.Match[str], key: re.Match[str] | None, ref: str) -> str:
    """The line with our ref in the place of Playwright's."""
    start, end = plain.start(5) if plain[5] else plain.start(6), plain.end(6)
    whole = f"{plain.string[:start]}{ref}{plain.string[end:]}"
    if key is None:
        return whole
    body = whole[len(key[1]) :].replace(QUOTE, QUOTE * 2)
    return f"{key[1]}{QUOTE}{body}{QUOTE}{key[3]}"


def render(root: Node) -> str:
    """The text that `parse` reads back to this tree; the root itself is not written."""
    return "\n".join(line for child in _parts(root) for line in _lines(child, 0))


def _name(quoted: str) -> str:
    return _whole(json.loads(quoted, strict=False) if "\\" in quoted else quoted[1:-1])


def _value(rest: str) -> str:
    if len(rest) < 3:
        return ""
    text = rest[2:]
    if len(text) >= 2 and text[0] == text[-1] == '"':
        text = ESCAPE.sub(_unescape, text[1:-1])
    return _whole(text)


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else PLAIN_ESCAPES.get(code, code)


def _whole(text: str) -> str:
    """Halves of surrogate pairs, which no encoder takes, become U+FFFD."""
    return SURROGATE.sub("�", text)


def _parts(node: Node) -> Iterable[Node]:
    return node.children or ((Node(role="text", text=node.text),) if node.text else ())


def _lines(node: Node, depth: int) -> Iterator[str]:
    indent = "  " * depth + "- "
    if node.role == "text":
        yield f"{indent}text: {_quote(node.text)}"
        return
    key = indent + _key(node)
    properties = [(name, value) for name, value in (("url", node.url), ("placeholder", node.placeholder)) if value]
    if node.text and not properties and not node.children:
        yield f"{key}: {_quote(node.text)}"
        return
    parts = list(_parts(node))
    yield f"{key}:" if properties or parts else key
    for name, value in properties:
        yield f"  {indent}/{name}: {_quote(value)}"
    for part in parts:
        yield from _lines(part, depth + 1)


def _key(node: Node) -> str:
    name = f" {_string(node.name)}" if node.name else ""
    marks = "".join(f" [{state}]" for state in node.states)
    key = f"{node.role}{name}{marks}{f' [ref={node.ref}]' if node.ref else ''}"
    return key if not AWKWARD.search(key) else "'" + key.replace("'", "''") + "'"


def _quote(text: str) -> str:
    return text if PLAIN.fullmatch(text) and text.strip() == text else _string(text)


def _string(text: str) -> str:
    return f'"{text}"' if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
