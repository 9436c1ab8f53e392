"""`discover mcp`: the approved capabilities as tools for agents."""

import asyncio
import os
from enum import StrEnum
from typing import Annotated

import typer

from engine.cli import values
from engine.cli.discover import run
from engine.cli.options import PolicyFile

TOKEN = "CAPWRIGHT_MCP_TOKEN"


class Transport(StrEnum):
    """How clients reach the server."""

    stdio = "stdio"
    http = "http"


class Asked(StrEnum):
    """Risky steps: a person answers in the inbox, or nobody does."""

    inbox = "inbox"
    deny = "deny"


def mcp(
    transport: Annotated[
        Transport, typer.Option(help="stdio for one client, http for many on this machine.")
    ] = Transport.stdio,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1 for http; 0 takes a free one.")] = 0,
    secret: Annotated[
        list[str] | None, typer.Option(help="NAME=@FILE or NAME=env:VARIABLE; else CAPWRIGHT_SECRET_NAME.")
    ] = None,
    target: Annotated[str | None, typer.Option(help="Another base URL than the capabilities' own.")] = None,
    policy: PolicyFile = None,
    approve: Annotated[
        Asked, typer.Option(help="Risky steps: wait for the inbox, or answer approval_needed at once.")
    ] = Asked.deny,
    timeout: Annotated[float, typer.Option(min=1, help="Time limit of a call in seconds.")] = 120,
) -> None:
    """Serve the approved capabilities as MCP tools; drafts, rejected and revoked ones are not there.

    Over http it listens on 127.0.0.1 only; when CAPWRIGHT_MCP_TOKEN is set, clients must bear it.
    """
    from engine.assembly.homes import announce
    from engine.assembly.reviewing import reviewing
    from engine.assembly.serving import ReplayRunner
    from engine.cli.settings import current
    from engine.faces.mcp import PATH, mcp_server, serve_http, serve_stdio
    from engine.web.serving import listening

    settings = current()
    given = values.secrets(secret or [])
    runner = ReplayRunner(
        settings, lambda name: given.get(name, os.environ.get(values.variable(name))), approve.value, policy, target, timeout
    )
    server = mcp_server(reviewing(settings), runner)
    try:
        if transport is Transport.stdio:
            run(serve_stdio(server))
            return
        with listening(port) as listener:
            announce(settings, listener.getsockname()[1])
            typer.echo(f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}", err=True)
            run(serve_http(server, listener, os.environ.get(TOKEN)))
    except asyncio.CancelledError:
        raise typer.Exit(130) from None  # a signal: everything is closed
