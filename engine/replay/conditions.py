"""Waits for what a capability says must be true: URL, elements, texts, field contents; polled, never slept through."""

import asyncio
import re
import time
from collections.abc import Mapping
from urllib.parse import urlsplit

from engine.browser.element import Element
from engine.browser.locators import Resolved, resolve
from engine.browser.session import Session
from engine.domain.capability import Condition
from engine.domain.template import fill, fill_pattern

PAUSES = (0.002, 0.004, 0.008, 0.015)
"""Seconds between looks, the last for good: a URL costs nothing to look at, and most pages answer soon."""


async def unmet(conditions: tuple[Condition, ...], session: Session, values: Mapping[str, str], deadline: float) -> str | None:
    """None as soon as all hold; at the deadline (an instant of time.monotonic()) a sentence about the first that does not."""
    for condition in conditions:
        tried = 0
        while session.follow() or not await holds(condition, session, values):
            if time.monotonic() >= deadline:
                return said(condition, session, values)
            await asyncio.sleep(PAUSES[min(tried, len(PAUSES) - 1)])
            tried += 1
    return None


async def holds(condition: Condition, session: Session, values: Mapping[str, str]) -> bool:
    """Whether it holds now."""
    if condition.kind == "url":
        return re.fullmatch(fill_pattern(condition.value, values), urlsplit(session.url).path) is not None
    if condition.kind == "text":
        return await session.shows(fill(condition.value, values))
    assert condition.target is not None, "every other kind of condition has a target; the schema sees to it"
    found = await resolve(session.page, condition.target, values, time.monotonic())
    if condition.kind == "field":
        return isinstance(found, Resolved) and await Element(found.locator, "field").value() == fill(condition.value, values)
    return isinstance(found, Resolved) == (condition.kind == "visible")


def said(condition: Condition, session: Session, values: Mapping[str, str]) -> str:
    """What was expected, for people."""
    value = fill(condition.value, values)
    place = fill(condition.target.description, values) if condition.target else ""
    seen = urlsplit(session.url).path
    return {
        "url": f"the page at {value}, not at {seen}",
        "text": f"the text {value!r} on {seen}",
        "visible": f"{place} on {seen}",
        "hidden": f"no {place} on {seen}",
        "field": f"{value!r} in {place}",
    }[condition.kind]
