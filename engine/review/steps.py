"""Two lists of steps: which step became which, and what that means for a caller and on the page."""

from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from typing import Literal

from engine.domain.capability import CapabilityStep, Extractor
from engine.domain.frozen import Frozen
from engine.review import wording

Steps = tuple[CapabilityStep, ...]
Pair = tuple[CapabilityStep | None, CapabilityStep | None]

_ON_THE_PAGE = frozenset({"navigate", "wait", "hover", "scroll", "switch_tab", "go_back", "widen"})
"""Their value says where something is, not what is done."""


class StepChange(Frozen):
    """One difference between two steps; the fields are those of `diff.Change`."""

    side: Literal["caller", "page"]
    area: Literal["effects", "outputs", "locators", "fingerprint", "conditions", "steps", "reading"]
    bump: Literal["major", "patch"]
    where: str
    what: str
    before: str = ""
    after: str = ""


def step_changes(before: Steps, after: Steps) -> Iterator[StepChange]:
    """Changes in the order of the steps; what is done comes before where it is done."""
    for old, new in paired(before, after):
        if old is not None and new is not None:
            yield from _changed(old, new)
        elif one := old or new:
            yield _came_or_went(one, came=old is None)


def paired(before: Steps, after: Steps) -> Iterator[Pair]:
    """Steps that mean the same; one alone came or went. Order counts: a step that moved went and came."""
    matcher = SequenceMatcher(None, [_key(each) for each in before], [_key(each) for each in after], autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        old, new = before[old_from:old_to], after[new_from:new_to]
        if tag == "equal" or (tag == "replace" and [each.action for each in old] == [each.action for each in new]):
            yield from zip(old, new, strict=True)
        else:
            yield from ((each, None) for each in old)
            yield from ((None, each) for each in new)


def _key(step: CapabilityStep) -> tuple[str, ...]:
    role = step.target.fingerprint.role if step.target else ""
    outputs = ",".join(sorted(each.output for each in step.extract))
    return (step.action, step.value or "", step.effect, role, outputs)


def _came_or_went(step: CapabilityStep, *, came: bool) -> StepChange:
    does = step.effect != "read" or (step.value is not None and step.action not in _ON_THE_PAGE)
    told = _told(step)
    return StepChange(
        side="caller" if does else "page", area="effects" if does else "steps", bump="major" if does else "patch",
        where=f"step {step.id}", what="added" if came else "removed", before="" if came else told, after=told if came else "",
    )  # fmt: skip


def _changed(old: CapabilityStep, new: CapabilityStep) -> Iterator[StepChange]:
    where = f"step {new.id} ({new.target.description if new.target else new.action})"
    for what, say in _CALLER:
        if say(old) != say(new):
            yield StepChange(
                side="caller", area="effects", bump="major", where=where, what=what, before=say(old), after=say(new)
            )
    for area, what, say in _PAGE:
        if say(old) != say(new):
            yield StepChange(side="page", area=area, bump="patch", where=where, what=what, before=say(old), after=say(new))
    yield from _readings(old.extract, new.extract)


def _readings(old: tuple[Extractor, ...], new: tuple[Extractor, ...]) -> Iterator[StepChange]:
    by_name = {each.output: each for each in new}
    for was in old:
        now = by_name.get(was.output)
        if now is None or now == was:
            continue  # an output that came or went is told by the schema
        where = f"output {was.output}"
        if was.parser != now.parser:
            before, after = wording.parsing(was), wording.parsing(now)
            yield StepChange(
                side="caller", area="outputs", bump="major", where=where, what="read as", before=before, after=after
            )
        for area, what, say in _READING:
            if say(was) != say(now):
                yield StepChange(side="page", area=area, bump="patch", where=where, what=what, before=say(was), after=say(now))


def _told(step: CapabilityStep) -> str:
    place = step.target.description if step.target else ""
    return " ".join(part for part in (step.action, place, f"“{step.value}”" if step.value else "", f"({step.effect})") if part)


def _value(step: CapabilityStep) -> str:
    return step.value or ""


def _sent(step: CapabilityStep) -> str:
    """Where a step that changes something sends its form: another address is another operation."""
    if step.effect == "read" or step.target is None:
        return ""
    return f"{step.target.fingerprint.form_method} {step.target.fingerprint.form_action}".strip()


def _dialog(step: CapabilityStep) -> str:
    return f"{step.dialog.answer} {step.dialog.type} “{step.dialog.message}”" if step.dialog else ""


_Said = Callable[[CapabilityStep], str]
_CALLER: tuple[tuple[str, _Said], ...] = (
    ("action", lambda step: step.action),
    ("effect", lambda step: step.effect),
    ("what is put in", lambda step: "" if step.action in _ON_THE_PAGE else _value(step)),
    ("where its form is sent", _sent),
    ("answer to a dialog", _dialog),
)
_PAGE: tuple[tuple[Literal["locators", "fingerprint", "conditions", "steps"], str, _Said], ...] = (
    ("steps", "where it goes", lambda step: _value(step) if step.action in _ON_THE_PAGE else ""),
    ("locators", "how it is found", lambda step: wording.locators(step.target)),
    ("fingerprint", "what it must look like", lambda step: wording.fingerprint(step.target)),
    ("conditions", "what must be true after it", lambda step: wording.conditions(step.expect)),
    ("steps", "how an option is told from others", lambda step: step.match if step.action == "select" else ""),
    ("steps", "may be missing", lambda step: "yes" if step.optional else "no"),
)
_READING: tuple[tuple[Literal["reading", "locators", "fingerprint"], str, Callable[[Extractor], str]], ...] = (
    ("reading", "how it is read", wording.extraction),
    ("locators", "where it is read", lambda each: wording.locators(each.target)),
    ("fingerprint", "what it must look like", lambda each: wording.fingerprint(each.target)),
)
