"""One element, or a few together, in a part of one line."""

import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from engine.domain.observation import Node
from engine.observe.clean import clean
from engine.observe.lines import Sheet
from engine.observe.roles import ACTIONABLE, FIELDS, is_actionable

SHOWN_STATES = {"active": "focused", "aria-hidden": "hidden"}
SILENT_STATES = frozenset({"cursor=pointer"})
OPTIONS = 15


def says(node: Node) -> str:
    """All text of a node and below it in order, one space between; its name first where that text does not hold it."""
    return " ".join(_words(node))


def untold(node: Node) -> str:
    """The name of a node that holds others, if none of them says it."""
    return "" if _told_by(_below(node), name := clean(node.name)) else name


def _words(node: Node) -> list[str]:
    below, name = _below(node), clean(node.name)
    return below if _told_by(below, name) else [name, *below]


def _below(node: Node) -> list[str]:
    if text := clean(node.text):
        return [text]
    return [word for child in node.children if not decorative(child) for word in _words(child)]


def _told_by(words: list[str], name: str) -> bool:
    """Whether one of the words, or all together, say the name; parts of neighbours that happen to spell it do not."""
    return not name or any(name in word for word in words) or " ".join(words) == name


def decorative(node: Node) -> bool:
    """An icon: hidden from readers, and without a letter or digit."""
    return "aria-hidden" in node.states and not any(char.isalnum() for char in says_all(node))


def shell(node: Node) -> Node:
    """An actionable node without what is in it, which is told beside it."""
    return replace(node, children=(), name=node.name if untold(node) else "")


def separator(node: Node) -> bool:
    """Punctuation between elements, which no one reads by itself: a bare text without a letter, digit or symbol."""
    if node.role != "text":
        return False
    return all(char == "|" or char.isspace() or unicodedata.category(char).startswith("P") for char in node.text)


def says_all(node: Node) -> str:
    """Every text and name below, for a look at its characters."""
    return "".join(each.text or each.name for each in node.walk())


def act(node: Node) -> str:
    """An actionable element: `e13 textbox Amount = 5 (focused)`."""
    role = node.role if node.role in ACTIONABLE else "clickable"
    parts = [node.ref or "", role, label(node), _value(node)]
    return " ".join(part for part in parts if part) + states(node)


def label(node: Node) -> str:
    """Name and text without saying anything twice; a suggestion or the end of a link where there is neither."""
    name = clean(node.name)
    below = says(node) if node.role not in FIELDS else ""
    if node.role not in FIELDS and below and below != name:
        name = below if name in below else name if below in name else f"{name}: {below}"
    if name or not (node.placeholder or node.url):
        return f"{name} (e.g. {clean(node.placeholder)})" if node.placeholder else name
    return f"(e.g. {clean(node.placeholder)})" if node.placeholder else f"({clean(node.url)[-40:]})"


def states(node: Node) -> str:
    """The marks of a node in brackets."""
    shown = [SHOWN_STATES.get(state, state) for state in node.states if state not in SILENT_STATES and "level=" not in state]
    return f" ({', '.join(shown)})" if shown else ""


def _value(node: Node) -> str:
    if node.role not in FIELDS:
        return ""
    chosen = [clean(each.name or each.text) for each in _options(node) if {"selected", "checked"} & set(each.states)]
    value = ", ".join(chosen) or clean(node.text) or ("" if _options(node) else says(replace(node, name="")))
    return f"= {value}" if value else ""


def _options(node: Node) -> list[Node]:
    """What can be chosen in a field but is no element to act on by itself."""
    return [each for each in node.walk() if each.role == "option" and each.ref is None] if node.role in FIELDS else []


def choice(node: Node, sheet: Sheet, widened: frozenset[str]) -> str:
    """The labels that can be chosen in a field, told once for fields that have the same; empty for others."""
    names, ref = tuple(_labels(node)), node.ref or ""
    if not _options(node):
        return ""
    first = sheet.options.setdefault(names, ref)
    if first != ref:
        return f"options: as {first}"
    if len(names) > OPTIONS + 5 and ref not in widened:
        return f"options: {' | '.join(names[:OPTIONS])} | … {len(names) - OPTIONS} more options, widen {ref}"
    return f"options: {' | '.join(names)}"


def _labels(node: Node) -> Iterator[str]:
    """Labels of the options in order; what else stands among them, such as the name of a group, in brackets."""
    for child in node.children:
        if child.role == "option":
            yield says(child)
        else:
            yield from (f"({part})" for part in dict.fromkeys((clean(child.name), clean(child.text))) if part)
            yield from _labels(child)


def _told(node: Node, sheet: Sheet, widened: frozenset[str]) -> str:
    return "; ".join(part for part in (act(node), choice(node, sheet, widened)) if part)


def pieces(node: Node) -> list[Node]:
    """The innermost things that say something: actionable elements whole, texts, named pictures; names that no text repeats."""
    if is_actionable(node):
        inner = [piece for child in node.children for piece in pieces(child)]
        return [shell(node), *inner] if any(map(is_actionable, inner)) else [node]
    if not node.children:
        return [node] if (node.text or node.name) and not decorative(node) else []
    start = [Node(role="text", text=f"{node.name}:")] if node.name and untold(node) else []
    return start + [piece for child in node.children if not decorative(child) for piece in pieces(child)]


def phrase(node: Node, sheet: Sheet, widened: frozenset[str], twice: frozenset[str] = frozenset()) -> str:
    """A node's content in one line; texts in `twice` get their ref, since text alone would not tell them apart."""
    found = pieces(node)
    if len(found) == 1 and is_actionable(found[0]):
        return _told(found[0], sheet, widened)
    said = ""
    for at, piece in enumerate(found):
        text = f"[{_told(piece, sheet, widened)}]" if is_actionable(piece) else _text(piece, twice)
        flowing = at > 0 and (piece.role == "text" or found[at - 1].role == "text")
        said += (" " if flowing else " · " if said else "") + text
    return said


def _text(node: Node, twice: frozenset[str]) -> str:
    text = says(node)
    return f"{node.ref}: {text}{states(node)}" if node.ref and text in twice else f"{text}{states(node)}"


def repeated(texts: list[str]) -> frozenset[str]:
    """Texts that stand there more than once."""
    return frozenset(text for text in texts if text and texts.count(text) > 1)
