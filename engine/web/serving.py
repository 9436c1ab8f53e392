"""Serves the admin on a loopback socket until cancelled, and prints the one-time links."""

import asyncio
import getpass
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn

from engine.access.passwords import Users
from engine.access.sessions import Attempts, Links, Sessions
from engine.access.users import local_user
from engine.assembly.admin import Admin, admin_of
from engine.assembly.homes import announce
from engine.errors import UsageError
from engine.settings import Settings
from engine.web.app import admin_app
from engine.web.rendering import Pages
from engine.web.visit import Frame

LOOPBACK = "127.0.0.1"
CLOSE_SECONDS = 8.0


def listening(port: int) -> socket.socket:
    """A socket on 127.0.0.1. Raises UsageError when the port is taken."""
    try:
        listener = socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise UsageError(f"Port {port} cannot be used: {error.strerror or error}. Choose another with --port.") from error
    # Connections inherit it. asyncio sets it only on sockets that were made for TCP by name; without it, answers wait 40 ms.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


async def serve_admin(
    settings: Settings, listener: socket.socket, more_hosts: tuple[str, ...], tell: Callable[[str], None]
) -> None:
    """Until cancelled; then running discoveries are ended with their evidence written."""
    port = listener.getsockname()[1]
    announce(settings, port)
    admin = admin_of(settings)
    frame = frame_of(admin, port, tell)
    server = _Quiet(uvicorn.Config(
        admin_app(frame, (f"{LOOPBACK}:{port}", f"localhost:{port}", *more_hosts)), lifespan="off", ws="none", log_config=None,
        access_log=False, server_header=False, date_header=False, timeout_graceful_shutdown=1,
    ))  # fmt: skip
    frame.tell_link()
    running = asyncio.ensure_future(server.serve(sockets=[listener]))
    exploring = asyncio.ensure_future(admin.exploring.workshop.serve())
    try:
        await asyncio.shield(running)
    finally:
        server.should_exit = True
        exploring.cancel()
        await _closed(admin, running, exploring)


def frame_of(admin: Admin, port: int, tell: Callable[[str], None]) -> Frame:
    """Who may come in, with sessions that outlive the server. The cookie is named by the port: cookies know no ports."""
    links = Links(time.time)

    def tell_link() -> None:
        tell(f"Sign in once: http://{LOOPBACK}:{port}/admin/login?link={links.make()}")

    return Frame(
        admin=admin,
        users=Users(admin.settings.users),
        local=local_user(_who()),
        sessions=Sessions(time.time, admin.settings.state.with_name("sessions.json")),
        links=links,
        attempts=Attempts(time.time),
        pages=Pages(),
        cookie=f"capwright-{port}",
        tell_link=tell_link,
    )


async def _closed(admin: Admin, running: "asyncio.Future[None]", exploring: "asyncio.Future[None]") -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await admin.discoveries.close()
            await asyncio.gather(exploring, return_exceptions=True)
    with suppress(asyncio.CancelledError):
        await running


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user-{os.getuid()}"


class _Quiet(uvicorn.Server):
    """Leaves the signals to the command that runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """None."""
        yield
