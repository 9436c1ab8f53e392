"""Envelopes, feedback and hooks: what needs no process."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.evaluation import CANDIDATE, HOST, FailClass
from engine.domain.sealed import Entry, Manifest
from engine.score.declaration import Declaration, Fixture
from engine.score.envelope import understand
from engine.score.feedback import clean
from engine.score.hooks import hooks_changed

DECLARED = Declaration(
    command=("judge",),
    fixtures=(Fixture(path="g", kind="good"), Fixture(path="c", kind="cheating", fail_class="tamper")),
)


@given(st.binary(max_size=200) | st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=8),
       lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)).map(
       lambda value: json.dumps(value).encode()))  # fmt: skip
def test_anything_but_an_envelope_is_a_protocol_fault(answer: bytes) -> None:
    """Never an exception, never a score."""
    assert understand(answer, DECLARED, "n").fail_class == "eval_protocol"


@given(
    valid=st.booleans(),
    score=st.none() | st.floats(),
    fail_class=st.sampled_from(FailClass.__args__),
    passed=st.booleans(),  # type: ignore[attr-defined]
)
def test_an_envelope_counts_only_when_it_is_consistent(valid: bool, score: float | None, fail_class: str, passed: bool) -> None:
    """pass equals valid; valid has class ok and a finite score; invalid another class and none."""
    answer = {"pass": passed, "valid": valid, "score": score, "fail_class": fail_class, "feedback": "", "nonce": "n"}
    found = understand(json.dumps(answer).encode(), DECLARED, "n")
    finite = score is not None and score == score and abs(score) != float("inf")
    right = passed == valid == (fail_class == "ok") == finite and (finite or score is None) and fail_class in CANDIDATE
    assert (found.fail_class == fail_class) == (right or fail_class == "eval_protocol")
    assert found.score == (score if right else None)


def test_every_class_has_somebody_to_blame() -> None:
    """Candidate's, host's, or nobody's: not evaluated."""
    rest = set(FailClass.__args__) - CANDIDATE - set(HOST)  # type: ignore[attr-defined]
    assert rest == {"eval_timeout", "eval_crash", "eval_output_limit", "eval_protocol"}


@given(st.text())
def test_feedback_is_one_harmless_short_line(text: str) -> None:
    """At most 500 bytes, nothing that moves a cursor, hides or reorders."""
    cleaned = clean(text)
    assert len(cleaned.encode()) <= 500
    assert not any(ord(sign) < 32 or sign in "\u202e\u200b\u2066\x7f" for sign in cleaned)
    assert clean(cleaned) == cleaned


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("a\n\n b\tc", "a b c"),
        ("0\r\x1a\r0", "0 0"),
        ("x" * 499 + " y", "x" * 499),
        ("ab\u202ecd\u200b", "abcd"),
        ("ü" * 300, "ü" * 250),
    ],
)
def test_what_cleaning_does(raw: str, shown: str) -> None:
    """Examples."""
    assert clean(raw) == shown


@pytest.mark.parametrize(
    "path", ["conftest.py", "a/b/sitecustomize.py", "x.pth", "lib/y.so", ".env", "a/.env.local", "CONFTEST.PY"]
)
def test_new_hooks_are_noticed_and_old_ones_left(path: str) -> None:
    """Byte-identical to the start is fine; new or changed is not."""
    old, new = Entry(path, "file", 1, "a"), Entry(path, "file", 1, "b")
    assert hooks_changed(Manifest((old,)), Manifest((old,))) == ()
    assert hooks_changed(Manifest((old,)), Manifest((new,))) == (path,)
    assert hooks_changed(Manifest(()), Manifest((new,))) == (path,)
    assert hooks_changed(Manifest(()), Manifest((Entry("my_conftest.py", "file"),))) == ()
