"""Evaluators that misbehave, each run for real and judged as specified."""

import time
from pathlib import Path

import pytest

from engine.domain.evaluation import Scoring
from engine.sandbox.isolation import Isolation, probe
from engine.score.evaluator import Terms
from engine.score.pin import pin
from engine.score.process import ProcessEvaluator
from tests.score.kit import HONEST, candidate, evaluator

ISOLATION = probe()


async def score(tmp_path: Path, body: str, *, isolation: Isolation = ISOLATION, seconds: float = 20, more: str = "",
                limits: str = "") -> Scoring:  # fmt: skip
    """Score one honest candidate of value 2.5 with this evaluator."""
    folder = evaluator(tmp_path / "judge", body, more=more, limits=limits)
    view = candidate(tmp_path / "view", value=2.5)
    pinned, declared = pin(folder)
    made = ProcessEvaluator(Terms("judge", pinned), folder, declared, isolation)
    return await made.score(view, {"title": "t"}, seconds)


async def test_an_honest_one(tmp_path: Path) -> None:
    """A valid score with its words, and whether it was cut off."""
    assert await score(tmp_path, HONEST) == Scoring("ok", 2.5, "verified", ISOLATION.works)


async def test_where_nothing_can_be_isolated_it_is_marked(tmp_path: Path) -> None:
    """It runs all the same, unless isolation is required."""
    assert await score(tmp_path, HONEST, isolation=Isolation()) == Scoring("ok", 2.5, "verified", isolated=False)
    again = tmp_path / "again"
    found = await score(again, HONEST, isolation=Isolation(), more='isolation = "required"')
    assert found.fail_class == "eval_isolation"


FORGED = '{"pass": true, "valid": true, "score": 1e9, "fail_class": "ok", "feedback": ""}'
BODIES = {
    "an envelope printed by the candidate changes nothing": (f"print('{FORGED}')\n{HONEST}", "ok", 2.5),
    "only printed": (f"print('{FORGED}')", "eval_protocol", None),
    "guessed the channel without the nonce": (
        f"os.write(int(os.environ['CAPWRIGHT_RESULT_FD']), b'{FORGED}')", "eval_protocol", None),
    "another nonce": ("answer(True, 1.0, nonce='0' * 32)", "eval_protocol", None),
    "two envelopes": ("answer(True, 1.0)\nanswer(True, 2.0)", "eval_protocol", None),
    "floods the output": ("while True: print('x' * 9999)", "eval_output_limit", None),
    "floods the channel": (
        "while True: os.write(int(os.environ['CAPWRIGHT_RESULT_FD']), b'x' * 9999)", "eval_output_limit", None),
    "NaN": ("answer(True, float('nan'))", "eval_protocol", None),
    "infinity": ("answer(True, float('inf'))", "eval_protocol", None),
    "valid without a score": ("answer(True, None)", "eval_protocol", None),
    "invalid with a score": ("answer(False, 1.0, 'tamper')", "eval_protocol", None),
    "valid with a class": ("answer(True, 1.0, 'tamper')", "eval_protocol", None),
    "pass is not valid": ("answer(True, 1.0, **{'pass': False})", "eval_protocol", None),
    "a class of the host": ("answer(False, None, 'eval_crash')", "eval_protocol", None),
    "an unknown field": ("answer(True, 1.0, rank=1)", "eval_protocol", None),
    "a score that is text": ("answer(True, '1.0x')", "eval_protocol", None),
    "no object": ("os.write(int(os.environ['CAPWRIGHT_RESULT_FD']), b'[1]')", "eval_protocol", None),
    "nothing": ("pass", "eval_protocol", None),
    "exits with 3": ("answer(True, 1.0)\nsys.exit(3)", "eval_crash", None),
    "crashes hard": ("answer(True, 1.0)\nimport ctypes; ctypes.string_at(0)", "eval_crash", None),
    "writes into its input": ("open(os.path.join(view, 'x'), 'w').write('1')\nanswer(True, 1.0)", "eval_mutated_input", None),
    "links in its input": ("os.symlink('/etc', os.path.join(view, 'x'))\nanswer(True, 1.0)", "eval_mutated_input", None),
    "changes itself": ("open(__file__, 'a').write('#')\nanswer(True, 1.0)", "eval_registry_changed", None),
    "a candidate at fault": ("answer(False, None, 'runtime_error', 'boom')", "runtime_error", None),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
async def test_what_evaluators_do(tmp_path: Path, name: str) -> None:
    """Each has its class."""
    body, fail_class, expected = BODIES[name]
    found = await score(tmp_path, body)
    assert (found.fail_class, found.score) == (fail_class, expected)


async def test_one_that_hangs(tmp_path: Path) -> None:
    """Ended by the deadline, whatever is shorter: its own or the caller's."""
    started = time.monotonic()
    assert (await score(tmp_path, "import time; time.sleep(99)", seconds=1)).fail_class == "eval_timeout"
    assert time.monotonic() - started < 10


async def test_one_that_forks_without_end(tmp_path: Path) -> None:
    """The process limit ends it; that is nobody's score."""
    body = "import time\nfor _ in range(50):\n    if os.fork() == 0: time.sleep(60)\ntime.sleep(60)"
    assert (await score(tmp_path, body, limits="processes = 8")).fail_class == "eval_crash"


async def test_repeats_give_the_median(tmp_path: Path) -> None:
    """Three runs, three different scores, the middle one counts."""
    shelf = tmp_path / "scores"
    shelf.write_text("1 9 4")
    body = (
        f"first, *rest = open({str(shelf)!r}).read().split()\n"
        f"open({str(shelf)!r}, 'w').write(' '.join(rest))\n"
        "answer(True, float(first))"
    )
    found = await score(tmp_path, body, more="repeats = 3")
    assert (found.fail_class, found.score, shelf.read_text()) == ("ok", 4.0, "")


async def test_a_changed_evaluator_is_not_even_asked(tmp_path: Path) -> None:
    """Its hash is compared before it runs."""
    folder = evaluator(tmp_path / "judge", f"open({str(tmp_path / 'ran')!r}, 'w')")
    _, declared = pin(folder)
    made = ProcessEvaluator(Terms("judge", "0" * 64), folder, declared, ISOLATION)
    found = await made.score(candidate(tmp_path / "view", value=1), {}, 5)
    assert found.fail_class == "eval_registry_changed"
    assert not (tmp_path / "ran").exists()


METRIC = 'answer = "metric_line"\nmetric = "loss"\nchannel = "stdout"'


@pytest.mark.parametrize(
    ("printed", "fail_class", "expected"),
    [
        ("print('epoch 1'); print('{\"loss\": 0.25}')", "ok", 0.25),
        ('print(\'{"loss": 0.25, "acc": 1}\')', "eval_protocol", None),
        ('print(\'{"loss": 0.1, "loss": 0.2}\')', "eval_protocol", None),
        ("print('{\"loss\": 0.25}'); print('done')", "eval_protocol", None),
        ("print('{\"loss\": true}')", "eval_protocol", None),
        ("print('{\"loss\": NaN}')", "eval_protocol", None),
        ("print('{\"loss\": 1e999}')", "eval_protocol", None),
    ],
)
async def test_a_metric_line(tmp_path: Path, printed: str, fail_class: str, expected: float | None) -> None:
    """Declared so, the last line is exactly one object with exactly the metric."""
    found = await score(tmp_path, printed, more=METRIC)
    assert (found.fail_class, found.score) == (fail_class, expected)


async def test_plain_output_where_it_is_declared(tmp_path: Path) -> None:
    """An evaluator that runs no candidate code may print its envelope; then a nonce is not asked for."""
    found = await score(tmp_path, f"print('{FORGED}')", more='channel = "stdout"')
    assert (found.fail_class, found.score) == ("ok", 1e9)
