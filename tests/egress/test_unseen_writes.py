"""Writes that Chromium hides from routing are stopped by the proxy, and one that was let go leaves exactly once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Route
from starlette.responses import Response

from engine.browser.egress import EgressProxy, open_egress
from engine.browser.flags import egress_flags
from engine.browser.gate import gate_sockets, route_layer
from engine.browser.launch import BrowserSettings, open_browser
from engine.browser.session import Session, SessionSettings, open_session
from engine.domain.verdict import ApprovalNeeded, Permit, Refusal
from engine.guard.guard import PolicyGuard
from engine.guard.passage import passage
from engine.guard.passes import Passes
from engine.guard.policy_file import default_policy
from engine.guard.writes import WriteGate
from tests.conftest import accept
from tests.egress.servers import certificate
from tests.pages import Pages, serve


@asynccontextmanager
async def product(pages: Pages, folder: Path, yeses: int) -> AsyncIterator[tuple[Session, EgressProxy, WriteGate]]:
    """A session as it is put together for a run, with somebody who says yes so many times."""
    left = [True] * yeses
    policy = default_policy(pages.url)
    guard, passes = PolicyGuard(policy, pages.url), Passes(policy)

    async def ask(needed: ApprovalNeeded, _step: int) -> Permit | Refusal:
        return guard.grant(needed, "a1") if left and left.pop() else Refusal(action=needed.action, rule=needed.rule, why="No.")

    gate = WriteGate(guard, ask, passes)
    prepare = partial(gate_sockets, gate=gate)
    session_settings = SessionSettings(folder, accept, prepare, ignore_https_errors=True)
    async with (
        open_egress(passage(policy), writes=passes) as proxy,
        open_browser(BrowserSettings(proxy=proxy.address, flags=egress_flags())) as browser,
        route_layer(browser.playwright, files=False) as routes,
        open_session(browser, session_settings) as session,
    ):
        with routes.shown_to(gate):
            yield session, proxy, gate


@pytest.fixture(params=["http", "https"])
async def pages(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Pages]:
    """The site, over both schemes: what the proxy sees of one it cannot see of the other."""
    async with serve(certificate(tmp_path) if request.param == "https" else None) as served:
        yield served


CODES = (
    "addEventListener('pagehide', () => navigator.sendBeacon('/transfers', 'x'))",
    "addEventListener('pagehide', () => fetch('/transfers', {method: 'POST', keepalive: true}))",
    "try { fetchLater('/transfers', {method: 'POST', activateAfter: 0}) } catch {}",
    "try { new SharedWorker('/worker.js') } catch {}",
    "setTimeout(() => { navigator.sendBeacon('/transfers', 'x'); location = '/rest' }, 50)",
)


async def leave(session: Session, pages: Pages) -> None:
    """Open a page for each code and go away from it."""
    pages["/rest"] = pages["/last"] = "rest"
    pages["/worker.js"] = Response("onconnect = () => fetch('/transfers', {method: 'POST'})", media_type="text/javascript")
    for code in CODES:
        pages["/"] = f"<script>{code}</script>"
        await session.open(pages.url + "/")
        await session.settle(0.5)
        await session.open(pages.url + "/rest")
        await session.open(pages.url + "/last")


async def test_a_write_on_the_way_out_of_a_page_stays_inside(pages: Pages, tmp_path: Path) -> None:
    """A beacon at unload, a deferred fetch, a shared worker: none reaches the server, though its origin is in the scope."""
    async with product(pages, tmp_path, yeses=0) as (session, _proxy, _gate):
        await leave(session, pages)
    assert pages.writes("/transfers") == []


@pytest.mark.slow
async def test_routes_alone_do_not_see_them(pages: Pages, tmp_path: Path) -> None:
    """The same pages behind Playwright's own routing: beacons arrive, so the tests above would see them."""

    async def reads(route: Route) -> None:
        await (route.continue_() if route.request.method == "GET" else route.abort())

    settings = SessionSettings(tmp_path, accept, lambda context: context.route("**/*", reads), ignore_https_errors=True)
    async with open_browser(BrowserSettings()) as browser, open_session(browser, settings) as session:
        await leave(session, pages)
    assert len(pages.writes("/transfers")) >= 2


async def test_a_write_that_was_let_go_leaves_once_and_its_redirect_with_it(pages: Pages, tmp_path: Path) -> None:
    """307 repeats a write: the one that was approved goes through to the end, an unload copy of it does not."""
    copies = "addEventListener('pagehide', () => { for (let n = 0; n < 3; n++) navigator.sendBeacon('/a', 'x') })"
    pages["/"] = f"<form method=post action=/a><button>x</button></form><script>{copies}</script>"
    pages["/a"] = Response(status_code=307, headers={"location": "/a/"})
    pages["/a/"] = "done"
    async with product(pages, tmp_path, yeses=1) as (session, _proxy, _gate):
        await session.open(pages.url + "/")
        await session.page.click("button")
        await session.settle()
        assert await session.page.inner_text("body") == "done"
        await session.open(pages.url + "/a/")
        assert len(pages.writes("/a/")) == 1
        assert len(pages.writes("/a")) == 1


async def test_closing_the_page_does_not_let_go_what_is_held(pages: Pages, tmp_path: Path) -> None:
    """Chromium may send a paused request when its page goes away: the proxy has no pass for it, and nobody waits."""
    pages["/"] = "<button onclick=\"fetch('/transfers', {method: 'POST', keepalive: true}).catch(() => 0)\">x</button>"
    async with product(pages, tmp_path, yeses=0) as (session, _proxy, gate):
        thinking, answer = asyncio.Event(), asyncio.Event()

        async def slow(needed: ApprovalNeeded, _step: int) -> Permit | Refusal:
            thinking.set()
            await answer.wait()
            return Refusal(action=needed.action, rule=needed.rule, why="No.")

        gate.ask = slow
        await session.open(pages.url + "/")
        await session.page.click("button")
        await thinking.wait()
        await session.page.close()
        await session.context.new_page()
        answer.set()
        async with asyncio.timeout(5):
            await gate.idle()
    assert pages.writes("/transfers") == []
