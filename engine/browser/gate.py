"""The route layer: every request that may have an effect is shown to a gate before it is sent, and held until it answers.

It knows frames, methods and paths, which the egress proxy below it cannot see inside TLS; it is no boundary by itself. It
listens to the browser and not to pages: redirects, workers and a page that is just going away are seen as well.
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Protocol
from urllib.parse import parse_qsl

from playwright.async_api import Browser, BrowserContext, CDPSession, WebSocketRoute
from playwright.async_api import Error as PlaywrightError

from engine.browser.deadline import within
from engine.browser.tape import Tape
from engine.domain.policy import READS
from engine.domain.request import RequestFacts
from engine.domain.url import Url, classify
from engine.errors import BrowserGone, DeadlineExceeded

MOST_FIELDS = 20
MOST_CHARACTERS = 80
DETACH_SECONDS = 1.0
ACTIVE = ("Document", "XHR", "Fetch", "Ping", "EventSource", "CSPViolationReport", "Other")
"""What a page does, by Chromium's names. What it is made of (styles, scripts, pictures, fonts) is always read."""


class RequestGate(Protocol):
    """Decides about requests; may take its time, for example to ask a person."""

    async def admit(self, request: RequestFacts) -> bool:
        """Whether the request may be sent."""
        ...


class RouteLayer:
    """The route layer of one browser, for one session at a time; use `route_layer`. Without a session nothing is sent."""

    def __init__(self, session: CDPSession, tape: Tape | None = None) -> None:
        self._session = session
        self._tape = tape
        self._gate: RequestGate | None = None
        self._windows: dict[str, str] = {}
        self._let_go: dict[str, Url] = {}

    @contextmanager
    def shown_to(self, gate: RequestGate) -> Iterator[None]:
        """Ask this gate. Raises RuntimeError while another is asked: whose request it is could not be told."""
        if self._gate is not None:
            raise RuntimeError("A browser serves one session at a time; open another browser.")
        self._gate = gate
        try:
            yield
        finally:
            self._gate = None
            self._let_go.clear()

    async def listen(self, files: bool) -> None:
        """Hold requests from now on; those for `files` too, when the policy says more of them than their origin."""
        self._session.on("Target.targetCreated", self._window)
        self._session.on("Target.targetInfoChanged", self._window)
        self._session.on("Target.targetDestroyed", self._closed)
        self._session.on("Fetch.requestPaused", self._paused)
        await self._session.send("Target.setDiscoverTargets", {"discover": True})
        kinds = [{}] if files else [{"resourceType": kind} for kind in ACTIVE]
        await self._session.send("Fetch.enable", {"patterns": [{"urlPattern": "http*", **kind} for kind in kinds]})

    def _window(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        if target["type"] == "page":
            self._windows[target["targetId"]] = target["url"]

    def _closed(self, event: dict[str, Any]) -> None:
        self._windows.pop(event["targetId"], None)

    async def _paused(self, event: dict[str, Any]) -> None:
        if self._tape and ("responseStatusCode" in event or "responseErrorReason" in event):
            with suppress(PlaywrightError):  # the page went away
                await self._tape.hear(self._session, event)
            return
        request = self._facts(event)
        admitted = self._gate is not None and (is_preflight(event) or await self._gate.admit(request))
        if admitted and request.method not in READS and isinstance(url := classify(request.url), Url):
            self._let_go[event["requestId"]] = url
        with suppress(PlaywrightError):  # the page went away while a person thought about it: there is nothing left to send
            await self._settle(event, admitted)

    async def _settle(self, event: dict[str, Any], admitted: bool) -> None:
        held = {"requestId": event["requestId"]}
        if admitted and self._tape:
            await self._tape.pass_on(self._session, event)
        elif admitted:
            await self._session.send("Fetch.continueRequest", held)
        elif event["resourceType"] == "Document":
            # "No content" keeps the page that is there; a failure would replace it by an error page.
            await self._session.send("Fetch.fulfillRequest", {**held, "responseCode": 204})
        else:
            await self._session.send("Fetch.failRequest", {**held, "errorReason": "BlockedByClient"})

    def _facts(self, event: dict[str, Any]) -> RequestFacts:
        asked, frame = event["request"], event.get("frameId", "")
        before, url = self._let_go.pop(event.get("redirectedRequestId", ""), None), classify(asked["url"])
        method = asked["method"].upper()
        return RequestFacts(
            method=method,
            url=asked["url"],
            page_url=self._windows.get(frame, ""),
            top=event["resourceType"] == "Document" and frame in self._windows,
            repeated=before is not None and isinstance(url, Url) and before.origin == url.origin,
            fields=() if method in READS else fields_of(asked.get("postData")),
        )


@asynccontextmanager
async def route_layer(browser: Browser, *, files: bool = True, tape: Tape | None = None) -> AsyncIterator[RouteLayer]:
    """The route layer of a browser, until it is left; with a tape it sees files, too."""
    session = await browser.new_browser_cdp_session()
    layer = RouteLayer(session, tape)
    await layer.listen(files or tape is not None)
    try:
        yield layer
    finally:
        with suppress(PlaywrightError, BrowserGone, DeadlineExceeded):  # it is gone, or stands still
            await within(DETACH_SECONDS, session.detach(), "letting a browser's requests go")


async def gate_sockets(context: BrowserContext, gate: RequestGate) -> None:
    """Show every WebSocket of a context to the gate before it is opened.

    What is said on it later is not held, so it must be in the scope like a page's own files.
    """

    async def socket(socket: WebSocketRoute) -> None:
        if await gate.admit(RequestFacts(method="GET", url=socket.url)):
            socket.connect_to_server()
        else:
            await socket.close(code=1008, reason="outside the policy")

    await context.route_web_socket("**/*", socket)


def is_preflight(event: dict[str, Any]) -> bool:
    """A browser's own question before a cross-origin request; no page can make one up, and no server acts on one."""
    request = event["request"]
    return request["method"].upper() == "OPTIONS" and "Access-Control-Request-Method" in request["headers"]


def fields_of(text: str | None) -> tuple[tuple[str, str], ...]:
    """The first named fields of a form or JSON body, shortened; nothing of any other body."""
    if not text or len(text) > 64 * 1024:
        return ()
    form = parse_qsl(text, keep_blank_values=True) if "=" in text and text.count("&") < 1000 else []
    pairs = _json(text) if text.lstrip().startswith("{") else form
    return tuple((name[:MOST_CHARACTERS], value[:MOST_CHARACTERS]) for name, value in pairs[:MOST_FIELDS])


def _json(text: str) -> list[tuple[str, str]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [(str(name), value if isinstance(value, str) else json.dumps(value)) for name, value in found.items()]
