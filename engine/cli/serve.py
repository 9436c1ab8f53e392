"""`discover serve`: the admin in the browser; `discover password`: a hash for config.toml."""

import asyncio
from typing import Annotated

import typer


def serve(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")] = 8700,
    host: Annotated[
        list[str] | None,
        typer.Option(help="One more Host header to answer to, as a tunnel on another port sends it: 127.0.0.1:9000."),
    ] = None,
) -> None:
    """Open the admin in the browser: discover, watch, approve, review. It listens on 127.0.0.1 only, until Ctrl-C.

    A link that signs in once is printed at start, and a new one whenever one was used.
    """
    from engine.cli.discover import run
    from engine.cli.settings import current
    from engine.web.serving import listening, serve_admin

    settings = current()
    try:
        with listening(port) as listener:
            run(serve_admin(settings, listener, tuple(host or ()), lambda line: typer.echo(line, err=True)))
    except asyncio.CancelledError:
        raise typer.Exit(130) from None  # a signal: everything is closed


def password() -> None:
    """Ask for a password twice and print its hash, for a `[[users]]` table of config.toml."""
    from engine.access.passwords import hashed

    given = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    typer.echo(hashed(given))
