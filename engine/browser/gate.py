"""The route layer: every request of a context's pages is shown to a gate before it is sent, and held until it answers.

It knows frames, methods and paths, which the egress proxy below it cannot see inside TLS; it is no boundary by itself.
"""

import asyncio
import json
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import parse_qsl

from playwright.async_api import Browser, BrowserContext, Request, Route, WebSocketRoute
from playwright.async_api import Error as PlaywrightError

from engine.browser.egress import WritePasses
from engine.domain.request import RequestFacts
from engine.domain.url import Url, classify

MOST_FIELDS = 20
MOST_CHARACTERS = 80
READ = frozenset({"GET", "HEAD"})


class RequestGate(Protocol):
    """Decides about requests; may take its time, for example to ask a person."""

    async def admit(self, request: RequestFacts) -> bool:
        """Whether the request may be sent."""
        ...


async def install_gate(context: BrowserContext, gate: RequestGate) -> None:
    """Show every request and WebSocket of the context to the gate; a request that is not admitted leaves the page as it is."""

    async def route(route: Route) -> None:
        try:
            await _settle(route, await gate.admit(facts_of(route.request)))
        except PlaywrightError:
            return  # the page went away while a person thought about it: there is nothing left to send

    async def socket(socket: WebSocketRoute) -> None:
        # A socket is opened for good: what is said on it later is not held, so it must be in the scope like a page's own files.
        if await gate.admit(RequestFacts(method="GET", url=socket.url, kind="websocket")):
            socket.connect_to_server()
        else:
            await socket.close(code=1008, reason="outside the policy")

    await asyncio.gather(context.route("**/*", route), context.route_web_socket("**/*", socket))


async def hold_unseen(browser: Browser, writes: WritePasses) -> None:
    """Hold back what a browser sends over TLS and no route saw: a beacon on the way out of a page, a request of a closed one.

    Chromium shows the browser's own session what no page's session hears any more. Over plain HTTP the proxy does the same.
    """
    session = await browser.new_browser_cdp_session()
    let_go: dict[str, Url] = {}

    async def answer(event: dict[str, Any]) -> None:
        method, url = event["request"]["method"].upper(), classify(event["request"]["url"])
        before = let_go.pop(event.get("redirectedRequestId", ""), None)
        if isinstance(url, Url) and before:
            writes.follow(method, before, str(url))
        preflight = method == "OPTIONS" and "Access-Control-Request-Method" in event["request"]["headers"]
        passes = method in READ or preflight or (isinstance(url, Url) and writes.take(method, url))
        if passes and isinstance(url, Url) and method not in READ:
            let_go[event["requestId"]] = url
        do, how = ("continueRequest", {}) if passes else ("failRequest", {"errorReason": "BlockedByClient"})
        with suppress(PlaywrightError):  # it was given up meanwhile
            await session.send(f"Fetch.{do}", {"requestId": event["requestId"], **how})

    session.on("Fetch.requestPaused", answer)
    await session.send("Fetch.enable", {"patterns": [{"urlPattern": "https://*"}]})


def facts_of(request: Request) -> RequestFacts:
    """What a policy can speak of; a request of a worker or of a page that is not there yet has no frame."""
    navigation = request.is_navigation_request()
    try:
        frame = None if request.service_worker else request.frame
    except PlaywrightError:
        frame = None
    return RequestFacts(
        method=request.method,
        url=request.url,
        kind=request.resource_type,
        frame_url=frame.url if frame else "",
        navigation=navigation,
        top=navigation and (frame is None or frame.parent_frame is None),
        fields=() if request.method in READ else fields_of(request.post_data_buffer),
    )


def fields_of(body: bytes | None) -> tuple[tuple[str, str], ...]:
    """The first named fields of a form or JSON body, shortened; nothing of any other body."""
    if not body or len(body) > 64 * 1024:
        return ()
    try:
        text = body.decode()
    except UnicodeDecodeError:
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


async def _settle(route: Route, admitted: bool) -> None:
    if admitted:
        await route.continue_()
    elif route.request.is_navigation_request():
        await route.fulfill(status=204)  # "no content" keeps the page that is there; an abort would replace it by an error page
    else:
        await route.abort("blockedbyclient")
