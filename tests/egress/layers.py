"""The control layers that the matrix compares: each opens a browser whose contexts are held by that layer alone."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType

from playwright.async_api import BrowserContext, Page, Route, WebSocketRoute

from engine.browser.egress import EgressProxy, open_egress
from engine.browser.flags import egress_flags
from engine.browser.gate import gate_sockets, route_layer
from engine.browser.launch import Browser, BrowserSettings, open_browser
from engine.domain.policy import Policy, Scope
from engine.domain.verdict import ApprovalNeeded, Permit, Refusal
from engine.guard.guard import PolicyGuard
from engine.guard.passage import passage
from engine.guard.writes import WriteGate

CERTIFICATES = ("--ignore-certificate-errors",)


@dataclass(frozen=True)
class Layer:
    """What stands between the page and the network."""

    proxy: bool = False
    context_route: bool = False
    page_route: bool = False
    gate: bool = False


LAYERS = MappingProxyType(
    {
        "nothing": Layer(),
        "page.route": Layer(page_route=True),
        "context.route": Layer(context_route=True),
        "proxy": Layer(proxy=True),
        "product": Layer(proxy=True, gate=True),
    }
)


@dataclass(frozen=True)
class Opened:
    """A browser under a layer."""

    browser: Browser
    new_context: Callable[[], Awaitable[BrowserContext]]
    new_page: Callable[[BrowserContext], Awaitable[Page]]
    proxy: EgressProxy | None


@asynccontextmanager
async def open_layer(layer: Layer, home: str) -> AsyncIterator[Opened]:
    """A browser that may reach `home` and, as far as the layer goes, nothing else."""
    policy = Policy(scope=Scope(navigate=(home,)))
    gate = WriteGate(PolicyGuard(policy, home), nobody)

    async def only_home(route: Route) -> None:
        await (route.continue_() if route.request.url.startswith(f"{home}/") else route.abort())

    async def no_socket(socket: WebSocketRoute) -> None:
        await socket.close()

    async def new_context() -> BrowserContext:
        routed = layer.context_route or layer.gate
        context = await opened.playwright.new_context(
            ignore_https_errors=True, accept_downloads=True, service_workers="block" if routed else "allow"
        )
        if layer.context_route:
            await context.route("**/*", only_home)
            await context.route_web_socket("**/*", no_socket)
        if layer.gate:
            await gate_sockets(context, gate)
        return context

    async def new_page(context: BrowserContext) -> Page:
        page = await context.new_page()
        if layer.page_route:
            await page.route("**/*", only_home)
        return page

    async with AsyncExitStack() as stack:
        proxy = await stack.enter_async_context(open_egress(passage(policy))) if layer.proxy else None
        flags = (*CERTIFICATES, *(egress_flags() if proxy else ()))
        settings = BrowserSettings(proxy=proxy.address if proxy else None, flags=flags)
        opened = await stack.enter_async_context(open_browser(settings))
        if layer.gate:
            stack.enter_context((await stack.enter_async_context(route_layer(opened.playwright))).shown_to(gate))
        yield Opened(opened, new_context, new_page, proxy)


async def nobody(needed: ApprovalNeeded, _step: int) -> Permit | Refusal:
    """Every question is answered with no."""
    return Refusal(action=needed.action, rule=needed.rule, why="Nobody is here.")
