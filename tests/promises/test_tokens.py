"""Promise: a risky step runs once, with a yes that was given for exactly that step on exactly that page, or not at all."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from engine.access.approvals import AskingApprover, Desk, RunOf
from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.launch import Browser
from engine.browser.session import Session
from engine.domain.action import Click
from engine.domain.observation import Observation
from engine.domain.secret import Secrets
from engine.domain.verdict import ApprovalNeeded, Permit, Refusal
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy
from engine.guard.writes import WriteGate
from engine.store.approvals import ApprovalStore
from engine.store.database import Database
from tests.conftest import gated
from tests.pages import Pages

FORM = (
    "<form method=post action=/transfers><label>Amount <input name=amount value=50></label><p id=to>To Ann</p>"
    "<button id=go>Transfer</button></form>"
)
SWAPS = {
    "label": "go.textContent = 'Show'",
    "amount": "document.querySelector('[name=amount]').value = '5000'",
    "hidden amount": "document.forms[0].insertAdjacentHTML('beforeend', '<input type=hidden name=amount value=5000>')",
    "target": "document.forms[0].action = '/close'",
    "button's own target": "go.setAttribute('formaction', '/close')",
    "method": "document.forms[0].method = 'get'",
    "words": "to.textContent = 'To Mallory'",
    "address": "history.pushState({}, '', '/elsewhere')",
}


class Stage:
    """A session on the form, its actor and its approver; `meanwhile` happens while the person thinks."""

    def __init__(self, session: Session, guard: PolicyGuard, store: ApprovalStore, gate: WriteGate) -> None:
        self.session, self.guard, self.store = session, guard, store
        self.actor = PageActor(session, DialogDesk(guard.policy.dialog_handling), Secrets(), session.url, writes=gate)
        self.meanwhile: Callable[[], Awaitable[object]] | None = None
        self.desk = Desk(guard, store, RunOf("r1", guard.policy.digest, "run"))
        self.approver = AskingApprover(self.desk, self.prompt)

    async def prompt(self, _needed: ApprovalNeeded, _step: int) -> str | None:
        if self.meanwhile:
            await self.meanwhile()
        return "ann"

    async def transfer(self) -> tuple[Permit, str | None, Observation, Click]:
        """Judge, ask, and try to use the yes up against the page as it is then."""
        snapshot = await self.session.look()
        button = next(node for node in snapshot.root.walk() if node.role == "button")
        seen = Observation(url=snapshot.url, title="", root=snapshot.root, text="", fingerprint="")
        action = Click(ref=button.ref or "")
        needed = self.guard.judge(action, await self.actor.facts(action, seen))
        assert isinstance(needed, ApprovalNeeded)
        permit = await self.approver.ask(needed, 1)
        assert isinstance(permit, Permit)
        return permit, self.approver.redeem(permit, await self.actor.facts(action, seen), 1), seen, action


@pytest.fixture
async def stage(browser: Browser, pages: Pages, tmp_path: Path) -> AsyncIterator[Stage]:
    pages["/"] = FORM
    pages["/transfers"] = "done"
    database = Database.open(tmp_path / "state.sqlite")
    guard = PolicyGuard(default_policy(pages.url), pages.url)

    async def nobody(needed: ApprovalNeeded, _step: int) -> Permit | Refusal:
        return Refusal(action=needed.action, rule=needed.rule, why="No.")

    gate = WriteGate(guard, nobody)
    desk = DialogDesk(guard.policy.dialog_handling)
    async with gated(browser, tmp_path, desk.answer, gate) as session:
        await session.open(pages.url + "/")
        yield Stage(session, guard, ApprovalStore(database), gate)
    database.close()


async def test_an_unchanged_page_gets_its_one_transfer(stage: Stage, pages: Pages) -> None:
    """Approved, used up, sent once; the second try has no yes left and nothing leaves."""
    permit, void, _seen, _action = await stage.transfer()
    assert void is None
    assert (await stage.actor.act(permit, 1)).ok
    assert [hit.body for hit in pages.writes("/transfers")] == ["amount=50"]
    assert stage.approver.redeem(permit, permit.facts, 1) is not None
    assert stage.store.of_run("r1")[0].state == "consumed"


@pytest.mark.parametrize("swap", SWAPS)
async def test_what_the_page_swaps_while_a_person_thinks_voids_the_yes(swap: str, stage: Stage, pages: Pages) -> None:
    """Label, amount, recipient, target, method, address: the yes was for what was shown."""
    stage.meanwhile = lambda: stage.session.page.evaluate(SWAPS[swap])
    _permit, void, _seen, _action = await stage.transfer()
    assert void is not None
    assert "no longer what was approved" in void
    assert stage.store.of_run("r1")[0].state == "void"
    assert [hit for hit in pages.hits if hit.method != "GET"] == []
