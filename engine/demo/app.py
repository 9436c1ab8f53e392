"""The console as one ASGI application."""

import asyncio
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.demo.desk import Desk
from engine.demo.pages import ROUTES

_STATIC = Path(__file__).parent / "static"


class Latency:
    """Answers every request some seconds later."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app = app
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(self._seconds)
        await self._app(scope, receive, send)


def console_app(desk: Desk, latency_seconds: float = 0) -> Starlette:
    """The pages and static files of one desk."""

    async def missing(request: Request, error: Exception) -> Response:
        return desk.page(request, "missing.html", 404)

    app = Starlette(
        routes=[*ROUTES, Mount("/static", StaticFiles(directory=_STATIC))],
        middleware=[Middleware(Latency, seconds=latency_seconds)] if latency_seconds else [],
        exception_handlers={404: missing},
    )
    app.state.desk = desk
    return app
