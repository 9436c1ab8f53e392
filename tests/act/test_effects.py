"""The effects ledger as a step writes it: the intent before the write leaves, what became of it after."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from starlette.responses import Response

from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.launch import Browser
from engine.browser.session import Session
from engine.domain.action import Click
from engine.domain.policy import DialogHandling, Policy, Scope
from engine.domain.secret import Secrets
from engine.domain.step import Outcome, StepEffect
from engine.domain.verdict import Facts, Permit
from engine.errors import StoreError
from engine.guard.guard import PolicyGuard
from engine.guard.writes import WriteGate
from tests.conftest import gated
from tests.egress.layers import nobody
from tests.pages import Pages


@dataclass
class Book:
    """A ledger in memory: what it holds, and how many writes the server had when it was written."""

    pages: Pages
    full: bool = False
    lines: list[tuple[str, int]] = field(default_factory=list)

    def intend(self, _step: int, effect: StepEffect) -> None:
        if self.full:
            raise StoreError("disk full")
        self.lines.append((effect, len(self.pages.writes("/do"))))

    def end(self, state: Literal["done", "failed", "in_doubt"]) -> None:
        self.lines.append((state, len(self.pages.writes("/do"))))


@dataclass
class Stage:
    """A session under a policy that permits every write, so that nobody is asked."""

    session: Session
    actor: PageActor
    guard: PolicyGuard
    pages: Pages
    book: Book

    async def click(self, code: str) -> Outcome:
        self.pages["/"] = f'<button onclick="{code}">Go</button>'
        await self.session.open(self.pages.url)
        snapshot = await self.session.look()
        ref = next(node.ref for node in snapshot.root.walk() if node.role == "button" and node.ref)
        permit = self.guard.judge(Click(ref=ref), Facts(page_url=self.session.url))
        assert isinstance(permit, Permit)
        self.book.lines.clear()
        return await self.actor.act(permit, 1)


@pytest.fixture
async def stage(browser: Browser, pages: Pages, tmp_path: Path) -> AsyncIterator[Stage]:
    guard, book, desk = (
        PolicyGuard(Policy(scope=Scope(navigate=(pages.url,))), pages.url),
        Book(pages),
        DialogDesk(DialogHandling()),
    )
    gate = WriteGate(guard, nobody, effects=book)
    async with gated(browser, tmp_path, desk.answer, gate) as session:
        yield Stage(session, PageActor(session, desk, Secrets(), pages.url, writes=gate), guard, pages, book)


SENDS = {
    "fetch": "fetch('/do', {method: 'POST'})",
    "beacon": "navigator.sendBeacon('/do', 'x')",
    "form": "document.body.innerHTML = '<form method=post action=/do></form>'; document.forms[0].submit()",
}


async def test_the_intent_is_written_before_and_the_end_after(stage: Stage) -> None:
    """Whatever sends it; a step that sends nothing is in no ledger."""
    stage.pages["/do"] = "done"
    for way, code in SENDS.items():
        stage.pages.hits.clear()
        outcome = await stage.click(code)
        assert outcome.ok and not outcome.in_doubt, (way, outcome)
        assert stage.book.lines == [("commit", 0), ("done", 1)], way
    assert (await stage.click("document.title = 'x'")).ok and stage.book.lines == []


async def test_no_write_leaves_without_its_intent(stage: Stage) -> None:
    """The ledger cannot be written: the request stays inside, and the step says so."""
    stage.book.full = True
    outcome = await stage.click(SENDS["fetch"])
    assert not outcome.ok and "disk full" in outcome.problem
    assert stage.pages.writes("/do") == []


async def test_a_gateway_that_lost_the_answer_leaves_it_in_doubt(stage: Stage) -> None:
    """Nobody knows whether the application got it: in doubt, and a person must look."""
    stage.pages["/do"] = Response("bad gateway", status_code=502)
    outcome = await stage.click(SENDS["fetch"])
    assert outcome.in_doubt and "a person must look" in outcome.problem
    assert stage.book.lines[-1] == ("in_doubt", 1)


async def test_a_page_that_asks_after_it_has_sent_is_not_made_to_send_again(stage: Stage) -> None:
    """A dialog that needs a person is dismissed and the step done once more only when nothing has left."""
    stage.pages["/do"] = "done"
    outcome = await stage.click("fetch('/do', {method: 'POST'}).then(() => confirm('Once more?'))")
    assert not outcome.held and "had sent a request" in outcome.problem
    assert (await stage.click("confirm('First?') && fetch('/do', {method: 'POST'})")).held == "confirm dialog: First?"
