"""Lays the steps of a capability beside the steps of the run that it was discovered in."""

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from engine.domain.capability import Capability, CapabilityStep, Extractor, Locator, Target
from engine.domain.step import Step, TargetSeen, Value
from engine.domain.template import fill
from engine.domain.text import fold

Way = tuple[object, ...]
"""A locator in the form in which two are compared."""


@dataclass(frozen=True)
class Traced:
    """One step; `seen` is what the run did there, None when it did nothing of the kind; `moved` when it did it elsewhere."""

    step: CapabilityStep
    seen: Step | None
    moved: bool = False


def examples(capability: Capability) -> Mapping[str, str]:
    """The run's own inputs by name; secrets have none."""
    properties: Mapping[str, Mapping[str, object]] = capability.inputs.get("properties", {})
    found = {}
    for name, schema in properties.items():
        given = schema.get("examples")
        if isinstance(given, list | tuple) and given and not schema.get("x-secret"):
            found[name] = str(given[0])
    return found


def trace(capability: Capability, steps: tuple[Step, ...]) -> tuple[Traced, ...]:
    """Every step with the run's step that resembles it most."""
    values = examples(capability)
    free = {step.number: step for step in steps if step.outcome.ok}
    found: list[Step | None] = []
    at = 0
    for step in capability.steps:
        best = max(free.values(), key=lambda each: (likeness(step, each, values), each.number > at, -each.number), default=None)
        if best is None or likeness(step, best, values) <= 0:
            found.append(None)
            continue
        del free[best.number]
        at = best.number
        found.append(best)
    kept = in_order([step.number for step in found if step])
    return tuple(
        Traced(step, seen, seen is not None and seen.number not in kept)
        for step, seen in zip(capability.steps, found, strict=True)
    )


def likeness(step: CapabilityStep, seen: Step, values: Mapping[str, str]) -> int:
    """0 for another action or another element; more for more that agrees."""
    if step.action != seen.decision.action.action:
        return 0
    if step.action == "extract":
        return sum(each.target is None or read_as(each, seen, values) is not None for each in step.extract)
    if step.target is None:
        return 1
    shared = ways(step.target, values) & seen_ways(seen.outcome.target)
    return len(shared)


def read_as(each: Extractor, seen: Step, values: Mapping[str, str]) -> str | None:
    """The name under which a step of the run read what this extractor reads: its own, or another of the same place."""
    names = {value.name for value in seen.outcome.values}
    if each.output in names or each.target is None:
        return each.output if each.output in names else None
    mine = ways(each.target, values)
    return next((name for name, target in seen.outcome.targets.items() if mine & seen_ways(target)), None)


def in_order(numbers: list[int]) -> frozenset[int]:
    """The longest part of a list that goes up: what is left out of it stands out of place."""
    tails: list[int] = []
    chains: list[tuple[int, ...]] = []
    for number in numbers:
        place = bisect_left(tails, number)
        before = chains[place - 1] if place else ()
        tails[place : place + 1] = [number]
        chains[place : place + 1] = [(*before, number)]
    return frozenset(chains[-1]) if chains else frozenset()


def ways(target: Target, values: Mapping[str, str]) -> frozenset[Way]:
    """The locators of a target with the run's own inputs put in."""
    return frozenset(_way(each, values) for each in target.locators)


def seen_ways(*targets: TargetSeen | None) -> frozenset[Way]:
    """Every locator that matched exactly these elements in the run."""
    texts = (text for seen in targets if seen for text in (*seen.candidates, *seen.cells))
    return frozenset(_way(locator, {}) for text in texts if (locator := _locator(text)) is not None)


def reading(each: Extractor, steps: tuple[Step, ...], values: Mapping[str, str]) -> tuple[Value, TargetSeen] | None:
    """What the run read for an extractor and where, the last time; None when it read nothing of the kind."""
    for step in reversed(steps):
        name = read_as(each, step, values)
        value = next((value for value in step.outcome.values if value.name == name), None)
        if value is not None:
            return value, step.outcome.targets.get(value.name, TargetSeen())
    return None


def extractors(capability: Capability) -> Iterator[tuple[CapabilityStep, Extractor]]:
    """Every reading with its step."""
    return ((step, each) for step in capability.steps for each in step.extract)


def _way(locator: Locator, values: Mapping[str, str]) -> Way:
    role = locator.role if locator.by in ("role", "region") else ""
    within = _way(locator.within, values) if locator.within else ()
    # A pattern stands for the words around its numbers, as the exact locator beside it does.
    value = "#" if locator.match == "pattern" else fold(fill(locator.value, values))
    return (locator.by, role, value, fold(fill(locator.column, values)), within)


def _locator(text: str) -> Locator | None:
    try:
        return Locator.model_validate(json.loads(text))
    except (ValueError, ValidationError):
        return None
