"""The one place where tests wait for something that another process does: looked for again and again, never slept through."""

import asyncio
import time
from collections.abc import Callable


async def until(true: Callable[[], object], seconds: float = 60) -> bool:
    """Whether it became true in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.02)
    return True
