"""The planner that needs no model: the first part of the goal that is not fulfilled says what to do next, or why it cannot."""

from collections.abc import Callable
from typing import Any

from engine.decide.embedded.fetching import fetch
from engine.decide.embedded.filling import choose, fill
from engine.decide.embedded.finding import locate, search
from engine.decide.embedded.forms import form_task
from engine.decide.embedded.goal import read_goal
from engine.decide.embedded.intents import (
    Choose,
    Fetch,
    Fill,
    FormTask,
    Intent,
    Locate,
    Press,
    Read,
    Search,
    SignIn,
    Unfold,
    Unknown,
)
from engine.decide.embedded.moves import Blocked, Do, Finished, Move, Turn
from engine.decide.embedded.obstacles import clear_way
from engine.decide.embedded.pressing import press, unfold
from engine.decide.embedded.progress import ASIDE, Past, recall, tagged
from engine.decide.embedded.reading import read
from engine.decide.embedded.scene import Scene, own_text
from engine.decide.embedded.signing import asks_to_sign_in, sign_in
from engine.domain.action import Decision, Done, Stuck, Wait, Widen
from engine.domain.brief import Brief, Planned
from engine.domain.usage import Usage

MODEL = "embedded"
OFTEN = 6

ADVANCE: dict[type, Callable[[Any, Turn], Move]] = {
    SignIn: sign_in, Press: press, Unfold: unfold, Fill: fill, Choose: choose, Locate: locate, Search: search,
    Read: read, FormTask: form_task, Fetch: fetch,
}  # fmt: skip
"""How each kind of intent goes on."""


class EmbeddedPlanner:
    """The Planner of the loop without network or model. It keeps nothing: all it knows is in the brief."""

    @property
    def usage(self) -> Usage:
        """No model was used."""
        return Usage(usd_micros=0, usd_source="reported")

    async def decide(self, brief: Brief) -> Planned:
        """One decision for one observation."""
        return Planned(decision=decide(brief), model=MODEL)


def decide(brief: Brief) -> Decision:
    """The same brief always gets the same decision."""
    intents = read_goal(brief.goal)
    scene = Scene(brief.observation, brief.goal.text)
    past = recall(brief.history, brief.observation.fingerprint)
    unread = [intent.clause for intent in intents if isinstance(intent, Unknown)]
    if unread or not intents:
        return _stuck("I do not understand this part of the goal: " + "; ".join(f'"{clause}"' for clause in unread) + ".")
    if past.last is not None and past.last.refused:
        return _stuck(f"I may not {past.last.why}: {past.last.outcome.problem}")
    part, move = _next(intents, scene, past)
    aside = clear_way(move, scene, past) if not isinstance(move, Finished) else None
    if aside is None and isinstance(move, Blocked):
        aside = _patience(scene, past) or _unread(scene)
    if aside is not None:
        part, move = ASIDE, aside
    return _decision(part, _guarded(move, past, brief.allowed), intents)


def _next(intents: tuple[Intent, ...], scene: Scene, past: Past) -> tuple[int, Move]:
    start = past.part
    entry = next((index for index, intent in enumerate(intents[:start]) if isinstance(intent, SignIn)), None)
    if entry is not None and asks_to_sign_in(scene):
        start = entry  # the session ended while other parts were under way
    for part in range(start, len(intents)):
        move = ADVANCE[type(intents[part])](intents[part], Turn(scene, past.of(part), past))
        if not isinstance(move, Finished):
            return part, move
    return len(intents), Finished()


def _patience(scene: Scene, past: Past) -> Do | None:
    """A page that shows next to nothing, or says that it is loading, gets one more moment."""
    busy = any(spot.node.role == "progressbar" or "busy" in spot.node.states for spot in scene.spots)
    waited = past.last is not None and isinstance(past.last.action, Wait)
    thin = not any(own_text(spot.node) for spot in scene.spots)
    return Do(Wait(seconds=2), "wait for the page to show something") if (busy or thin) and not waited else None


def _unread(scene: Scene) -> Do | None:
    """What is not found may stand where a huge page was not read to its end."""
    refs = (node.ref for node in scene.root.walk() if node.role == "more" and node.ref)
    return next((Do(Widen(ref=ref), f"read the rest of {ref}") for ref in refs), None)


def _guarded(move: Move, past: Past, allowed: tuple[str, ...]) -> Move:
    if not isinstance(move, Do):
        return move
    name = move.action.action
    if name not in allowed:
        return Blocked(f"To {move.why} I would need the action {name}, which the policy does not allow.")
    vain = past.vain(move.why)
    if len(vain) > 1 or past.count(move.why) >= OFTEN:
        problem = past.last.outcome.problem if past.last is not None else ""
        return Blocked(f"I tried twice to {move.why}. {problem or 'Nothing on the page changed.'}")
    return move


def _decision(part: int, move: Move, intents: tuple[Intent, ...]) -> Decision:
    if isinstance(move, Do):
        return Decision(reason=tagged(part, len(intents), move.why)[:2000], action=move.action)
    if isinstance(move, Blocked):
        return _stuck(move.problem)
    return Decision(
        reason="Every part of the goal is done.", action=Done(summary=f"All {len(intents)} parts of the goal are done.")
    )


def _stuck(problem: str) -> Decision:
    return Decision(reason="I do not know how to go on.", action=Stuck(problem=problem[:2000]))
