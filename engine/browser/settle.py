"""Settling by observed quiet: DOM still, nothing in flight, no finite animation running; always within a bound."""

import asyncio
import time
from importlib.resources import files

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Page, Request

from engine.browser.deadline import is_gone, within

QUIET_MS = 80
STREAMS = frozenset({"websocket", "eventsource", "ping", "media"})
SCRIPT = files("engine.browser").joinpath("settle.js").read_text()


class Traffic:
    """Requests in flight of one context; streams do not count, since they never end."""

    def __init__(self) -> None:
        self._open: set[Request] = set()
        self._changed = asyncio.Event()

    def started(self, request: Request) -> None:
        """A request left the page."""
        if request.resource_type not in STREAMS:
            self._open.add(request)

    def ended(self, request: Request) -> None:
        """A request finished or failed."""
        self._open.discard(request)
        self._changed.set()

    def busy(self, page: Page) -> bool:
        """Whether this page or a frame of it waits for a response."""
        return any(self._of(request) is page for request in self._open)

    async def quiet(self, page: Page, seconds: float) -> bool:
        """Wait until `page` and its frames have nothing in flight; False when `seconds` ran out first."""
        deadline = time.monotonic() + seconds
        while self.busy(page):
            self._changed.clear()
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return False
            try:
                await asyncio.wait_for(self._changed.wait(), remaining)
            except TimeoutError:
                return False
        return True

    def _of(self, request: Request) -> Page | None:
        try:
            return request.frame.page
        except PlaywrightError:
            return None  # a navigation whose frame is not there yet, or a worker: not a reason to wait


async def settle(page: Page, traffic: Traffic, bound: float) -> bool:
    """True when the page came to rest within `bound` seconds. Never raises for a page that only keeps moving."""
    deadline = time.monotonic() + bound
    while (remaining := deadline - time.monotonic()) > 0:
        try:
            still = await within(remaining + 2, page.evaluate(SCRIPT, [QUIET_MS, remaining * 1000]), "waiting for a quiet page")
        except PlaywrightError as error:
            if page.is_closed() or is_gone(error):
                return False
            continue  # the document was replaced while we looked: look at the new one
        if not still:
            return False
        if not traffic.busy(page):
            return True
        if not await traffic.quiet(page, deadline - time.monotonic()):
            return False
    return False
