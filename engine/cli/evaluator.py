"""`discover evaluator`: what scores explored candidates; the operator's alone."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from engine.cli import show
from engine.cli.options import Json

app = typer.Typer(help="Evaluators that score explored candidates.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(metavar="NAME")]


@app.command("register")
def register(name: Name, folder: Annotated[Path, typer.Argument(exists=True, file_okay=False)], as_json: Json = False) -> None:
    """Try an evaluator on its own fixtures and, when all is well, pin it under this name."""
    from engine.assembly.exploring import local_name, registry
    from engine.cli.discover import run
    from engine.cli.settings import current

    tested = run(registry(current()).register(name, folder, local_name()))
    if as_json:
        show.one_json({"name": name, "problems": tested.problems, "noise": tested.noise, "isolated": tested.isolated})
    else:
        for problem in tested.problems:
            show.out.print(f"FAIL  {problem}", markup=False)
        if not tested.problems:
            isolated = "" if tested.isolated else "; not isolated on this machine"
            show.out.print(f"Registered {name}; noise {tested.noise:g}{isolated}", markup=False)
    raise typer.Exit(1 if tested.problems else 0)


@app.command("list")
def list_evaluators(as_json: Json = False) -> None:
    """Case tables of config.toml, then every registration ever made, each with how it stands now."""
    from engine.assembly.exploring import registry
    from engine.cli.settings import current

    settings = current()
    held = registry(settings)
    rows = [(each.name, "case table", "good", held.verify(each.name).hash) for each in settings.evaluators]
    rows += [(each.name, "program", standing, each.hash) for each, standing in held.list()]
    if as_json:
        show.one_json({"evaluators": [dict(zip(("name", "kind", "standing", "hash"), row, strict=True)) for row in rows]})
        return
    if not rows:
        show.out.print(
            "No evaluators yet: an [[evaluators]] table of config.toml, or `discover evaluator register`.", markup=False
        )
        return
    table = Table("evaluator", "kind", "standing", "hash", box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row[:3], row[3][:16])
    show.out.print(table)


@app.command("verify")
def verify(name: Name, as_json: Json = False) -> None:
    """Say whether it still is what was registered; exit 2 when not."""
    from engine.assembly.exploring import registry
    from engine.cli.settings import current

    terms = registry(current()).verify(name)
    if as_json:
        show.one_json({"name": name, "hash": terms.hash, "direction": terms.direction, "noise": terms.noise})
    else:
        show.out.print(f"{name} is what was registered: {terms.hash}", markup=False)


@app.command("revoke")
def revoke(name: Name, as_json: Json = False) -> None:
    """Take it out of use."""
    from engine.assembly.exploring import registry
    from engine.cli.settings import current

    registry(current()).revoke(name)
    if as_json:
        show.one_json({"name": name, "standing": "revoked"})
    else:
        show.out.print(f"{name} is revoked.", markup=False)
