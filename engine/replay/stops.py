"""Why a replay stops before its end: a typed ending with what was expected and what was seen."""

from engine.domain.ending import Ending


class Stopped(Exception):
    """Leaves the steps of a replay; caught by `replay` alone, where it becomes the result."""

    def __init__(self, ending: Ending, explanation: str, expected: str = "", seen: str = "") -> None:
        super().__init__(explanation)
        self.ending = ending
        self.explanation = explanation
        self.expected = expected
        self.seen = seen
