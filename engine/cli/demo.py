"""`discover demo`: serve the teller console, the practice ground."""

from enum import StrEnum
from typing import Annotated

import typer


class Tenant(StrEnum):
    """Three tenants of the same vendor product."""

    harbor = "harbor"
    summit = "summit"
    lakeside = "lakeside"


def demo(
    tenant: Annotated[Tenant, typer.Option(help="Which tenant of the product.")] = Tenant.harbor,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the console.")] = 4010,
    ops_port: Annotated[int, typer.Option(min=0, max=65535, help="Port of the operations log.")] = 4011,
) -> None:
    """Serve the teller console, a small bank back office to practise on, until Ctrl-C."""
    from engine.cli.discover import run
    from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole, serve_forever

    def announce(console: TellerConsole) -> None:
        typer.echo(f"Teller console ({console.tenant}): {console.url}   operations log: {console.ops_url}/__ops", err=True)
        typer.echo(f"Sign in as {DEMO_USER} with {DEMO_PASSWORD}. Ctrl-C ends it.", err=True)

    run(serve_forever(tenant.value, port, ops_port, announce))
