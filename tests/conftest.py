"""Fixtures that more than one room needs: one Chromium a worker, a fresh session a test, pages served over real HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.browser.events import DialogAnswerer
from engine.browser.gate import RequestGate, gate_sockets, route_layer
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


@asynccontextmanager
async def gated(browser: Browser, folder: Path, answer: DialogAnswerer, gate: RequestGate) -> AsyncIterator[Session]:
    """A fresh context whose requests are shown to a gate."""
    settings = SessionSettings(folder, answer, lambda context: gate_sockets(context, gate))
    async with route_layer(browser.playwright) as routes, open_session(browser, settings) as session:
        with routes.shown_to(gate):
            yield session
