"""From tree to text: laid out in lines, cut to the budget, and told as a difference where that is shorter."""

from dataclasses import dataclass

from engine.domain.observation import Node
from engine.observe.cut import fit
from engine.observe.delta import against
from engine.observe.layout import Layout
from engine.observe.tokens import tokens


@dataclass(frozen=True)
class Written:
    """`text` for the model and, if it refers to an earlier one, that whole text in `shown`."""

    text: str
    shown: str = ""


class Writer:
    """Writes the observations of one run; remembers the page that was last written out whole.

    What is referred to is always in `shown` of the same `Written`, so nothing rests on what else a prompt keeps.
    """

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._whole: tuple[str, ...] = ()

    def write(self, facts: tuple[str, ...], root: Node, widened: frozenset[str]) -> Written:
        """The page in at most `max_tokens`, `shown` included; `facts` are its first lines."""
        left = self._max_tokens - tokens("\n".join(facts))
        lines = (*facts, *map(str, fit(Layout(root, widened).lines, left, widened)))
        delta = against(self._whole, lines)
        if delta is not None:
            shown = "\n".join(self._whole)
            if tokens(shown) + tokens(delta) <= self._max_tokens:
                return Written(delta, shown)
        self._whole = lines
        return Written("\n".join(lines))
