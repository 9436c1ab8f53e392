"""Small briefs for tests of planners: one page with a field, a button and a heading."""

from datetime import UTC, datetime

from engine.domain.action import CORE, Action, Click, Decision
from engine.domain.brief import Brief
from engine.domain.observation import Node, Observation
from engine.domain.run import Goal
from engine.domain.step import Outcome, Step
from engine.domain.verdict import Facts, Permit, Refusal

ROOT = Node(
    role="document",
    children=(
        Node(role="heading", name="Orders", ref="e1"),
        Node(role="textbox", name="Order number", ref="e2"),
        Node(role="button", name="Find", ref="e3"),
    ),
)
TEXT = '- heading "Orders" [ref=e1]\n- textbox "Order number" [ref=e2]\n- button "Find" [ref=e3]'

CLICK = {"reason": "It finds the order.", "action": {"action": "click", "ref": "e3"}}
DECISION = Decision(reason="It finds the order.", action=Click(ref="e3"))


def observation(**changes: object) -> Observation:
    """What is seen of the page."""
    seen = Observation(url="http://shop.test/orders", title="Orders - Shop", root=ROOT, text=TEXT, fingerprint="f1")
    return seen.model_copy(update=changes)


def brief(*steps: Step, allowed: tuple[str, ...] = tuple(sorted(CORE)), **changes: object) -> Brief:
    """A brief about that page; `changes` are to its goal, observation and files."""
    goal = Goal(text="Find order 77", target="http://shop.test", inputs={"order": "77"}, secrets=("shopPassword",))
    whole = Brief(goal=goal, observation=observation(), history=tuple(steps), allowed=allowed)
    return whole.model_copy(update=changes)


def step(number: int, action: Action, outcome: Outcome | None = None, refused: str = "") -> Step:
    """One step of a history."""
    permit = Permit(action=action, facts=Facts(page_url="http://shop.test/orders"), rule="core")
    return Step(
        number=number,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        url="http://shop.test/orders",
        title="Orders",
        fingerprint="f0",
        snapshot="snapshots/1.yaml",
        decision=Decision(reason="because", action=action),
        verdict=Refusal(action=action, rule="line 1", why=refused) if refused else permit,
        outcome=outcome or Outcome(ok=True),
    )
