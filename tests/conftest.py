"""Fixtures that more than one room needs: one Chromium a worker, a fresh session a test, pages served over real HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.browser.launch import Browser, BrowserSettings, open_browser
from engine.browser.session import Session, SessionSettings, open_session
from tests.pages import Pages, serve


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """One Chromium for all tests of a worker; every test gets its own context in it."""
    async with open_browser(BrowserSettings()) as running:
        yield running


@pytest.fixture
async def pages() -> AsyncIterator[Pages]:
    """A real HTTP server: `pages["/x"] = html`, then `pages.url + "/x"`; `pages.hits` are the requests it got."""
    async with serve() as served:
        yield served


async def accept(_kind: str, _message: str, _url: str) -> bool:
    """Answers every dialog with yes."""
    return True


@pytest.fixture
async def session(browser: Browser, tmp_path: Path) -> AsyncIterator[Session]:
    """A fresh context whose dialogs are all accepted."""
    async with open_session(browser, SessionSettings(tmp_path / "downloads", accept)) as opened:
        yield opened
