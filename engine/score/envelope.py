"""Understands an evaluator's answer, or says that it is none."""

import hmac
import json
import math
from typing import Any, NoReturn

from pydantic import Field, StrictBool, ValidationError, model_validator

from engine.domain.evaluation import CANDIDATE, FailClass, Scoring
from engine.domain.frozen import Frozen
from engine.score.declaration import Declaration
from engine.score.feedback import clean


class Envelope(Frozen):
    """The one object of an answer."""

    passed: StrictBool = Field(alias="pass")
    valid: StrictBool
    score: float | None = Field(allow_inf_nan=False)
    fail_class: FailClass
    feedback: str = ""
    nonce: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> "Envelope":
        if self.passed != self.valid:
            raise ValueError("pass must equal valid")
        if self.valid != (self.fail_class == "ok") or self.valid != (self.score is not None):
            raise ValueError("valid goes with class ok and a score, invalid with another class and none")
        if self.fail_class not in CANDIDATE:
            raise ValueError(f"{self.fail_class} is not for an evaluator to say")
        return self


def understand(answer: bytes, declared: Declaration, nonce: str) -> Scoring:
    """The scoring of an answer; class eval_protocol when it is not exactly what the protocol asks for.

    On the result channel the nonce must come back: whoever only guesses the channel cannot know it.
    """
    try:
        text = answer.decode("utf-8")
        if declared.answer == "metric_line":
            return _metric(text, declared.metric)
        envelope = Envelope.model_validate(_one_object(text))
    except ValidationError as error:
        return _unreadable(error.errors()[0]["msg"])
    except (ValueError, RecursionError) as error:
        return _unreadable(str(error))
    if envelope.nonce is None and declared.channel == "fd":
        return _unreadable("the nonce is missing")
    if envelope.nonce is not None and not hmac.compare_digest(envelope.nonce.encode(), nonce.encode()):
        return _unreadable("the nonce is another")
    return Scoring(envelope.fail_class, envelope.score, clean(envelope.feedback))


def _metric(text: str, name: str) -> Scoring:
    lines = text.rstrip("\n").split("\n")
    value = _one_object(lines[-1])
    if set(value) != {name}:
        raise ValueError(f"the last line must hold exactly the metric {name!r}")
    number = value[name]
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError("the metric is no finite number")
    return Scoring("ok", float(number))


def _one_object(text: str) -> dict[str, Any]:
    value = json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
    if not isinstance(value, dict):
        raise ValueError("the answer is no object")  # noqa: TRY004 - the same fault as any other wrong answer
    return value


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice in the answer")
    return dict(pairs)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _unreadable(why: str) -> Scoring:
    return Scoring("eval_protocol", feedback=clean(why))
