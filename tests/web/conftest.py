import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from engine.browser.launch import BrowserSettings, open_browser
from tests.web.sample import discovered
from tests.web.serving import Served, serve
from tests.web.visitors import Visitors


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """An empty home."""
    async with serve(tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """One Chromium for people; the browsers of runs are others."""
    async with open_browser(BrowserSettings()) as found:
        executable = found.candidate.executable
    async with async_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
        running = await playwright.chromium.launch(executable_path=executable, args=flags)
        yield running
        await running.close()


@pytest.fixture
async def visitors(chromium: Browser) -> AsyncIterator[Visitors]:
    """People with browsers of their own; at the end no page has complained of anything, CSP included."""
    people = Visitors(chromium)
    yield people
    await people.leave()
    assert not people.complaints


@pytest.fixture(scope="session")
async def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A home with two real runs, the capability that reads and the one that has an effect; not to be written to."""
    home = tmp_path_factory.mktemp("sample")
    reading, moving = await discovered(home)
    return home, reading, moving


@pytest.fixture
async def stocked(sample: tuple[Path, str, str], tmp_path: Path) -> AsyncIterator[tuple[Served, str, str]]:
    """A copy of it, served."""
    home, reading, moving = sample
    shutil.copytree(home, tmp_path / "home")
    async with serve(tmp_path / "home") as running:
        yield running, reading, moving
