"""What a candidate gives away before it is replayed: literals where inputs belong, inputs that nothing uses, too much risk."""

import re
from collections.abc import Iterator
from typing import Any

from engine.domain.capability import Capability
from engine.domain.evaluation import Scoring
from engine.domain.text import fold, words
from engine.score.cases import CaseTable

RISKS = ("read_only", "reversible", "irreversible")
_FOR_PEOPLE = frozenset({"description", "id", "output"})


def suspicion(candidate: Capability, table: CaseTable, known: tuple[str, ...]) -> Scoring | None:
    """The scoring of a candidate that need not be replayed; None for one that must be. `known` are values of the discovery.

    No value is repeated in the feedback: it would leak what is held out.
    """
    if RISKS.index(candidate.risk_class) > RISKS.index(table.risk):
        why = f"wrong effect: the capability is {candidate.risk_class}, at most {table.risk} is asked for"
        return Scoring("invalid_solution", feedback=why)
    held = {value for case in table.cases for value in _values(case.inputs, case.outputs)} | set(known)
    for place, text in _texts(candidate):
        if any(words(fold(value)).search(fold(text)) for value in held if _telling(value)):
            return Scoring("tamper", feedback=f"literal where an input belongs, in {place}")
    asked = {name for case in table.cases for name in case.inputs}
    fields: dict[str, Any] = candidate.inputs.get("properties", {})
    lacking = sorted(asked - set(fields))
    if lacking:
        return Scoring("invalid_solution", feedback=f"takes no input {', '.join(lacking)}")
    used = "\n".join(text for _, text in _texts(candidate))
    idle = sorted(name for name in asked if not re.search(rf"\{{\{{\s*{re.escape(name)}\b", used))
    if idle:
        return Scoring("tamper", feedback=f"literal where an input belongs: nothing uses the input {', '.join(idle)}")
    return None


def _values(*tables: dict[str, Any]) -> Iterator[str]:
    for table in tables:
        yield from (str(value) for value in table.values() if isinstance(value, str | int | float))


def _telling(value: str) -> bool:
    """Surely this value and not an everyday word or a small number."""
    return len(value) >= 3 and any(letter.isdigit() for letter in value)


def _texts(candidate: Capability) -> Iterator[tuple[str, str]]:
    """Every text that a replay goes by, with where it stands."""
    for step in candidate.steps:
        yield from ((f"step {step.id}", text) for text in _strings(step.model_dump(mode="json")))
    for condition in candidate.checkpoint:
        yield from (("the checkpoint", text) for text in _strings(condition.model_dump(mode="json")))


def _strings(plain: Any) -> Iterator[str]:
    if isinstance(plain, str):
        yield plain
    elif isinstance(plain, dict):
        for name, value in plain.items():
            if name not in _FOR_PEOPLE:
                yield from _strings(value)
    elif isinstance(plain, list):
        for value in plain:
            yield from _strings(value)
