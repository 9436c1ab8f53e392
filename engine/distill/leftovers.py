"""The last look: no value of the run may be left in what finds, opens or proves anything."""

from collections.abc import Iterable, Iterator

from engine.distill.inputs import Inputs, has_number
from engine.domain.capability import Capability, Condition, Locator, Target
from engine.domain.text import fold, words
from engine.errors import DistillRefused


def check(capability: Capability, inputs: Inputs, data: frozenset[str], goal: str) -> None:
    """Raises DistillRefused with one sentence for each place that still holds a value of the run."""
    values = {each.value for each in inputs.values if each.telling} | {text for text in data if telling(text, goal)}
    found = [
        f"{place} still holds {value!r}, which belongs to this run."
        for place, text in places(capability)
        for value in sorted(values)
        if words(fold(value)).search(fold(text))
    ]
    if found:
        raise DistillRefused(" ".join(found[:5]))


def telling(text: str, goal: str) -> bool:
    """Whether a value that was read would betray the run: it has digits, or the goal does not speak of it."""
    return (has_number(text) and len(text) >= 3) or (len(text) >= 5 and " " in text and fold(text) not in fold(goal))


def places(capability: Capability) -> Iterator[tuple[str, str]]:
    """Every text that finds, opens or proves something, with where it stands."""
    for step in capability.steps:
        if step.action == "navigate":
            yield f"The URL of step {step.id}", step.value or ""
        if step.target:
            yield from ((f"A locator of step {step.id}", text) for text in texts(step.target))
        yield from proofs(f"An expectation of step {step.id}", step.expect)
        for each in step.extract:
            if each.target:
                yield from ((f"A locator of output {each.output}", text) for text in texts(each.target))
    yield from proofs("The checkpoint", capability.checkpoint)


def proofs(place: str, conditions: Iterable[Condition]) -> Iterator[tuple[str, str]]:
    """Values and locators of conditions."""
    for condition in conditions:
        yield place, condition.value
        if condition.target:
            yield from ((place, text) for text in texts(condition.target))


def texts(target: Target) -> Iterator[str]:
    """What the locators and the fingerprint of a target say."""
    for locator in target.locators:
        each: Locator | None = locator
        while each is not None:
            yield from (each.value, each.column)
            each = each.within
    yield from (target.fingerprint.name, target.fingerprint.region, target.fingerprint.form_action, *target.fingerprint.frames)
