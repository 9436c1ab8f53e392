"""From a ref that holds a value among others, such as a row's, to the element that holds that value alone."""

from engine.domain.action import Action, Extract, Reading
from engine.domain.observation import Node


def narrowed(action: Action, root: Node) -> Action:
    """The action with each reading's ref made as narrow as its value allows; anything else as it is."""
    if not isinstance(action, Extract):
        return action
    return action.model_copy(update={"readings": tuple(_narrowed(reading, root) for reading in action.readings)})


def holders(reading: Reading, root: Node) -> tuple[str, ...]:
    """Refs inside the reading's element that hold exactly its value, outermost of nested ones; empty if the ref itself fits."""
    node = root.find(reading.ref)
    value = _fold(reading.value)
    if node is None or reading.what not in ("text", "value") or not value or _fold(text_of(node)) == value:
        return ()
    found: list[str] = []
    stack = list(reversed(node.children))
    while stack:
        inner = stack.pop()
        if inner.ref and value in (_fold(text_of(inner)), _fold(inner.name)):
            found.append(inner.ref)
        else:
            stack.extend(reversed(inner.children))
    return tuple(found)


def text_of(node: Node) -> str:
    """All text of a node and below it, in order; its name where there is none."""
    if not node.children:
        return node.text or node.name
    return " ".join(part for part in map(text_of, node.children) if part) or node.name


def _narrowed(reading: Reading, root: Node) -> Reading:
    found = holders(reading, root)
    return reading.model_copy(update={"ref": found[0]}) if len(found) == 1 else reading


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()
