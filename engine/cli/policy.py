"""`discover policy`: what a policy file allows, and which of its lines decides."""

import json
from pathlib import Path
from typing import Annotated

import typer

from engine.cli import show
from engine.cli.options import Json
from engine.errors import NotFound
from engine.guard.policy_file import PolicyFile, parse_policy, policy_schema

app = typer.Typer(help="Policy files.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE")]


@app.command("check")
def check(file: File, as_json: Json = False) -> None:
    """Explain a policy file, or say what is wrong with it, by line. Exit 2 when it is not valid."""
    from engine.guard.explain import summary

    found = read(file)
    if as_json:
        show.one_json({"valid": True, "digest": found.policy.digest, "summary": list(summary(found.policy))})
    else:
        show.out.print("\n".join(summary(found.policy)), markup=False)


@app.command("explain")
def explain(
    file: File,
    url: Annotated[str, typer.Option(help="Where the action would happen, or where it would go.")],
    action: Annotated[str, typer.Option(help="Action: click, type, navigate, …")] = "",
    role: Annotated[str, typer.Option(help="Role of the element.")] = "",
    name: Annotated[str, typer.Option(help="Accessible name of the element.")] = "",
    method: Annotated[str, typer.Option(help="Method of the request.")] = "",
    as_json: Json = False,
) -> None:
    """Say what would happen and which line decides."""
    from engine.guard.explain import explain as explained

    found = read(file)
    ruling = explained(found.policy, url=url, action=action, role=role, name=name, method=method)
    where = found.where(ruling.rule)
    if as_json:
        show.one_json({"effect": ruling.effect, "rule": ruling.rule, "where": where, "why": ruling.why})
    else:
        show.out.print(f"{ruling.effect}: {ruling.why} ({where})", markup=False)


@app.command("schema")
def schema() -> None:
    """Print the JSON Schema of a policy file."""
    typer.echo(json.dumps(policy_schema(), indent=2))


def read(file: Path) -> PolicyFile:
    """The parsed file. Raises NotFound or PolicyInvalid."""
    if not file.is_file():
        raise NotFound(f"There is no policy file {file}.")
    return parse_policy(file.read_text(), str(file))
