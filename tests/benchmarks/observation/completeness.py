"""Is everything of a page's tree in its compact text? Counts what is shown, what stands behind a marker, and what is lost."""

from collections import Counter
from dataclasses import dataclass

from engine.domain.observation import Node
from engine.observe.clean import clean
from engine.observe.cut import fit
from engine.observe.layout import Layout
from engine.observe.phrases import decorative, says, separator
from engine.observe.roles import is_actionable


@dataclass(frozen=True)
class Kept:
    """Counts of one kind of thing; `lost` names what is neither shown nor counted."""

    total: int
    shown: int
    behind: int
    lost: tuple[str, ...]


def actionable(root: Node, max_tokens: int) -> Kept:
    """Every element of the tree that an action can name."""
    wanted = {node.ref for node in root.walk() if is_actionable(node) and node.ref}
    everything = frozenset(node.ref for node in root.walk() if node.ref)
    written = {ref for line in Layout(root, everything).lines for ref in line.refs}
    shown = {ref for line in fit(Layout(root, frozenset()).lines, max_tokens, frozenset()) for ref in line.refs}
    return Kept(len(wanted), len(wanted & shown), len(wanted & written - shown), tuple(sorted(wanted - written)))


def readable(root: Node, max_tokens: int) -> Kept:
    """Every text of the tree: texts, values, suggestions, and names.

    What does not count: icons that are hidden from readers, bare punctuation, a name that is made of the texts below it.
    """
    everything = frozenset(node.ref for node in root.walk() if node.ref)
    whole = _flat("\n".join(map(str, Layout(root, everything).lines)))
    shown = _flat("\n".join(map(str, fit(Layout(root, frozenset()).lines, max_tokens, frozenset()))))
    texts = list(_texts(root))
    lost = tuple(text for text in texts if text not in whole)
    visible = sum(text in shown for text in texts)
    return Kept(len(texts), visible, len(texts) - visible - len(lost), lost)


@dataclass(frozen=True)
class Held:
    """How much of Playwright's tree a peer's text holds: elements to act on, and texts, each as found and total."""

    acts: tuple[int, int]
    texts: tuple[int, int]


def held(root: Node, text: str) -> Held:
    """What of the tree stands in a peer's text, by the rule of `readable`, quotes taken for what they stand for.

    Peers have refs of their own, so an element to act on counts as held when all of its own words (name, text, suggestion, and
    the texts in it) stand in the text, each as often as such elements are in the tree at the most; without words it is held.
    """
    flat = _flat(clean(text.replace(r"\"", '"').replace("''", "'")))
    kinds = Counter(tuple(_texts(node)) for node in root.walk() if is_actionable(node))
    found = sum(min([count, *map(flat.count, words)]) for words, count in kinds.items())
    texts = list(_texts(root))
    return Held((found, kinds.total()), (sum(each in flat for each in texts), len(texts)))


def _texts(node: Node) -> list[str]:
    if decorative(node) or separator(node):
        return []
    composed = node.children and _flat(says(node)) == _flat(clean(node.name))
    own = [node.text, node.placeholder, "" if composed else node.name]
    return [text for each in own if (text := _flat(clean(each)))] + [text for child in node.children for text in _texts(child)]


def _flat(text: str) -> str:
    return " ".join(text.split())
