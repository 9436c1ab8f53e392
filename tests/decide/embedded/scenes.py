"""Briefs made of a few lines of snapshot text, and a tiny world that plays decisions on without a browser."""

from collections.abc import Callable
from datetime import UTC, datetime

from engine.browser.snapshot_text import parse
from engine.decide.embedded.planner import decide
from engine.domain.action import Action, Decision
from engine.domain.brief import Brief
from engine.domain.observation import Observation
from engine.domain.policy import Policy, Scope
from engine.domain.run import Goal
from engine.domain.step import Outcome, Step
from engine.domain.verdict import Facts, Permit

SITE = "http://site"
ALLOWED = (*Policy(scope=Scope(navigate=(SITE,))).actions.allow, "widen", "done", "stuck")


def observed(page: str, url: str = f"{SITE}/", title: str = "") -> Observation:
    """An observation of a page that is given as snapshot text."""
    lines = page.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    text = "\n".join(line[indent:] for line in lines)
    return Observation(url=url, title=title, root=parse(text).root, text=text, fingerprint=f"{url} {text}")


def step(number: int, seen: Observation, decision: Decision, outcome: Outcome) -> Step:
    """A permitted step."""
    return Step(
        number=number,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        url=seen.url,
        title=seen.title,
        fingerprint=seen.fingerprint,
        snapshot="",
        decision=decision,
        verdict=Permit(action=decision.action, facts=Facts(page_url=seen.url), rule="test"),
        outcome=outcome,
    )


World = Callable[[Action, int], tuple[str, Outcome]]
"""Action and step number → the page after it and what came of it."""


def same(page: str) -> World:
    """A world in which every action goes well and the page stays as it is."""
    return lambda _action, _number: (page, Outcome(ok=True))


def played(goal: str, page: str, world: World | None = None, **parts: object) -> list[Decision]:
    """All decisions until done or stuck, at most 30."""
    world = world or same(page)
    made = Goal(text=goal, target=SITE, **parts)  # type: ignore[arg-type]
    history: list[Step] = []
    decisions: list[Decision] = []
    for number in range(1, 31):
        seen = observed(page)
        decisions.append(decide(Brief(goal=made, observation=seen, history=tuple(history), allowed=ALLOWED)))
        action = decisions[-1].action
        if action.action in ("done", "stuck"):
            break
        page, outcome = world(action, number)
        history.append(step(number, seen, decisions[-1], outcome))
    return decisions


def first(goal: str, page: str, **parts: object) -> Action:
    """The first action."""
    return played(goal, page, **parts)[0].action
