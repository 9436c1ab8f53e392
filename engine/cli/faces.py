"""`discover capability diff|export|import`: two versions side by side, and capabilities on their way out and in."""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from engine.assembly.reviewing import reviewing
from engine.cli import show
from engine.cli.options import Json
from engine.domain.capability import Capability
from engine.domain.ending import EXIT_OF_ENDING
from engine.errors import NotFound, UsageError
from engine.review.diff import diff
from engine.store.capabilities import written

Which = Annotated[str, typer.Argument(metavar="CAPABILITY", help="ID, ID@VERSION or a file.")]


class Face(StrEnum):
    """What a capability can be written as."""

    json = "json"
    playwright = "playwright"
    pytest = "pytest"
    schema = "json-schema"
    mcp = "mcp"


def indented(content: object) -> str:
    """JSON for people."""
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def writers() -> Mapping[Face, Callable[[Capability], str]]:
    """How each is written; imported when it is needed, so that no other command waits for it."""
    from engine.faces import playwright_file, pytest_file, schema, tool

    return {
        Face.json: written,
        Face.playwright: playwright_file.write,
        Face.pytest: pytest_file.write,
        Face.schema: lambda one: indented(schema.document(one)),
        Face.mcp: lambda one: indented(tool.definition(one).model_dump(mode="json", by_alias=True, exclude_none=True)),
    }


RUNNABLE = frozenset({Face.playwright, Face.pytest, Face.mcp})
"""Faces that make somebody run it: only of versions that may run."""


def added_to(group: typer.Typer) -> typer.Typer:
    """The command group with these commands."""
    group.command("diff")(compare)
    group.command("export")(export)
    group.command("import")(bring)
    return group


def compare(
    before: Annotated[str, typer.Argument(metavar="A", help="ID@VERSION or a file.")],
    after: Annotated[str, typer.Argument(metavar="B", help="ID@VERSION or a file.")],
    as_json: Json = False,
) -> None:
    """What changed for whoever calls it, and what only moved on the page."""
    from engine.cli.settings import current

    store = reviewing(current()).store
    found = diff(store.load(before), store.load(after))
    if as_json:
        show.one_json({**found.model_dump(mode="json"), "bump": found.bump})
    else:
        show.out.print(found.text(), markup=False)


def export(
    which: Which,
    face: Annotated[
        Face, typer.Option("--as", help="The capability itself, a script, a test, schemas or an MCP tool.")
    ] = Face.json,
    out: Annotated[Path | None, typer.Option(help="Write to this new file instead of stdout.")] = None,
    allow_draft: Annotated[bool, typer.Option("--allow-draft", help="Also a version that nobody has approved.")] = False,
    as_json: Json = False,
) -> None:
    """Write a capability as something else. Exit 21 or 22 for a runnable face of a version that may not run."""
    from engine.cli.settings import current

    house = reviewing(current())
    one = house.meant(which, allow_draft)
    refused = house.lifecycle.may_run(one, allow_draft) if face in RUNNABLE else None
    if refused:
        why = {"tampered": "is not what was reviewed", "not_approved": "is not approved (--allow-draft writes a draft)"}[
            refused
        ]
        says = f"{one.id}@{one.version} {why}."
        show.one_json({"ending": refused, "explanation": says}) if as_json else show.err.print(says, markup=False)
        raise typer.Exit(EXIT_OF_ENDING[refused])
    text = writers()[face](one)
    if out is not None:
        create(out, text)
    if as_json:
        show.one_json({"id": one.id, "version": one.version, "as": face.value, "file": out and str(out), "text": text})
    elif out is None:
        typer.echo(text, nl=False)
    else:
        show.out.print(f"{one.id}@{one.version} as {face.value}: {out}", markup=False)


def bring(file: Annotated[Path, typer.Argument(metavar="FILE", help="A capability file.")], as_json: Json = False) -> None:
    """Take a capability in, as a draft: approvals of another home do not count here."""
    from engine.cli.settings import current

    if not file.is_file():
        raise NotFound(f"There is no file {file}.")
    house = reviewing(current())
    draft = house.admit(file)
    if as_json:
        show.one_json({"imported": draft is not None} | ({"id": draft.id, "version": draft.version} if draft else {}))
    elif draft is None:
        show.out.print("It is here already; nothing was written.")
    else:
        show.out.print(
            f"{draft.id}@{draft.version} is here as a draft: discover review approve {draft.id}@{draft.version}", markup=False
        )


def create(path: Path, text: str) -> None:
    """Write a new file. Raises UsageError rather than overwrite one."""
    try:
        with path.open("x", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError as error:
        raise UsageError(f"{path} exists; export never overwrites a file.") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
