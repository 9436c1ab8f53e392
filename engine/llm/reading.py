"""Finds the one record in a model's text: fences and prose around it are forgiven, anything else about it is not."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from engine.llm.protocol import Answer

T = TypeVar("T", bound=BaseModel)
Check = Callable[[T], str | None]
"""What is wrong with a record that parses, in a sentence for the model; None when it may be used."""

THOUGHT = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL)
"""What some models say to themselves first; either mark may be missing."""

STARTS_TRIED = 256
ERRORS_TOLD = 5

FINISH_FAULTS = {
    "length": "it was cut off at the length limit; answer much shorter",
    "refusal": "it declined to answer; if the task cannot be done, say so in the form that is asked for",
    "oversize": "it was far too long and was not read; answer much shorter",
}


@dataclass(frozen=True)
class Fault:
    """Why an answer is not usable, as the end of a sentence; `formless` when it held no JSON at all."""

    problem: str
    formless: bool = False


class _Twice(ValueError):
    """A JSON object that gives one name twice."""


def read(answer: Answer, shape: type[T], check: Check[T]) -> T | Fault:
    """The one record in this answer, or what is wrong with it."""
    if answer.finish in FINISH_FAULTS:
        return Fault(FINISH_FAULTS[answer.finish])
    try:
        found = tuple(_values(_spoken(answer.text)))
    except _Twice as error:
        return Fault(str(error))
    if not answer.text.strip():
        return Fault("it was empty", formless=True)
    if not found:
        return Fault("it held no JSON object", formless=True)
    if any(isinstance(value, list) for value in found):
        return Fault("it was a list; answer with exactly one JSON object, not in a list")
    return _one(found, shape, check)


def _spoken(text: str) -> str:
    """The text without the thoughts before it; an answer that starts as JSON may quote such a mark and keeps it."""
    return text if text.lstrip().startswith("{") else THOUGHT.sub("", text)


def _one(found: tuple[Any, ...], shape: type[T], check: Check[T]) -> T | Fault:
    """The only object that fits; two that fit and differ are two answers, and neither is taken."""
    fitting: list[T] = []
    faults: list[str] = []
    for value in found:
        try:
            record = shape.model_validate(value)
        except ValidationError as error:
            faults.append(_told(error))
            continue
        if record not in fitting:
            fitting.append(record)
    if len(fitting) > 1:
        return Fault(f"it held {len(fitting)} different answers; give exactly one")
    if not fitting:
        return Fault(faults[0])
    wrong = check(fitting[0])
    return Fault(wrong) if wrong else fitting[0]


def _values(text: str) -> Iterator[Any]:
    """Every JSON object and every list of objects in the text that is not inside another one."""
    decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
    at = 0
    for _ in range(STARTS_TRIED):
        start = min((place for place in (text.find("{", at), text.find("[", at)) if place >= 0), default=-1)
        if start < 0:
            return
        try:
            value, at = decoder.raw_decode(text, start)
        except _Twice:
            raise
        except (ValueError, RecursionError):
            at = start + 1
            continue
        if isinstance(value, dict) or any(isinstance(member, dict) for member in value):
            yield value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Twice(f"it gave {twice!r} twice; give exactly one")
    return values


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _told(error: ValidationError) -> str:
    """The validation errors in one line, places first, without the answer's own text."""
    parts = error.errors(include_url=False, include_input=False)[:ERRORS_TOLD]
    return "it does not fit: " + "; ".join(f"{'.'.join(map(str, part['loc'])) or 'answer'}: {part['msg']}" for part in parts)
