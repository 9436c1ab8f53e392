import re
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from engine.web.language import LANGUAGES
from engine.web.sentences import LONGEST, Sentences
from tests.web.exploring import Explored, explored
from tests.web.recorded import Recorded
from tests.web.serving import PASSWORD
from tests.web.test_live import ask
from tests.web.visitors import Visitors

FOCUSED = """() => { const one = document.activeElement;
return (one.getAttribute('aria-label') || one.labels?.[0]?.innerText || one.innerText || one.name || '').trim() }"""


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Explored]:
    async with explored(tmp_path) as running:
        yield running


async def to(page: Page, name: str) -> None:
    """Tab on until something of that name has the focus, and stands where it can be seen."""
    for _ in range(120):
        await page.keyboard.press("Tab")
        if (await page.evaluate(FOCUSED)).startswith(name):
            await expect(page.locator(":focus")).to_be_in_viewport()
            return
    raise AssertionError(f"no way to {name} by keyboard")


async def go(page: Page, key: str = "Enter") -> None:
    """Press it, and wait for the page that comes of it."""
    async with page.expect_navigation():
        await page.keyboard.press(key)


async def enter(page: Page, home: Explored, name: str) -> None:
    """Sign in by name and password."""
    await page.goto(f"{home.served.url}/admin/login")
    await page.keyboard.type(name)
    await page.keyboard.press("Tab")
    await page.keyboard.type(PASSWORD)
    await go(page)
    await expect(page.get_by_role("heading", name="Overview")).to_be_visible()


async def test_an_exploration_is_asked_for_and_approved_by_keyboard(home: Explored, visitors: Visitors) -> None:
    """Signed in, asked, found in the inbox, approved with a comment, cancelled and signed out, without a pointer."""
    rick, mona = await visitors.open(), await visitors.open()
    await enter(rick, home, "rick")
    await to(rick, "Explorations")
    await go(rick)
    await to(rick, "Ask for an exploration")
    await go(rick)
    await to(rick, "Title")
    await rick.keyboard.type("Try harder")
    await to(rick, "Branches")
    await rick.keyboard.press("ArrowUp")
    await to(rick, "Ask for approval")
    await go(rick)
    await expect(rick.get_by_text("waits for approval")).to_be_visible()
    await enter(mona, home, "mona")
    await to(mona, "Inbox")
    await go(mona)
    await expect(mona.get_by_text("3 branches × 2 attempts")).to_be_visible()
    await to(mona, "Comment")
    await mona.keyboard.type("Go on")
    await to(mona, "Approve this exploration")
    await go(mona, "Space")
    await expect(mona.get_by_text("Nothing waits for an answer.")).to_be_visible()
    await expect(rick.get_by_text("queued")).to_be_visible()
    await to(rick, "Cancel")
    await go(rick)
    await expect(rick.get_by_text("A person cancelled it.")).to_be_visible()
    await to(rick, "Sign out")
    await go(rick)
    await rick.wait_for_url(re.compile("/admin/login"))


async def test_a_risky_step_is_answered_by_keyboard_and_the_slower_is_told(home: Explored, visitors: Visitors) -> None:
    """Two managers at the run's own page: one approves, the other, who has not heard yet, is told who did, and how."""
    run = Recorded(home.served.admin, "20260101-000000-aaaaaa")
    run.step()
    asked = ask(home.served, run.run_id)
    mona, late = [await visitors.page(home.served, name) for name in ("mona", "max")]
    await late.route("**/events*", lambda route: route.abort())
    for page in (mona, late):
        await page.goto(f"{home.served.url}/admin/runs/{run.run_id}")
        await to(page, "Comment")
        await page.keyboard.type("seen")
    await to(mona, "Approve this one step")
    await go(mona)
    await expect(mona.get_by_text("“seen”")).to_be_visible()
    await to(late, "Deny")
    await go(late)
    told = late.get_by_role("main")
    await expect(told.get_by_role("heading", name="Somebody was faster, or it has changed")).to_be_visible()
    await expect(told).to_contain_text("by mona")
    assert home.served.admin.approvals.one(asked.id).state == "approved"


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_no_text_of_a_page_makes_the_telling_long(language: str) -> None:
    """Parts of every pattern, again and again: quick, whatever a page says."""
    told = Sentences(language)
    pieces = [piece for pattern in told._patterns for piece in pattern.pieces if piece.strip()]
    for number in range(0, len(pieces) - 3, 7):
        text = ("x".join(pieces[number : number + 3]) * LONGEST)[:LONGEST]
        began = time.process_time()
        told.told(text)
        assert time.process_time() - began < 1, text[:80]
