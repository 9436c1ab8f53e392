"""Writes evaluators and candidates for the tests."""

import json
from pathlib import Path

GOOD = '{"value": 2.5}'
HEADER = """
import json, os, sys
asked = json.load(sys.stdin)
view = sys.argv[-1]
def answer(valid=True, score=None, cls="ok", feedback="", **more):
    made = {"pass": valid, "valid": valid, "score": score, "fail_class": cls, "feedback": feedback, "nonce": asked["nonce"]}
    os.write(int(os.environ["CAPWRIGHT_RESULT_FD"]), json.dumps({**made, **more}).encode())
"""
HONEST = """
path = os.path.join(view, "answer.json")
if not os.path.exists(path):
    answer(False, None, "no_output", "nothing there")
else:
    found = json.load(open(path))
    if found.get("hardcoded"):
        answer(False, None, "tamper", "a literal where an input belongs")
    else:
        answer(True, float(found["value"]), feedback="verified")
"""
TOML = """
command = ["judge.py"]
interpreter = "python"
{more}
[limits]
wall_seconds = 20
{limits}
[[fixtures]]
path = "fixtures/good"
kind = "good"
[[fixtures]]
path = "fixtures/cheat"
kind = "cheating"
fail_class = "tamper"
{fixtures}
"""


def evaluator(at: Path, body: str = HONEST, *, more: str = "", limits: str = "", fixtures: str = "") -> Path:
    """An evaluator's folder."""
    at.mkdir(parents=True)
    (at / "judge.py").write_text(HEADER + body)
    (at / "evaluator.toml").write_text(TOML.format(more=more, limits=limits, fixtures=fixtures))
    candidate(at / "fixtures/good", value=2.5)
    candidate(at / "fixtures/cheat", hardcoded=True, value=9)
    return at


def candidate(at: Path, **content: object) -> Path:
    """A candidate's folder."""
    at.mkdir(parents=True)
    (at / "answer.json").write_text(json.dumps(content))
    return at
