"""Time as the core sees it, and our own deadlines."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from engine.errors import DeadlineExceeded

T = TypeVar("T")
GRACE_SECONDS = 5.0
"""So long a cancelled piece of work may take to clean up before it is left behind."""


class Clock(Protocol):
    """The time, and waiting for it."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class SystemClock:
    """The real one."""

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return time.time_ns() // 1_000_000

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


async def within(clock: Clock, seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of the work, or DeadlineExceeded; work that does not even stop when cancelled is left behind."""
    task = asyncio.ensure_future(work)
    timer = asyncio.ensure_future(clock.sleep(max(0.0, seconds)))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        raise DeadlineExceeded(f"not done within {seconds:g} s")
    finally:
        timer.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE_SECONDS)
        if task.done() and not task.cancelled():
            task.exception()  # looked at, so that a late failure is not reported as lost
