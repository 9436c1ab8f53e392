import re
from pathlib import Path

import httpx
import pytest

import engine
from engine.browser.launch import Browser
from engine.discover.stops import Stop
from tests.decide.embedded.driving import Driven
from tests.miniwob.__main__ import TASKS, table
from tests.miniwob.episode import Episode, judge, play
from tests.miniwob.site import serve_tasks


async def test_pages_are_served_as_utf8() -> None:
    """The pages do not say so themselves."""
    async with serve_tasks() as address, httpx.AsyncClient() as client:
        answer = await client.get(f"{address}/miniwob/click-test.html")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("task", ["choose-list", "read-table", "enter-date", "click-collapsible"])
async def test_plays_an_episode_through_the_real_loop(browser: Browser, tmp_path: Path, task: str) -> None:
    """The task itself says that it was done right."""
    async with serve_tasks() as address:
        episode = await play(browser, address, task, 120, tmp_path)
    assert episode.verdict == "success", episode.driven.story


async def test_same_seed_same_goal(browser: Browser, tmp_path: Path) -> None:
    """An episode can be played again; another seed is another one."""
    async with serve_tasks() as address:
        goals = [(await play(browser, address, "enter-text", seed, tmp_path)).goal for seed in (121, 121, 122)]
    assert goals[0] == goals[1] != goals[2]


@pytest.mark.parametrize(
    ("done", "reward", "reason", "verdict"),
    [
        (True, 1.0, "done", "success"),
        (True, -1.0, "done", "wrong"),
        (True, 0.0, "stuck", "wrong"),
        (False, 0.0, "stuck", "stuck"),
        (False, 0.0, "done", "wrong"),
    ],
)
def test_only_the_task_itself_says_success(done: bool, reward: float, reason: str, verdict: str) -> None:
    """Saying done before the task does is wrong, too."""
    driven = Driven(Stop(reason, ""), [], [])  # type: ignore[arg-type]
    assert judge(done, reward, driven) == verdict
    assert "1 tasks" not in table([Episode("t", 0, "", judge(done, reward, driven), driven)]) or verdict == "success"


def test_the_engine_knows_no_task_by_name() -> None:
    """The goals are read as sentences."""
    named = re.compile("|".join(map(re.escape, TASKS)) + "|miniwob|WOB_", re.IGNORECASE)
    package = Path(engine.__file__).parent
    assert [path.name for path in package.rglob("*.py") if named.search(path.read_text())] == []
