"""A browser session inside a policy: proxy, flags, write gate, guard, dialogs, actor; shared by discovery and replay."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from engine.act.actor import Describe, PageActor
from engine.act.dialogs import DialogDesk
from engine.assembly.homes import lease_store
from engine.browser.egress import open_egress
from engine.browser.flags import egress_flags
from engine.browser.gate import RouteLayer, gate_sockets, route_layer
from engine.browser.launch import Browser, BrowserSettings, open_browser
from engine.browser.session import Session, SessionSettings, open_session
from engine.browser.tape import Tape
from engine.domain.policy import Policy
from engine.domain.request import Passage
from engine.guard.guard import PolicyGuard
from engine.guard.passage import more_than_origins, passage
from engine.guard.passes import Passes
from engine.guard.writes import Ask, Effects, WriteGate
from engine.settings import Settings


@dataclass(frozen=True)
class Place:
    """Where steps happen: one session, its guard and its actor."""

    session: Session
    guard: PolicyGuard
    actor: PageActor
    desk: DialogDesk


@dataclass(frozen=True)
class BoundedBrowser:
    """A browser behind its proxy, its route layer, and the passes that this one gives to the proxy."""

    browser: Browser
    passes: Passes
    routes: RouteLayer


@dataclass(frozen=True)
class Bounds:
    """What one session may do, whom it asks, and where its files go."""

    guard: PolicyGuard
    ask: Ask
    target: str
    downloads: Path
    describe: Describe | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    typed: Callable[[str], None] = lambda _name: None
    replaying: bool = False
    effects: Effects | None = None
    secrets_in: Callable[[str], tuple[str, ...]] | None = None


@asynccontextmanager
async def open_bounded_browser(
    settings: Settings, policy: Policy, headed: bool = False, tape: Tape | None = None
) -> AsyncIterator[BoundedBrowser]:
    """A browser whose every byte passes a proxy that knows the policy's scope; none passes while a tape plays."""
    passes, leases = Passes(policy), lease_store(settings)

    def own_ports() -> tuple[int, ...]:
        return tuple(map(int, leases.held("port:")))

    decide = (lambda _origin: Passage(allowed=False, why="a tape plays")) if tape and tape.playing else passage(policy)
    async with open_egress(decide, own_ports, writes=passes) as proxy:
        launch = BrowserSettings(
            executable=settings.browser,
            headed=headed,
            proxy=proxy.address,
            flags=egress_flags(),
            environment=settings.environment,
        )
        async with (
            open_browser(launch) as browser,
            route_layer(browser.playwright, files=more_than_origins(policy), tape=tape) as routes,
        ):
            yield BoundedBrowser(browser, passes, routes)


@asynccontextmanager
async def open_place(bounded: BoundedBrowser, bounds: Bounds) -> AsyncIterator[Place]:
    """A fresh context with everything around it that keeps it inside its bounds."""
    guard = bounds.guard
    writes = WriteGate(guard, bounds.ask, bounded.passes, bounds.effects)
    desk = DialogDesk(guard.policy.dialog_handling, strict=bounds.replaying)
    settings = SessionSettings(bounds.downloads, desk.answer, partial(gate_sockets, gate=writes), bounds.secrets_in)
    async with open_session(bounded.browser, settings) as session:
        actor = PageActor(
            session,
            desk,
            guard.secrets,
            bounds.target,
            bounds.describe,
            bounds.files,
            writes=writes,
            typed=bounds.typed,
            lean=bounds.replaying,
        )
        try:
            with bounded.routes.shown_to(writes):
                yield Place(session, guard, actor, desk)
        finally:
            writes.end(ok=False, known=False)
