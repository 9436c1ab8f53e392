"""The text of an accessibility snapshot as a tree of nodes, and back.

Refs are renumbered by frame: Playwright calls the main frame of the third document `f3`, which would give the same button
another ref on every page. Here the main frame has no prefix (`e12`) and the frames in it are `f1`, `f2` in document order.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.domain.observation import Node

DEEPEST = 150
"""Levels below this one are laid flat into it, so that no reader of the tree needs a deep stack."""

LINE = re.compile(r"( *)- (.*)", re.DOTALL)
QUOTED_KEY = re.compile(r"'((?:[^']|'')*)'(.*)", re.DOTALL)
KEY = re.compile(r'([^\s":\[]+)(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\[\]]*\])*)(.*)', re.DOTALL)
MARK = re.compile(r"\[([^\[\]]*)\]")
REF = re.compile(r"(f\d+)?(e\d+)")
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
PLAIN_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
PLAIN = re.compile(r"[\w $€£(][\w ./,$()€£+-]*")
AWKWARD = re.compile(r"[:#{}`'\x7f-\x9f]")
SURROGATE = re.compile(r"[\ud800-\udfff]")
PROPERTIES = {"/url": "url", "/placeholder": "placeholder"}


@dataclass
class Draft:
    """A node while its children are still being read."""

    depth: int
    role: str
    name: str = ""
    ref: str | None = None
    text: str = ""
    states: tuple[str, ...] = ()
    url: str = ""
    placeholder: str = ""
    children: list[Node] = field(default_factory=list)

    def node(self) -> Node:
        """The finished node; a text that is the only child becomes the node's own text."""
        children = self.children
        if len(children) == 1 and children[0].role == "text" and not self.text:
            self.text, children = children[0].text, []
        return Node(
            role=self.role,
            name=self.name,
            ref=self.ref,
            text=self.text,
            states=self.states,
            url=self.url,
            placeholder=self.placeholder,
            children=tuple(children),
        )


@dataclass(frozen=True)
class Parsed:
    """The nodes below one root of role `document`, and Playwright's name of each frame by ours (`{"": "f3", "f1": "f4"}`)."""

    root: Node
    frames: dict[str, str]


def parse(text: str) -> Parsed:
    """Read a snapshot. Lines that are no entry belong to no one and are dropped."""
    frames: dict[str, str] = {}
    open_drafts = [Draft(-1, "document")]
    for line in text.split("\n"):
        entry = LINE.fullmatch(line)
        if entry is None:
            continue
        depth = len(entry[1]) // 2
        while open_drafts[-1].depth >= depth:
            _close(open_drafts)
        draft = _read(depth, entry[2], open_drafts[-1], frames)
        if draft is not None:
            open_drafts.append(draft)
    while len(open_drafts) > 1:
        _close(open_drafts)
    return Parsed(open_drafts[0].node(), {ours: theirs for theirs, ours in frames.items()})


def render(root: Node) -> str:
    """The text that `parse` reads back to this tree; the root itself is not written."""
    return "\n".join(line for child in _parts(root) for line in _lines(child, 0))


def _close(open_drafts: list[Draft]) -> None:
    done = open_drafts.pop()
    siblings = open_drafts[-1].children
    node = done.node()
    if done.depth < DEEPEST:
        siblings.append(node)
    else:
        siblings.extend((node.model_copy(update={"children": ()}), *node.children))


def _read(depth: int, entry: str, parent: Draft, frames: dict[str, str]) -> Draft | None:
    """A new draft, or None when the entry was a text or a property of its parent."""
    quoted = QUOTED_KEY.fullmatch(entry) if entry[:1] == "'" else None
    key, rest = (quoted[1].replace("''", "'"), quoted[2]) if quoted else (entry, None)
    parts = KEY.fullmatch(key)
    if parts is None:
        return None
    role, name, marks = parts[1], parts[2], parts[3]
    value = _value(parts[4] if rest is None else rest)
    if role in PROPERTIES:
        setattr(parent, PROPERTIES[role], value)
        return None
    if role == "text" and name is None and not marks:
        if value:
            parent.children.append(Node(role="text", text=value))
        return None
    ref, states = _marks(marks, frames)
    return Draft(depth, role, _name(name) if name else "", ref, value, states)


def _name(quoted: str) -> str:
    return _whole(json.loads(quoted, strict=False) if "\\" in quoted else quoted[1:-1])


def _marks(marks: str, frames: dict[str, str]) -> tuple[str | None, tuple[str, ...]]:
    ref, states = None, []
    for mark in MARK.findall(marks):
        named = REF.fullmatch(mark, 4) if mark.startswith("ref=") else None
        if named:
            theirs = named[1] or ""
            ours = frames.setdefault(theirs, f"f{len(frames)}" if frames else "")
            ref = f"{ours}{named[2]}"
        elif not mark.startswith("box="):
            states.append(mark)
    return ref, tuple(states)


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
