"""A browser session inside a policy: proxy, flags, routing, guard, dialogs, actor; shared by discovery and replay."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.act.actor import Describe, PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.launch import BrowserSettings, open_browser
from engine.browser.session import Session, SessionSettings, open_session
from engine.domain.policy import Policy
from engine.domain.secret import Secrets
from engine.guard.guard import PolicyGuard
from engine.settings import Settings


@dataclass(frozen=True)
class Place:
    """Where steps happen: one session, its guard and its actor."""

    session: Session
    guard: PolicyGuard
    actor: PageActor
    desk: DialogDesk


@asynccontextmanager
async def open_place(
    settings: Settings,
    policy: Policy,
    secrets: Secrets,
    target: str,
    downloads: Path,
    *,
    headed: bool = False,
    describe: Describe | None = None,
    files: Mapping[str, str] | None = None,
) -> AsyncIterator[Place]:
    """Start a browser for this policy and one context in it; nothing of either is left afterwards."""
    guard = PolicyGuard(policy, target, secrets)
    desk = DialogDesk(policy.dialog_handling)
    launch = BrowserSettings(executable=settings.browser, headed=headed, environment=settings.environment)
    async with open_browser(launch) as browser, open_session(browser, SessionSettings(downloads, desk.answer)) as session:
        actor = PageActor(session, desk, guard.secrets, target, describe, files)
        yield Place(session, guard, actor, desk)
