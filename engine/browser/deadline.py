"""Our own deadline around every await that leaves the process: a stopped renderer must not hang a run."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from playwright.async_api import Error as PlaywrightError

from engine.errors import BrowserGone, DeadlineExceeded

T = TypeVar("T")

GONE_SIGNS = (
    "Target page, context or browser has been closed",
    "Target closed",
    "Page crashed",
    "Target crashed",
    "Connection closed",
)


async def within(seconds: float, awaitable: Awaitable[T], what: str) -> T:
    """The result, or DeadlineExceeded naming `what` after `seconds`; a dead browser becomes BrowserGone."""
    try:
        async with asyncio.timeout(seconds):
            return await awaitable
    except TimeoutError as error:
        raise DeadlineExceeded(f"The browser did not answer within {seconds:g} s while {what}.") from error
    except PlaywrightError as error:
        if is_gone(error):
            raise BrowserGone(f"The browser went away while {what}. Run it again; the evidence so far is kept.") from error
        raise


def is_gone(error: BaseException) -> bool:
    """Whether this Playwright error means that the page, renderer or browser no longer exists."""
    return any(sign in str(error) for sign in GONE_SIGNS)
