"""`discover capability`: what can be run here."""

import json
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from engine.cli import show
from engine.cli.options import Json
from engine.domain.capability import Capability
from engine.domain.review import ReviewState

app = typer.Typer(help="Capabilities of this home.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(metavar="CAPABILITY", help="ID, ID@VERSION or a file.")]


@app.command("list")
def list_capabilities(as_json: Json = False) -> None:
    """All versions, each with its state by the book of reviews."""
    from engine.assembly.reviewing import Unreadable, reviewing
    from engine.cli.settings import current

    every = list(reviewing(current()).all())
    broken = [each for each in every if isinstance(each, Unreadable)]
    found = [each for each in every if not isinstance(each, Unreadable)]
    if as_json:
        unreadable = [{"name": each.name, "problem": each.problem} for each in broken]
        show.one_json({"capabilities": [_row(each.capability, each.state) for each in found], "unreadable": unreadable})
        return
    for each in broken:
        show.line(f"{each.name}: {each.problem}")
    if not found:
        show.out.print("No capabilities yet. Draft one: discover --goal … --target …")
        return
    table = Table("capability", "version", "state", "risk", "title", box=None, pad_edge=False)
    for one in found:
        which = one.capability
        table.add_row(which.id, which.version, one.state, which.risk_class, escape(which.title))
    show.out.print(table)


@app.command("show")
def show_capability(which: Which, as_json: Json = False) -> None:
    """One version: state, inputs, steps, outputs."""
    from engine.assembly.reviewing import reviewing
    from engine.cli.settings import current

    house = reviewing(current())
    one = house.store.load(which)
    if as_json:
        show.one_json(one.model_dump(mode="json", by_alias=True))
    else:
        show.capability(one, house.lifecycle.state(one))


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


def _row(one: Capability, state: ReviewState) -> dict[str, object]:
    said = {"id": one.id, "version": one.version, "title": one.title, "risk_class": one.risk_class}
    return {**said, "state": state, "reviewed": state == "approved"}
