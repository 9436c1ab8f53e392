"""The MCP server: approved capabilities as tools, over stdio or streamable HTTP; what is not approved is not there."""

import asyncio
import hmac
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import Protocol

import uvicorn
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.domain.capability import Capability
from engine.domain.ending import ReplayResult
from engine.errors import CapwrightError
from engine.faces.tool import answered, as_inputs, definition, refused

PATH = "/mcp"
Tell = Callable[[str], None]


class Catalog(Protocol):
    """What may run now; asked anew for every request, so a revoked version is gone at once."""

    def approved(self) -> tuple[Capability, ...]:
        """One approved version a capability."""
        ...


class Runner(Protocol):
    """Runs one capability; secrets are the runner's own affair."""

    async def run(self, capability: Capability, inputs: Mapping[str, str], tell: Tell) -> ReplayResult:
        """To its ending; `tell` is given lines of progress, such as who is being waited for."""
        ...


def mcp_server(catalog: Catalog, runner: Runner) -> Server:
    """The server, bound to no transport yet."""

    async def list_tools(_context: ServerRequestContext, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[definition(one) for one in catalog.approved()])

    async def call_tool(context: ServerRequestContext, params: CallToolRequestParams) -> CallToolResult:
        capability = next((one for one in catalog.approved() if one.id == params.name), None)
        if capability is None:
            raise MCPError(INVALID_PARAMS, f"There is no approved capability {params.name}.")
        inputs = as_inputs(capability, params.arguments or {})
        if isinstance(inputs, str):
            return refused("input_invalid", inputs)
        progress = _Progress(context)
        try:
            return answered(capability, await runner.run(capability, inputs, progress.tell))
        except CapwrightError as error:
            return refused("fault", str(error))
        finally:
            await progress.flush()

    return Server(
        "capwright",
        version=version("capwright"),
        title="Capwright",
        instructions="Each tool is reviewed work in a web application. `ending` says how a call ended; only ok has outputs.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


class _Progress:
    """Lines of progress, sent to the client in their order."""

    def __init__(self, context: ServerRequestContext) -> None:
        self._context = context
        self._sending: list[asyncio.Task[None]] = []

    def tell(self, line: str) -> None:
        """Send one line; a client that did not ask for progress gets none."""
        number = len(self._sending) + 1
        self._sending.append(asyncio.ensure_future(self._context.session.report_progress(number, message=line)))

    async def flush(self) -> None:
        """Wait until all are sent; a client that left is no fault of the call."""
        await asyncio.gather(*self._sending, return_exceptions=True)


async def serve_stdio(server: Server) -> None:
    """Serve one client over stdin and stdout, until it closes them."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def serve_http(server: Server, listener: socket.socket, token: str | None = None) -> None:
    """Serve streamable HTTP on a loopback socket that is already bound, until cancelled; with a token only who bears it.

    Requests with a foreign Host or Origin header are refused, so that no web page can reach it through a name of its own.
    """
    host = listener.getsockname()[0]
    app: ASGIApp = server.streamable_http_app(streamable_http_path=PATH, host=host)
    config = uvicorn.Config(
        _bearing(app, token) if token else app,
        lifespan="on",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    serving = _Quiet(config)
    running = asyncio.ensure_future(serving.serve(sockets=[listener]))
    try:
        await asyncio.shield(running)
    finally:
        serving.should_exit = True
        with suppress(asyncio.CancelledError):
            await running


class _Quiet(uvicorn.Server):
    """Leaves the signals to the command that runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """None."""
        yield


def _bearing(app: ASGIApp, token: str) -> ASGIApp:
    wanted = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(given, wanted):
            await app(scope, receive, send)
            return
        headers = [(b"www-authenticate", b"Bearer"), (b"content-type", b"text/plain")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"This server asks for its token."})

    return guarded
