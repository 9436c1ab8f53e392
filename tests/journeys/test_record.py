"""Recording by demonstration: what a person does in the browser becomes the same trajectory, draft and proof."""

import asyncio
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

from engine.assembly import discovering, replaying
from engine.browser.hands import Hands
from engine.browser.session import Session
from engine.decide.shown import shown
from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole
from engine.discover.stages import Planner
from engine.domain.doing import Observer
from engine.domain.step import Step
from engine.settings import load

MEMBER, OTHER = "100231", "100245"


class Hand:
    """A person: real mouse and keyboard events, who waits for what they see and not for our code."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def click(self, what: Locator, modifier: str = "") -> None:
        """Point and press, whatever is there by then."""
        await what.scroll_into_view_if_needed()
        box = await what.bounding_box()
        assert box
        if modifier:
            await self.page.keyboard.down(modifier)
        await self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if modifier:
            await self.page.keyboard.up(modifier)

    async def write(self, where: Locator, text: str) -> None:
        """Into a field, key by key."""
        await self.click(where)
        await self.page.keyboard.type(text)


async def shows(page: Page, hands: Hands, read: asyncio.Event) -> None:
    """Sign in, find the member, read a balance, close the window; each step when the one before is seen to have happened."""
    hand = Hand(page)

    async def watched() -> None:
        await asyncio.wait_for(hands.ready.wait(), 30)

    await watched()
    await hand.click(page.get_by_role("button", name="Dismiss"))
    await expect(page.get_by_role("button", name="Dismiss")).to_be_hidden(timeout=20_000)
    await watched()
    await hand.write(page.get_by_label("User ID"), DEMO_USER)
    await hand.write(page.get_by_label("Password"), DEMO_PASSWORD)
    await hand.click(page.get_by_role("button", name="Sign in"))
    await page.wait_for_url(lambda url: "/login" not in url, timeout=20_000)
    await watched()
    await hand.click(page.get_by_role("link", name="Member search"))
    await page.wait_for_url("**/search*", timeout=20_000)
    await watched()
    await hand.write(page.get_by_label("Member number"), MEMBER)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("link", name=MEMBER)).to_be_visible(timeout=20_000)
    await watched()
    await hand.click(page.get_by_role("link", name=MEMBER))
    await page.wait_for_url("**/members/*", timeout=20_000)
    await watched()
    row = page.get_by_role("row").filter(has_text="Checking").first
    await hand.click(row.get_by_role("cell").filter(has_text="$").first, "Alt")
    await asyncio.wait_for(read.wait(), 30)
    await page.close()


async def test_work_that_is_shown_once_becomes_a_capability(tmp_path: Path) -> None:
    """The draft replays for another member with what the books say; the typed password stands in no file that was written."""
    settings = load({"CAPWRIGHT_HOME": str(tmp_path)}, tmp_path)
    read = asyncio.Event()
    people: list[asyncio.Task[None]] = []

    def person(session: Session, observer: Observer, *about_secrets: Any) -> tuple[Planner, Observer]:
        planner, eyes = shown(session, observer, *about_secrets)
        people.append(asyncio.ensure_future(shows(session.page, planner.hands, read)))
        return planner, eyes

    def tell(step: Step) -> None:
        if step.decision.action.action == "extract":
            read.set()

    async with TellerConsole("harbor") as console:
        order = discovering.Order(
            f"Read the checking balance of member {MEMBER}", console.url, max_steps=100, person=person, approve="deny"
        )
        result = await discovering.discover(settings, order, tell)
        await asyncio.gather(*people)
        assert result.status == "done", result
        assert result.capability
        secrets = {"password": DEMO_PASSWORD}
        again = replaying.Order(result.capability, {"memberNumber": OTHER}, secrets, allow_draft=True)
        ended = await replaying.replay(settings, again)
        assert ended.ending == "ok", ended
        checking = next(one for one in console.records.accounts(OTHER) if "checking" in one.type.casefold())
        assert ended.outputs["balance"]["amount"] == str(checking.balance)
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert DEMO_PASSWORD.encode() not in written
