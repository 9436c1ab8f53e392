"""Drives a page by hand and keeps the trajectory that a discovery would have kept."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.async_api import Locator

from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.element import Element
from engine.browser.launch import Browser
from engine.browser.locators import describe
from engine.browser.session import Session, SessionSettings, open_session
from engine.domain.action import Action, Click, Decision, Extract, Navigate, Reading, Select, Type
from engine.domain.policy import DialogHandling
from engine.domain.run import Goal
from engine.domain.secret import Secret, Secrets
from engine.domain.step import Outcome, Step, TargetSeen, Value
from engine.domain.verdict import Facts, Permit


async def seen(element: Element) -> TargetSeen:
    """What the actor asks of an element."""
    return await describe(element.locator)


@dataclass
class Hand:
    """A person's hand in place of the loop."""

    session: Session
    actor: PageActor
    steps: list[Step] = field(default_factory=list)

    def role(self, role: Any, name: str) -> Locator:
        """An element of the page as it is now."""
        return self.session.page.get_by_role(role, name=name, exact=True)

    async def act(self, action: Action, locator: Locator | None = None) -> Outcome:
        """Do it and keep the step."""
        element = Element(locator, "it") if locator else None
        url = self.session.url
        live = await element.facts() if element else None
        facts = live.place(url, "", "") if live else Facts(page_url=url)
        permit = Permit(action=action, facts=facts, rule="test", approval_id="given")
        outcome = await self.actor.act(permit, len(self.steps) + 1, element)
        assert outcome.ok, outcome.problem
        return self.keep(action, outcome, permit, url)

    def keep(self, action: Action, outcome: Outcome, permit: Permit, url: str) -> Outcome:
        """One more step of the trajectory."""
        self.steps.append(
            Step(
                number=len(self.steps) + 1,
                at=datetime(2026, 1, 1, tzinfo=UTC),
                url=url,
                title="",
                fingerprint="",
                snapshot="",
                decision=Decision(reason="by hand", action=action),
                verdict=permit,
                outcome=outcome,
            )
        )
        return outcome

    async def click(self, locator: Locator) -> None:
        """Click it."""
        await self.act(Click(ref="e1"), locator)

    async def type(self, locator: Locator, text: str) -> None:
        """Type into it."""
        await self.act(Type(ref="e1", text=text), locator)

    async def select(self, locator: Locator, option: str) -> None:
        """Choose an option."""
        await self.act(Select(ref="e1", options=(option,)), locator)

    async def open(self, url: str) -> None:
        """Navigate."""
        await self.act(Navigate(url=url))

    async def read(self, name: str, locator: Locator | None, what: Any = "text", value: str = "", type: Any = "text") -> None:
        """Extract one value."""
        target, raw, url = None, value, self.session.url
        if locator:
            element = Element(locator, name)
            target = await seen(element)
            if what in ("table", "list"):
                raw = json.dumps(await element.rows())
            else:
                raw = value or (await element.value() if what == "value" else await element.text())
        reading = Reading(name=name, ref="e1", what=what, type=type, value="" if what in ("table", "list") else raw)
        outcome = Outcome(
            ok=True,
            url_before=url,
            url_after=url,
            values=(Value(name=name, raw=raw),),
            targets={name: target} if target else {},
        )
        permit = Permit.model_validate(
            {"action": {"action": "done", "summary": ""}, "facts": {"page_url": url}, "rule": "test"}
        )
        self.keep(Extract(readings=(reading,)), outcome, permit, url)


@asynccontextmanager
async def hand(browser: Browser, url: str, folder: Path, secrets: dict[str, str] | None = None) -> AsyncIterator[Hand]:
    """A hand on a fresh session; every dialog is accepted."""
    desk = DialogDesk(DialogHandling(confirm="accept"))
    kept = Secrets(tuple(Secret(name, value, (url,), clear=True) for name, value in (secrets or {}).items()))
    async with open_session(browser, SessionSettings(folder, desk.answer)) as session:
        await session.start(url)
        yield Hand(session, PageActor(session, desk, kept, url, describe=seen))


def goal(text: str, url: str, **more: Any) -> Goal:
    """A goal at a URL."""
    return Goal(text=text, target=url, **more)
