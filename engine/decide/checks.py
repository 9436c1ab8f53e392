"""What the type of a decision cannot say: its refs, files, secrets and tabs must be there. Wrong ones are never executed."""

from collections.abc import Callable, Iterator

from engine.domain.action import Action, Decision, Extract, SwitchTab, Type, Upload
from engine.domain.brief import Brief
from engine.domain.narrowing import holders
from engine.domain.secret import PLACEHOLDER


def refs_of(action: Action) -> tuple[str, ...]:
    """Every ref that an action names."""
    if isinstance(action, Extract):
        return tuple(reading.ref for reading in action.readings)
    ref: str | None = getattr(action, "ref", None)
    return (ref,) if ref else ()


def checker(brief: Brief) -> Callable[[Decision], str | None]:
    """The check of decisions about this observation: what is wrong, or None."""
    present = frozenset(node.ref for node in brief.observation.root.walk() if node.ref)

    def check(decision: Decision) -> str | None:
        return next(_objections(decision.action, brief, present), None)

    return check


def _objections(action: Action, brief: Brief, present: frozenset[str]) -> Iterator[str]:
    for ref in refs_of(action):
        if ref not in present:
            yield f"the ref {ref} is not in the present page; use a ref that stands in it now"
    for reading in action.readings if isinstance(action, Extract) else ():
        if len(found := holders(reading, brief.observation.root)) > 1:
            yield f"{reading.value!r} stands more than once in {reading.ref}; say which is {reading.name}: {_listed(found)}"
    if isinstance(action, Upload) and action.file not in brief.files:
        yield f"no file {action.file!r} is registered for this run; there is: {_listed(brief.files)}"
    if isinstance(action, Type):
        for name in PLACEHOLDER.findall(action.text):
            if name not in brief.goal.secrets:
                yield f"there is no secret {name!r}; there is: {_listed(brief.goal.secrets)}"
    if isinstance(action, SwitchTab) and action.tab not in {tab.index for tab in brief.observation.tabs}:
        yield f"there is no tab {action.tab}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"
