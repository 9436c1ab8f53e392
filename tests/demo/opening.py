"""What the demo's tests ask their fixtures for: consoles, clients, and a clock of their own."""

from collections.abc import Awaitable, Callable

import httpx

from engine.demo import TellerConsole

OpenConsole = Callable[..., Awaitable[TellerConsole]]
OpenClient = Callable[[TellerConsole], Awaitable[httpx.AsyncClient]]


class Clock:
    """Monotonic seconds that pass only when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now
