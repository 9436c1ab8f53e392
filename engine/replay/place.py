"""Where a replay happens, as small protocols: what it needs of session, guard, approver and actor."""

from dataclasses import dataclass
from typing import Protocol

from engine.act.dialogs import DialogDesk
from engine.browser.element import Element, ElementFacts
from engine.browser.locators import Resolved
from engine.browser.session import Session
from engine.domain.clearance import Approver, Guard
from engine.domain.step import Outcome
from engine.domain.verdict import Facts, Permit


class Actor(Protocol):
    """Performs what was permitted."""

    async def act(self, permit: Permit, step: int, element: Element | None) -> Outcome:
        """Do it on that element."""
        ...

    def settled(self, seen: bool) -> None:
        """Whether what had to come of it is seen."""
        ...


@dataclass(frozen=True)
class Place:
    """One session and everything around it."""

    session: Session
    guard: Guard
    approver: Approver
    actor: Actor
    desk: DialogDesk


def facts_of(found: Resolved | None, page_url: str, live: ElementFacts | None = None) -> Facts:
    """What the guard judges: the element as it was just found, or as `live` says it is now."""
    if found is None:
        return Facts(page_url=page_url)
    return (live or found.live).place(page_url, found.role, found.name)
