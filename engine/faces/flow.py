"""The steps of a capability as functions of a script."""

import re
from collections.abc import Callable, Iterator, Mapping

from engine.domain.capability import CapabilityStep, Condition, Extractor, Target
from engine.domain.template import names_in
from engine.errors import CapabilityInvalid
from engine.faces.locating import Scopes, arguments, expression, filled, keyword
from engine.faces.reading import value
from engine.faces.source import Call, Code, lines, quoted, raw, sentence

Statement = tuple[str, Code]
"""What stands before the code (`name = `), and the code."""


def function(step: CapabilityStep) -> str:
    """The name of a step's function."""
    return re.sub(r"\W", "_", f"{step.id}_{step.action}")


def written(step: CapabilityStep) -> list[str]:
    """The lines of one function."""
    place = f" {step.target.description}" if step.target else ""
    outputs = ", ".join(each.output for each in step.extract)
    does = f"{step.action.replace('_', ' ').capitalize()}{place}{' ' + outputs if outputs else ''}"
    found = [f"def {function(step)}(run: Run) -> None:", f'    """{sentence(does)}"""']
    for before, code in statements(step):
        found += lines(code, 1, before)
    return found


def statements(step: CapabilityStep) -> Iterator[Statement]:
    """The statements of one step."""
    if step.action == "extract":
        for extractor in step.extract:
            yield from _extraction(extractor)
        return
    make = ACTS.get(step.action)
    if make is None:
        raise CapabilityInvalid(f"Step {step.id} ({step.action}) cannot be written as a script.")
    if step.target:
        yield from _found(step.target, "only", "optional" if step.optional else "")
        if step.optional:
            yield "", "if found is None:\n        return"
    if step.dialog:
        message, accepts = expression(step.dialog.message), str(step.dialog.answer == "accept")
        yield "run.expected = ", f"({quoted(step.dialog.type)}, {plain(message)}, {accepts})"
    if step.effect == "commit":
        yield "run.doubt = ", "True"
    yield from make(step)
    for condition in step.expect:
        yield from CONDITIONS[condition.kind](condition, "in_doubt" if step.effect == "commit" else "drift")


def plain(code: Code) -> str:
    """Code that stands inside another expression."""
    return code if isinstance(code, str) else "".join(line.strip() for line in lines(code, 0))


def _found(target: Target, how: str, wrapper: str = "", *more: Code, name: str = "found = ") -> Iterator[Statement]:
    """The statements that find one element, each place on the way with a name."""
    scopes = Scopes()
    given = arguments(target, scopes)
    if not target.fingerprint.frames:
        yield "page = ", "run.page"
    for variable, code in scopes.lines:
        yield f"{variable} = ", code
    yield name, Call(wrapper or how, ("run", *given, *more))


def _extraction(extractor: Extractor) -> Iterator[Statement]:
    if extractor.target:
        yield from _found(extractor.target, "only")
    yield f"run.outputs[{quoted(extractor.output)}] = ", value(extractor)


def _click(_step: CapabilityStep) -> Iterator[Statement]:
    yield "", "found.click()"


def _type(step: CapabilityStep) -> Iterator[Statement]:
    yield "", Call("put", ("found", filled(step.value or "")))


def _select(step: CapabilityStep) -> Iterator[Statement]:
    names = {"exact": "exactly", "word": "word", "pattern": "pattern"}
    wanted = [step.value or ""] if step.match != "exact" else (step.value or "").split("\n")
    options = [
        expression(f"^{each}$") if step.match == "pattern" else Call(names[step.match], (filled(each),)) for each in wanted
    ]
    yield "", Call("choose", ("found", *options))


def _press(step: CapabilityStep) -> Iterator[Statement]:
    yield "", Call("found.press" if step.target else "run.page.keyboard.press", (quoted(step.value or ""),))


def _upload(step: CapabilityStep) -> Iterator[Statement]:
    name = step.value or ""
    path = filled(name) if names_in(name) else f"run.given[{quoted(name)}]"
    yield "", Call("found.set_input_files", (path,))


def _scroll(step: CapabilityStep) -> Iterator[Statement]:
    key = "PageUp" if step.value == "up" else "PageDown"
    yield "", Call("found.press" if step.target else "run.page.keyboard.press", (quoted(key),))


def _switch_tab(step: CapabilityStep) -> Iterator[Statement]:
    yield "run.page = ", f"run.page.context.pages[{int(step.value or 0)}]"
    yield "", "run.page.bring_to_front()"


ACTS: Mapping[str, Callable[[CapabilityStep], Iterator[Statement]]] = {
    "navigate": lambda step: iter([("", Call("goto", ("run", filled(step.value or ""))))]),
    "click": _click,
    "hover": lambda _step: iter([("", "found.hover()")]),
    "type": _type,
    "select": _select,
    "press": _press,
    "upload": _upload,
    "scroll": _scroll,
    "switch_tab": _switch_tab,
    "go_back": lambda _step: iter([("", "run.page.go_back()")]),
}


def checks(conditions: tuple[Condition, ...], ending: str) -> Iterator[Statement]:
    """Statements that wait for conditions."""
    for condition in conditions:
        yield from CONDITIONS[condition.kind](condition, ending)


def _ends(ending: str) -> tuple[Code, ...]:
    return () if ending == "drift" else (keyword("ending", quoted(ending)),)


def _present(condition: Condition, ending: str) -> Iterator[Statement]:
    yield from _found(target_of(condition), "appears", "", f"ending={quoted(ending)}", name="")


def _absent(condition: Condition, ending: str) -> Iterator[Statement]:
    yield from _found(target_of(condition), "vanishes", "", f"ending={quoted(ending)}", name="")


def _field(condition: Condition, ending: str) -> Iterator[Statement]:
    yield from _found(target_of(condition), "only")
    yield "", Call("holds", ("run", "found", filled(condition.value), *_ends(ending)))


def target_of(condition: Condition) -> Target:
    """The element it is about. Raises CapabilityInvalid."""
    if condition.target is None:
        raise CapabilityInvalid(f"A condition ({condition.kind}) has no target.")
    return condition.target


CONDITIONS: Mapping[str, Callable[[Condition, str], Iterator[Statement]]] = {
    "url": lambda one, ending: iter([("", Call("arrives", ("run", raw(one.value), *_ends(ending))))]),
    "text": lambda one, ending: iter([("", Call("shows", ("run", filled(one.value), *_ends(ending))))]),
    "visible": _present,
    "hidden": _absent,
    "field": _field,
}
