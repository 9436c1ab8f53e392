"""One uvicorn server in the running event loop, which leaves signals alone and stops at once."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator

import uvicorn
from starlette.types import ASGIApp

_HOST = "127.0.0.1"
_START_SECONDS = 10.0
_STOP_SECONDS = 1


class _Server(uvicorn.Server):
    """Says when it answers, and does not touch the signals of the program it runs in."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()
        self.asked_to_stop = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        # Uvicorn looks ten times a second whether it should stop; tests open many consoles and would feel each look.
        await self.asked_to_stop.wait()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(app: ASGIApp, port: int) -> AsyncIterator[str]:
    """Serve `app` on the loopback interface; gives its URL. Raises `OSError` when the port is taken."""
    with _listen(port) as listening:
        server = _Server(_config(app))
        running = asyncio.create_task(server.serve([listening]))
        try:
            async with asyncio.timeout(_START_SECONDS):
                await server.ready.wait()
            yield f"http://{_HOST}:{listening.getsockname()[1]}"
        finally:
            server.asked_to_stop.set()
            await running


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_HOST, port))
    except OSError:
        listening.close()
        raise
    return listening


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        date_header=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
