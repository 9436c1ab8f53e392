"""When the tree says so little that a picture is worth its tokens."""

from engine.domain.observation import Node
from engine.observe.roles import is_actionable

SPEECHLESS = 0.5
LITTLE_TEXT = 20
CANVAS = 0.3


def is_poor(root: Node, pictures: float) -> bool:
    """True when canvases cover three tenths of the view, when there is next to nothing to act on or read, or when at least
    half of three or more things to act on have no name."""
    if pictures >= CANVAS:
        return True
    actionable = [node for node in root.walk() if is_actionable(node)]
    speechless = [node for node in actionable if not says(node)]
    if len(actionable) >= 3 and len(speechless) >= SPEECHLESS * len(actionable):
        return True
    letters = sum(len(node.name) + len(node.text) for node in root.walk())
    return not actionable and letters < LITTLE_TEXT


def says(node: Node) -> bool:
    """Whether a node has a name, a text or a suggestion, or something below it has."""
    return any(each.name or each.text or each.placeholder for each in node.walk())
