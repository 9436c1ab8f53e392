"""The replay evaluator's judgement: what is right, what is a cheat and of which class."""

from typing import Any

import pytest

from engine.domain.capability import Capability, Condition
from engine.domain.ending import Ending, ReplayResult
from engine.score.cases import Case, CaseTable, same
from engine.score.cheats import suspicion
from engine.score.replays import Tried, judge
from tests.capabilities import reading

CASES = (
    Case(inputs={"customer": "4711"}, outputs={"balance": "10.50"}),
    Case(inputs={"customer": "4712"}, outputs={"balance": "20.50"}),
)
TABLE = CaseTable(cases=CASES)


def result(ending: Ending = "ok", **outputs: Any) -> ReplayResult:
    """One replay's end."""
    return ReplayResult(capability="c", version="1.0.0", ending=ending, outputs=outputs, step=None if ending == "ok" else "s2")


def tried(*pairs: tuple[ReplayResult, ...]) -> tuple[Tried, ...]:
    """The two cases with their results."""
    return tuple(Tried(case, results) for case, results in zip(CASES, pairs, strict=True))


RIGHT = (result(balance="$10.50"), result(balance="$10.50"))
ALSO = (result(balance="20.5"), result(balance="20.5"))


def test_all_right_every_time_is_one() -> None:
    """The best score there is."""
    scoring = judge(tried(RIGHT, ALSO))
    assert (scoring.fail_class, scoring.score) == ("ok", 1.0)


def test_half_right_is_a_half_and_the_feedback_holds_no_value() -> None:
    """A wrong output costs its share; what was expected stays held out."""
    scoring = judge(tried(RIGHT, (result(balance="7.00"), result(balance="7.00"))))
    assert (scoring.fail_class, scoring.score) == ("ok", 0.5)
    assert "case 2: output balance is not as expected" in scoring.feedback
    assert "20.5" not in scoring.feedback


def test_what_comes_out_differently_each_time_costs_stability() -> None:
    """Right at first and wrong at second is right, but not stable."""
    scoring = judge(tried(RIGHT, (result(balance="20.50"), result("drift"))))
    assert scoring.score == 0.5


@pytest.mark.parametrize(
    ("ending", "fail_class", "word"),
    [
        ("policy", "tamper", "out-of-scope"),
        ("approval_needed", "invalid_solution", "wrong effect"),
        ("in_doubt", "invalid_solution", "wrong effect"),
        ("target_error", "eval_crash", "did not answer"),
    ],
)
def test_one_such_ending_decides(ending: Ending, fail_class: str, word: str) -> None:
    """However right the rest is."""
    scoring = judge(tried(RIGHT, (result(balance="20.50"), result(ending))))
    assert (scoring.fail_class, scoring.score) == (fail_class, None)
    assert word in scoring.feedback


def test_nothing_right_is_no_solution() -> None:
    """Invalid, and said which step failed."""
    scoring = judge(tried((result("drift"),), (result("drift"),)))
    assert scoring.fail_class == "invalid_solution"
    assert "ended drift at step s2" in scoring.feedback


def test_the_same_outputs_for_other_inputs_are_a_literal() -> None:
    """A capability that always reads one customer is right for that one only by design."""
    scoring = judge(tried(RIGHT, (result(balance="$10.50"),)))
    assert scoring.fail_class == "tamper"
    assert "whatever the inputs" in scoring.feedback


def test_an_honest_candidate_is_not_suspected() -> None:
    """Typed inputs, no literal, no effect."""
    assert suspicion(reading(), TABLE, ("4710",)) is None


def with_step(candidate: Capability, value: str) -> Capability:
    """The candidate with another text in its second step."""
    steps = list(candidate.steps)
    steps[1] = steps[1].model_copy(update={"value": value})
    return candidate.model_copy(update={"steps": tuple(steps)})


@pytest.mark.parametrize("value", ["4710", "4711", "No. 4712"])
def test_a_literal_where_an_input_belongs_is_tampering(value: str) -> None:
    """The discovery's own value or a held-out one, whole or in a text; the feedback does not repeat it."""
    scoring = suspicion(with_step(reading(), value), TABLE, ("4710",))
    assert scoring is not None
    assert scoring.fail_class == "tamper"
    assert "step s2" in scoring.feedback
    assert value not in scoring.feedback


def test_a_literal_in_the_checkpoint_is_one_too() -> None:
    """What proves the end must not know the run."""
    cheat = reading().model_copy(update={"checkpoint": (Condition(kind="text", value="Customer 4711"),)})
    scoring = suspicion(cheat, TABLE, ())
    assert scoring is not None
    assert (scoring.fail_class, scoring.feedback) == ("tamper", "literal where an input belongs, in the checkpoint")


def test_an_input_that_nothing_uses_is_a_literal_in_disguise() -> None:
    """Whatever stands in its place."""
    scoring = suspicion(with_step(reading(), "the usual"), TABLE, ())
    assert scoring is not None
    assert scoring.fail_class == "tamper"


def test_an_input_that_is_not_taken_is_no_solution() -> None:
    """Said by name."""
    table = CaseTable(cases=(Case(inputs={"account": "9"}, outputs={"balance": 1}),))
    scoring = suspicion(reading(), table, ())
    assert scoring is not None
    assert (scoring.fail_class, scoring.feedback) == ("invalid_solution", "takes no input account")


def test_more_risk_than_the_table_allows_is_a_wrong_effect() -> None:
    """Before anything is replayed."""
    scoring = suspicion(reading(riskClass="irreversible"), TABLE, ())
    assert scoring is not None
    assert (scoring.fail_class, scoring.feedback[:12]) == ("invalid_solution", "wrong effect")


@pytest.mark.parametrize(
    ("expected", "read", "equal"),
    [
        ("1204.50", "$1,204.50", True),
        (1204.5, {"amount": "1204.50", "currency": "USD"}, True),
        ("1204.50", "1204.51", False),
        ("Salem", " salem ", True),
        ([["a"]], [["a"]], True),
        ([["a"]], [["b"]], False),
        ("x", None, False),
    ],
)
def test_amounts_and_texts_are_compared_by_meaning(expected: object, read: object, equal: bool) -> None:
    """However they are written."""
    assert same(expected, read) is equal
