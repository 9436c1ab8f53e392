"""Serves the MiniWoB++ pages of the installed package over loopback HTTP."""

import asyncio
import importlib.util
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"}


class Utf8Files(StaticFiles):
    """Files whose text types say that they are UTF-8: the pages themselves do not."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        if kind := TYPES.get(Path(path).suffix):
            response.headers["content-type"] = f"{kind}; charset=utf-8"
        return response


def folder() -> Path:
    """The html folder of the package. Raises RuntimeError when it is not installed."""
    found = importlib.util.find_spec("miniwob")
    if found is None or not found.submodule_search_locations:
        raise RuntimeError("The package miniwob is not installed.")
    return Path(found.submodule_search_locations[0]) / "html"


@asynccontextmanager
async def serve_tasks() -> AsyncIterator[str]:
    """The address of the running server, on a free port."""
    app = Starlette(routes=[Mount("/", Utf8Files(directory=folder()))])
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving
        listener.close()
