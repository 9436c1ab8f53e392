"""What the ladder remembers."""

from engine.llm.ladder import Ladder
from engine.llm.protocol import MODES, Rejection

REFUSED = Rejection("refused", "no", 400)
BROKEN = Rejection("down", "oops", 500)


def test_the_first_answer_settles_it() -> None:
    """Rungs above the one that answered are not tried again."""
    ladder = Ladder()
    assert [mode for mode, _ in ladder.rungs(pictures=False)] == list(MODES)
    ladder.answered(("object", False), pictures=False)
    assert [mode for mode, _ in ladder.rungs(pictures=False)] == ["object", "text"]


def test_a_500_is_blamed_on_the_mode_only_before_an_answer() -> None:
    """Afterwards it is an outage; a refusal may be the mode's at any time; busy, key and connection never are."""
    ladder = Ladder()
    assert ladder.blames(BROKEN)
    ladder.answered(("tool", False), pictures=False)
    assert not ladder.blames(BROKEN)
    assert ladder.blames(REFUSED)
    busy, unconnected = Rejection("rate_limited", "", 429), Rejection("down", "")
    for other in (Rejection("denied", "", 401), busy, Rejection("down", "", 503), unconnected):
        assert not Ladder().blames(other)


def test_a_picture_can_be_the_cause() -> None:
    """Only when every rung failed with the picture is it left out, and the modes are then still open."""
    ladder = Ladder()
    assert ladder.rungs(pictures=True)[-2:] == (("text", True), ("text", False))
    ladder.answered(("text", False), pictures=True)
    assert ladder.rungs(pictures=True) == tuple((mode, False) for mode in MODES)


def test_an_ignored_mode_is_left_and_the_last_one_stays() -> None:
    """Below plain text there is nothing."""
    ladder = Ladder()
    for mode in MODES:
        ladder.ignored(mode)
    assert [mode for mode, _ in ladder.rungs(pictures=False)] == ["text"]
