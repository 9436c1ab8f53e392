"""A tiny HTTP server for test pages: it answers what a test put in, and remembers every request."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


@dataclass(frozen=True)
class Hit:
    """One request the server got."""

    method: str
    path: str
    body: str
    query: str = ""
    cookie: str = ""


@dataclass
class Pages:
    """Content by path; a value may be HTML, or a finished Response."""

    url: str = ""
    content: dict[str, str | Response] = field(default_factory=dict)
    hits: list[Hit] = field(default_factory=list)
    delay: dict[str, float] = field(default_factory=dict)

    def __setitem__(self, path: str, content: str | Response) -> None:
        self.content[path] = content

    def writes(self, path: str) -> list[Hit]:
        """Requests other than GET to a path."""
        return [hit for hit in self.hits if hit.path == path and hit.method != "GET"]

    async def answer(self, request: Request) -> Response:
        """What is stored for the path; 404 else."""
        path = request.url.path
        body = (await request.body()).decode(errors="replace")
        if path != "/favicon.ico":  # the browser asks for it, once a site and when it likes
            self.hits.append(Hit(request.method, path, body, request.url.query, request.headers.get("cookie", "")))
        if path in self.delay:
            await asyncio.sleep(self.delay[path])
        found = self.content.get(path)
        if found is None:
            return Response("not here", status_code=404, media_type="text/html")
        return found if isinstance(found, Response) else Response(found, media_type="text/html; charset=utf-8")


@asynccontextmanager
async def serve(secure: ssl.SSLContext | None = None) -> AsyncIterator[Pages]:
    """Serve until the block ends, on a free loopback port; over TLS with a context."""
    pages = Pages()
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    app = Starlette(routes=[Route("/{path:path}", pages.answer, methods=methods)])
    listener = socket.create_server(("127.0.0.1", 0))
    pages.url = f"{'https' if secure else 'http'}://127.0.0.1:{listener.getsockname()[1]}"
    config = uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1)
    config.load()
    config.ssl = secure
    server = uvicorn.Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        yield pages
    finally:
        server.should_exit = True
        await serving
        listener.close()
