"""Running the console: two small servers on the loopback interface, inside the running event loop."""

import asyncio
import contextlib
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.demo.app import console_app
from engine.demo.bank import Bank
from engine.demo.desk import Desk
from engine.demo.ops import Operation, OperationsLog, ops_app
from engine.demo.records import Records
from engine.demo.rendering import templates_for
from engine.demo.seed import opening_books
from engine.demo.serving import serving
from engine.demo.sessions import Sessions
from engine.demo.tenants import TENANTS


class TellerConsole:
    """The console of one tenant while the `async with` block runs.

    Port 0 takes any free port. `session_seconds` is how long a teller may be idle, `latency_seconds` is added to every
    answer, `clock` tells monotonic seconds. Without `database` the books live in a temporary file that is removed.
    Raises `KeyError` for an unknown tenant and `OSError` when a port is taken.
    """

    def __init__(
        self,
        tenant: str = "harbor",
        port: int = 0,
        ops_port: int = 0,
        *,
        database: Path | None = None,
        session_seconds: float = 900,
        latency_seconds: float = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tenant = TENANTS[tenant]
        self._ports = (port, ops_port)
        self._database = database
        self._latency_seconds = latency_seconds
        self._sessions = Sessions(session_seconds, clock)
        self._log = OperationsLog()
        self._bank: Bank | None = None
        self._addresses: tuple[str, str] = ("", "")
        self._closing = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            database = self._database or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "bank.sqlite"
            self._bank = bank = Bank.open(database, opening_books(self._tenant.name))
            stack.callback(bank.close)
            desk = Desk(bank, self._tenant, self._sessions, self._log, templates_for(self._tenant))
            app = console_app(desk, self._latency_seconds)
            self._addresses = (
                await stack.enter_async_context(serving(app, self._ports[0])),
                await stack.enter_async_context(serving(ops_app(self._log), self._ports[1])),
            )
            self._closing = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._closing.aclose()

    @property
    def tenant(self) -> str:
        """The tenant's name."""
        return self._tenant.name

    @property
    def url(self) -> str:
        """Where the console answers, without a slash at the end."""
        return self._addresses[0]

    @property
    def ops_url(self) -> str:
        """Where the operations log answers, without a slash at the end; the path is `/__ops`."""
        return self._addresses[1]

    @property
    def records(self) -> Records:
        """The truth about members, accounts, balances, transactions and transfers."""
        assert self._bank is not None, "enter the console first"
        return self._bank.records

    def operations(self) -> list[Operation]:
        """Everything the server did so far, oldest first."""
        return self._log.after()

    def expire_sessions(self) -> None:
        """End every session now, as if all tellers had been idle too long."""
        self._sessions.end_all()


async def serve_forever(
    tenant: str, port: int, ops_port: int, announce: Callable[[TellerConsole], None] = lambda console: None
) -> None:
    """Serve until cancelled or asked to terminate; `announce` is called once the console answers."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    # Without this, a plain `kill` would leave the temporary database behind.
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    try:
        async with TellerConsole(tenant, port, ops_port) as console:
            announce(console)
            await stop.wait()
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
