"""`discover capability`: what can be run here."""

import json
from typing import Annotated

import typer
from rich.table import Table

from engine.cli import show
from engine.domain.capability import Capability

app = typer.Typer(help="Capabilities of this home.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Which = Annotated[str, typer.Argument(metavar="CAPABILITY", help="ID, ID@VERSION or a file.")]


@app.command("list")
def list_capabilities(as_json: Json = False) -> None:
    """All versions."""
    from engine.assembly.homes import capability_store
    from engine.cli.settings import current

    found = capability_store(current()).list()
    if as_json:
        show.one_json({"capabilities": [_row(one) for one in found]})
        return
    if not found:
        show.out.print("No capabilities yet. Draft one: discover --goal … --target …")
        return
    table = Table("capability", "version", "reviewed", "risk", "title", box=None, pad_edge=False)
    for one in found:
        table.add_row(one.id, one.version, "yes" if one.reviewed else "no", one.risk_class, one.title)
    show.out.print(table)


@app.command("show")
def show_capability(which: Which, as_json: Json = False) -> None:
    """One version: inputs, steps, outputs."""
    from engine.assembly.homes import capability_store
    from engine.cli.settings import current

    one = capability_store(current()).load(which)
    if as_json:
        show.one_json(one.model_dump(mode="json", by_alias=True))
    else:
        show.capability(one)


@app.command("validate")
def validate(which: Which, as_json: Json = False) -> None:
    """Check a file: schema, placeholders, conditions. Exit 2 with the sentence when it is not valid."""
    from engine.assembly.homes import capability_store
    from engine.cli.settings import current

    one = capability_store(current()).load(which)
    if as_json:
        show.one_json({"id": one.id, "version": one.version, "digest": one.digest, "valid": True})
    else:
        show.out.print(f"{one.id}@{one.version} is valid, digest {one.digest}")


@app.command("schema")
def schema() -> None:
    """Print the JSON Schema (draft 2020-12) of a capability file."""
    written = {"$schema": "https://json-schema.org/draft/2020-12/schema", **Capability.model_json_schema(by_alias=True)}
    typer.echo(json.dumps(written, indent=2))


def _row(one: Capability) -> dict[str, object]:
    return {"id": one.id, "version": one.version, "title": one.title, "reviewed": one.reviewed, "risk_class": one.risk_class}
