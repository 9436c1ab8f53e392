"""Which way of asking for structure an endpoint takes: found out once, and remembered for the run.

A refusal of the request (400, 404, 422) moves one rung down at any time. A 500 moves down only until a rung has answered:
some servers answer 500 to a mode they do not know, but a server that answered before and now says 500 is in trouble, and so
is one that says 500 on every rung. A picture can be the cause too: the last rung of a question with pictures goes without.
"""

from engine.llm.protocol import MODES, Mode, Rejection

REFUSALS = frozenset({400, 404, 422})
FAULTS = frozenset({500, 501})

Rung = tuple[Mode, bool]
"""A mode, and whether pictures are sent along."""


class Ladder:
    """What one endpoint was found to take."""

    def __init__(self) -> None:
        self._first = 0
        self._settled = False
        self._blind = False

    def rungs(self, pictures: bool) -> tuple[Rung, ...]:
        """Those still worth trying, best first, for a question with or without pictures."""
        sees = pictures and not self._blind
        whole = tuple((mode, sees) for mode in MODES[self._first :])
        return (*whole, ("text", False)) if sees else whole

    def blames(self, rejection: Rejection) -> bool:
        """Whether the rung may be the cause, so that the next one is worth a try."""
        if rejection.status in FAULTS:
            return not self._settled
        return rejection.kind == "refused" and rejection.status in REFUSALS

    def answered(self, rung: Rung, pictures: bool) -> None:
        """This rung gave an answer: start here next time."""
        mode, sees = rung
        if pictures and not sees and not self._blind:
            self._blind = True  # it was the picture; which mode is best is still to be found out
            return
        self._first = MODES.index(mode)
        self._settled = True

    def ignored(self, mode: Mode) -> None:
        """It answered, but with no JSON at all: the endpoint takes this mode and does nothing with it."""
        self._first = min(max(self._first, MODES.index(mode) + 1), len(MODES) - 1)
