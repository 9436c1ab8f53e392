"""What is read once a beat for however many look on, so that fifty open pages cost a run no more than one."""

import asyncio
import time
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Beat:
    """Shares everything that is read within the same `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._number = -1
        self._read: dict[Hashable, Any] = {}

    def once(self, key: Hashable, read: Callable[[], T]) -> T:
        """What `read` gave to whoever asked for `key` first in this beat."""
        number = int(time.monotonic() / self.seconds)
        if number != self._number:
            self._number, self._read = number, {}
        if key not in self._read:
            self._read[key] = read()
        found: T = self._read[key]
        return found

    async def next(self) -> None:
        """Until the next beat begins, for everybody at the same time."""
        await asyncio.sleep(self.seconds - time.monotonic() % self.seconds)
