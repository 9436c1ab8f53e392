"""Every kind of JavaScript dialog at every moment: answered as the policy says, logged, and never a hang."""

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.launch import Browser
from engine.browser.session import Session, SessionSettings, open_session
from engine.domain.action import Click, Navigate
from engine.domain.capability import DialogExpected
from engine.domain.policy import DialogHandling
from engine.domain.secret import Secrets
from engine.domain.step import Outcome
from engine.domain.verdict import ApprovalNeeded, Facts
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy
from tests.pages import Pages
from tests.replay.kit import button, click, ended, made

CLICKS = {
    "chained confirms": ("document.title = confirm('a') && confirm('b') ? 'yes' : 'no'", [("confirm", "dismissed")], "no"),
    "prompt": ("document.title = prompt('a', 'b') ?? 'nothing'", [("prompt", "dismissed")], "nothing"),
    "alert": ("alert('a'); document.title = 'after'", [("alert", "accepted")], "after"),
    "alert in a frame": ("frames[0].alert('a'); document.title = 'after'", [("alert", "accepted")], "after"),
    "confirm in a frame": ("document.title = String(frames[0].confirm('a'))", [("confirm", "dismissed")], "false"),
}


class Stage:
    """A session whose dialogs the policy answers, and its actor."""

    def __init__(self, session: Session, desk: DialogDesk, pages: Pages) -> None:
        self.session, self.pages = session, pages
        self.actor = PageActor(session, desk, Secrets(), pages.url)
        self.guard = PolicyGuard(default_policy(pages.url), pages.url)

    async def click(self, approved: bool = False) -> Outcome:
        """Click the page's button, with a person's yes or without one."""
        snapshot = await self.session.look()
        ref = next(node.ref for node in snapshot.root.walk() if node.role == "button" and node.ref)
        needed = ApprovalNeeded(action=Click(ref=ref), facts=Facts(page_url=self.session.url), rule="test", why="")
        permit = self.guard.grant(needed, "yes")
        return await self.actor.act(permit if approved else permit.model_copy(update={"approval_id": None}))


@pytest.fixture
async def stage(browser: Browser, pages: Pages, tmp_path: Path) -> AsyncIterator[Stage]:
    desk = DialogDesk(DialogHandling())
    async with open_session(browser, SessionSettings(tmp_path, desk.answer)) as session:
        yield Stage(session, desk, pages)


def told(outcome: Outcome) -> list[tuple[str, str]]:
    return [(one.type, one.answer) for one in outcome.dialogs]


async def test_each_kind_is_answered_by_its_line_of_the_policy(stage: Stage) -> None:
    """In the page and in frames, one after the other; a yes to the step is a yes to its whole chain."""
    for way, (code, dialogs, title) in CLICKS.items():
        stage.pages["/"] = f'<iframe srcdoc="x"></iframe><button onclick="{code}">Go</button>'
        await stage.session.open(stage.pages.url)
        outcome = await stage.click()
        assert (told(outcome), await stage.session.page.title()) == (dialogs, title), way
        assert bool(outcome.held) is (dialogs[0][0] == "confirm"), way
    code, _, _ = CLICKS["chained confirms"]
    stage.pages["/"] = f'<button onclick="{code}">Go</button>'
    await stage.session.open(stage.pages.url)
    outcome = await stage.click(approved=True)
    assert (told(outcome), await stage.session.page.title()) == ([("confirm", "accepted")] * 2, "yes")


async def test_load_popup_and_leaving(stage: Stage) -> None:
    """An alert while a page loads, in a window that opens, and a question before a page is left: it is not left."""
    stage.pages["/"] = "<script>alert('load')</script><button onclick=\"window.open('/popup')\">Go</button>"
    stage.pages["/popup"] = "<script>alert('popup')</script><h1>New</h1>"
    stage.pages["/form"] = "<button onclick='onbeforeunload = event => event.preventDefault()'>Edit</button>"
    await stage.session.open(stage.pages.url)
    assert [one.message for one in stage.session.pending().dialogs] == ["load"]
    assert [one.message for one in (await stage.click()).dialogs] == ["load", "popup"]
    await stage.session.open(f"{stage.pages.url}/form")
    assert told(await stage.click()) == []
    permit = stage.guard.judge(Navigate(url="/popup"), Facts(page_url=stage.session.url))
    outcome = await stage.actor.act(permit)  # type: ignore[arg-type]
    assert told(outcome) == [("beforeunload", "dismissed")]
    assert stage.session.url == f"{stage.pages.url}/form" and not outcome.ok


async def test_neither_a_look_nor_a_picture_hangs_on_dialogs(stage: Stage) -> None:
    """Alerts open all the while that the page is read and photographed."""
    stage.pages["/"] = "<h1>Here</h1><script>n = 0; t = setInterval(() => ++n > 40 ? clearInterval(t) : alert(n), 5)</script>"
    await stage.session.page.goto(stage.pages.url, wait_until="commit")
    assert any(node.name == "Here" for node in (await stage.session.look()).root.walk())
    assert len(await stage.session.screenshot()) > 1000
    assert await stage.session.page.evaluate("new Promise(done => setInterval(() => n > 40 && done(true), 5))")
    assert len(stage.session.pending().dialogs) == 40


@pytest.mark.parametrize("kind", ["alert", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("confirm", "prompt"))])
async def test_a_storm_of_a_thousand_is_bounded(kind: str, stage: Stage) -> None:
    """Each is answered, fifty are kept, and the step ends within its deadlines."""
    stage.pages["/"] = f"<button onclick=\"for (n = 0; n < 1000; n++) {kind}(n); document.title = 'over'\">Go</button>"
    await stage.session.open(stage.pages.url)
    start = time.monotonic()
    outcome = await stage.click()
    assert len(outcome.dialogs) == 50 and time.monotonic() - start < 30
    await stage.session.page.wait_for_function("document.title == 'over'", timeout=60_000)


REPLAYED = {
    "on load": ("<script>alert('x')</script><button>Go</button>", "alert"),
    "second of a chain": ("<button onclick=\"confirm('known') && confirm('other')\">Go</button>", "confirm"),
    "in a frame": ("<iframe srcdoc=x></iframe><button onclick=\"frames[0].alert('x')\">Go</button>", "alert"),
    "in a popup": ("<button onclick=\"window.open('/popup')\">Go</button>", "alert"),
    "storm": ('<button onclick="for (n = 0; n < 1000; n++) alert(n)">Go</button>', "alert"),
    "on leaving": (
        "<button onclick=\"onbeforeunload = e => e.preventDefault(); location = '/popup'\">Go</button>",
        "beforeunload",
    ),
}


@pytest.mark.parametrize("way", [pytest.param(way, marks=[pytest.mark.slow] * (way == "storm")) for way in REPLAYED])
async def test_a_replay_stops_at_a_dialog_that_it_does_not_know(
    way: str, browser: Browser, pages: Pages, tmp_path: Path
) -> None:
    """Dismissed, named, and nothing more is done."""
    pages["/"], kind = REPLAYED[way]
    pages["/popup"] = "<script>alert('popup')</script>"
    known = DialogExpected(type="confirm", message="^known$", answer="accept")
    policy = default_policy(pages.url)
    accept = policy.model_copy(update={"dialog_handling": DialogHandling(confirm="accept", beforeunload="accept")})
    result = await ended(
        browser, pages.url, tmp_path, made(click(button("Go"), dialog=known), click(button("No"))), policy=accept
    )
    assert result.ending == "dialog_unexpected", result
    assert f"dismissed: {kind} dialog" in result.explanation
