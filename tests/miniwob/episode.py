"""One seeded episode: the harness starts it and judges it; only in between does the product act."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.async_api import Page

from engine.act.dialogs import DialogDesk
from engine.browser.launch import Browser
from engine.browser.session import Session, SessionSettings, open_session
from engine.domain.run import Goal
from tests.decide.embedded.driving import Driven, drive, policy_for

Verdict = Literal["success", "wrong", "stuck"]

START = """seed => {
    Math.seedrandom(seed);
    core.EPISODE_MAX_TIME = 3600000;
    core.startEpisodeReal();
    core.hideDisplay();
}"""
UTTERANCE = "() => { const said = core.getUtterance(); return typeof said === 'string' ? said : said.utterance; }"
JUDGED = "() => [WOB_DONE_GLOBAL, WOB_RAW_REWARD_GLOBAL]"


@dataclass(frozen=True)
class Episode:
    """What came of one task with one seed. `wrong`: the task judged against it, or done was said too early."""

    task: str
    seed: int
    goal: str
    verdict: Verdict
    driven: Driven


async def play(browser: Browser, address: str, task: str, seed: int, downloads: Path) -> Episode:
    """Open the task, start the seeded episode, let the product work, and read the judge."""
    desk = DialogDesk(policy_for(address).dialog_handling)
    async with open_session(browser, SessionSettings(downloads, desk.answer)) as session:
        await session.open(f"{address}/miniwob/{task}.html")
        goal = await start(session.page, seed)
        driven = await drive(session, desk, Goal(text=goal, target=address))
        done, reward = await session.page.evaluate(JUDGED)
        return Episode(task, seed, goal, judge(done, reward, driven), driven)


async def start(page: Page, seed: int) -> str:
    """Begin the episode that this seed makes; the goal as the task words it."""
    await page.wait_for_function("() => core.cover_div")
    await page.evaluate(START, seed)
    await page.wait_for_function("() => WOB_TASK_READY")
    goal: str = await page.evaluate(UTTERANCE)
    return goal


def judge(done: bool, reward: float, driven: Driven) -> Verdict:
    """Success is the task's own word; stuck is an end before it said anything."""
    if done:
        return "success" if reward > 0 else "wrong"
    return "wrong" if driven.stop.reason == "done" else "stuck"


__all__ = ["Episode", "Session", "play"]
