"""Which turns of a trajectory the capability keeps: what was refused, failed, undone or had no effect goes."""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from engine.domain.action import Action, Extract, GoBack, Navigate, Reading, Select, Type, Wait
from engine.domain.step import Outcome, Step, TargetSeen, Trajectory, Value

IDLE = frozenset({"widen", "done", "stuck", "wait", "extract", "scroll"})
"""Do nothing to the page that a replay would have to repeat."""


@dataclass(frozen=True)
class Read:
    """One value that was read, and the element that held it (None for a file)."""

    reading: Reading
    value: Value
    seen: TargetSeen | None
    url: str


@dataclass(frozen=True)
class Turn:
    """One kept action, what came of it, the waits after it, and what was read before the next."""

    action: Action
    outcome: Outcome
    step: Step
    waits: tuple[Wait, ...] = ()
    reads: tuple[Read, ...] = ()

    @property
    def seen(self) -> TargetSeen | None:
        """The element acted on."""
        return self.outcome.target

    @property
    def writes(self) -> bool:
        """Whether the page sent something other than GET or HEAD."""
        return bool(self.outcome.requests)


def kept(trajectory: Trajectory) -> tuple[Turn, ...]:
    """The turns that matter, in order. Values read before any action hang on an opening turn made of the first step."""
    turns: list[Turn] = []
    for step in trajectory:
        action, outcome = step.decision.action, step.outcome
        if not outcome.ok or step.verdict.kind == "refusal":
            continue
        if not turns and not isinstance(action, Navigate):
            turns.append(opening(step))
        if isinstance(action, Wait) and action.text:
            turns[-1] = replace(turns[-1], waits=(*turns[-1].waits, action))
        elif isinstance(action, Extract):
            turns[-1] = replace(turns[-1], reads=(*turns[-1].reads, *read_by(step, action)))
        elif action.action not in IDLE:
            turns.append(Turn(action, outcome, step))
    return tuple(undone(superseded(turns)))


def opening(step: Step) -> Turn:
    """The run began with the target open: the capability opens the page that the first step found."""
    return Turn(Navigate(url=step.url), Outcome(ok=True, url_after=step.url), step)


def read_by(step: Step, action: Extract) -> tuple[Read, ...]:
    """The readings of one extract with what held them."""
    values = {value.name: value for value in step.outcome.values}
    return tuple(
        Read(reading, values[reading.name], step.outcome.targets.get(reading.name), step.outcome.url_after or step.url)
        for reading in action.readings
        if reading.name in values
    )


def superseded(turns: list[Turn]) -> list[Turn]:
    """Without what a later turn on the same page made void: text typed over, an option chosen anew, a page left at once."""
    found: list[Turn] = []
    for turn in turns:
        same = [number for number, other in enumerate(found) if replaces(turn, other)]
        between = found[same[-1] + 1 :] if same else []
        if same and all(isinstance(other.action, Type | Select) for other in between):
            found.append(carry(found.pop(same[-1]), turn))
        else:
            found.append(turn)
    return found


def replaces(turn: Turn, other: Turn) -> bool:
    """Whether `turn` makes what `other` did void, when nothing but typing and choosing lies between."""
    if other.writes or other.reads or other.outcome.dialogs:
        return False
    if isinstance(turn.action, Navigate) and isinstance(other.action, Navigate):
        return True
    fills = isinstance(turn.action, Type | Select) and type(turn.action) is type(other.action)
    same_place = urlsplit(turn.outcome.url_before).path == urlsplit(other.outcome.url_before).path
    return bool(fills and same_place and turn.seen and other.seen and turn.seen.candidates == other.seen.candidates)


def undone(turns: list[Turn]) -> list[Turn]:
    """Without a click or navigation that a go_back took back, unless something was written or read there."""
    found: list[Turn] = []
    for turn in turns:
        if isinstance(turn.action, GoBack) and found:
            last = found[-1]
            quiet = not (last.writes or last.reads or last.outcome.downloads or last.outcome.dialogs)
            if quiet and len(found) > 1 and same_page(last.outcome.url_before, turn.outcome.url_after):
                found.pop()
                continue
        found.append(turn)
    return found


def carry(old: Turn, new: Turn) -> Turn:
    """The new turn with the waits of the one that it replaces."""
    return replace(new, waits=(*old.waits, *new.waits))


def same_page(one: str, other: str) -> bool:
    """Same path and query."""
    return urlsplit(one)[:4] == urlsplit(other)[:4]
