from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import httpx
import pytest
from playwright.async_api import Page

from engine.browser.launch import Browser
from engine.demo import DEMO_PASSWORD, DEMO_USER, TENANTS, TellerConsole
from tests.demo.opening import Clock, OpenClient, OpenConsole


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as opened:
        yield opened


@pytest.fixture
def open_console(stack: AsyncExitStack) -> OpenConsole:
    async def opener(tenant: str = "harbor", **wishes: object) -> TellerConsole:
        return await stack.enter_async_context(TellerConsole(tenant, **wishes))  # type: ignore[arg-type]

    return opener


@pytest.fixture
def visitor(stack: AsyncExitStack) -> OpenClient:
    """A client that nobody signed in."""

    async def opener(console: TellerConsole) -> httpx.AsyncClient:
        return await stack.enter_async_context(httpx.AsyncClient(base_url=console.url, follow_redirects=True, trust_env=False))

    return opener


@pytest.fixture
def teller(visitor: OpenClient) -> OpenClient:
    """A client that is signed in."""

    async def opener(console: TellerConsole) -> httpx.AsyncClient:
        client = await visitor(console)
        await client.post("/login", data={"user": DEMO_USER, "password": DEMO_PASSWORD})
        return client

    return opener


@pytest.fixture(params=sorted(TENANTS))
async def console(request: pytest.FixtureRequest, open_console: OpenConsole) -> TellerConsole:
    """The console of every tenant in turn."""
    return await open_console(request.param)


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    """A page that nobody used before, with nothing of ours between it and the console."""
    context = await browser.playwright.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(15_000)
    yield await context.new_page()
    await context.close()
