"""`discover review`: what waits for a person, and the person's decision."""

import getpass
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from engine.assembly.reviewing import Reviewed, Reviewing, Unreadable, reviewing
from engine.cli import show
from engine.cli.options import Json

app = typer.Typer(help="Reviews of capability versions.", no_args_is_help=True)

Which = Annotated[
    str, typer.Argument(metavar="ID[@VERSION]", help="Without a version: the newest one; for revoke the approved one.")
]
Comment = Annotated[str, typer.Option(help="Why; kept with the decision.")]
By = Annotated[str | None, typer.Option(help="Who decides; default is the user of this terminal.")]
Digest = Annotated[str | None, typer.Option(help="Decide only when this is still the content's digest.")]

COLORS = {"approved": "green", "tampered": "red", "draft": "yellow"}
WAITING = ("draft", "tampered")


def here() -> Reviewing:
    """Reviews of this home."""
    from engine.cli.settings import current

    return reviewing(current())


@app.command("list")
def list_reviews(
    everything: Annotated[bool, typer.Option("--all", help="Also versions that have been decided about.")] = False,
    as_json: Json = False,
) -> None:
    """Versions that wait for a person, and files that are not what was decided about."""
    found = [each for each in here().all() if everything or isinstance(each, Unreadable) or each.state in WAITING]
    if as_json:
        show.one_json({"reviews": [row(each) for each in found]})
        return
    if not found:
        show.out.print("Nothing waits for a review.")
        return
    table = Table("capability", "version", "state", "risk", "by", "title", box=None, pad_edge=False)
    for each in found:
        if isinstance(each, Unreadable):
            table.add_row(*each.name.split("@"), "[red]unreadable[/red]", "", "", escape(each.problem))
            continue
        one, color = each.capability, COLORS.get(each.state, "dim")
        by = each.row.by if each.row else ""
        table.add_row(one.id, one.version, f"[{color}]{each.state}[/{color}]", one.risk_class, escape(by), escape(one.title))
    show.out.print(table)


@app.command("approve")
def approve(which: Which, comment: Comment = "", by: By = None, digest: Digest = None, as_json: Json = False) -> None:
    """Let a version run. The version that was approved before is superseded."""
    told(here().approve(which, by=by or getpass.getuser(), comment=comment, digest=digest), as_json)


@app.command("reject")
def reject(which: Which, comment: Comment = "", by: By = None, digest: Digest = None, as_json: Json = False) -> None:
    """Turn a draft down for good; an edit of it makes a new version."""
    told(here().reject(which, by=by or getpass.getuser(), comment=comment, digest=digest), as_json)


@app.command("revoke")
def revoke(which: Which, comment: Comment = "", by: By = None, as_json: Json = False) -> None:
    """Take an approval back: the version does not run any more."""
    told(here().revoke(which, by=by or getpass.getuser(), comment=comment), as_json)


def told(found: Reviewed, as_json: bool) -> None:
    """What was decided."""
    if as_json:
        show.one_json(row(found))
        return
    one = found.capability
    by = f" by {found.row.by}" if found.row else ""
    show.out.print(f"{one.id}@{one.version} is {found.state}{by}, digest {one.digest[:12]}", markup=False)


def row(found: Reviewed | Unreadable) -> dict[str, object]:
    """One version for `--json`."""
    if isinstance(found, Unreadable):
        name, _, version = found.name.partition("@")
        return {"id": name, "version": version, "state": "unreadable", "problem": found.problem}
    one, decided = found.capability, found.row
    return {
        "id": one.id, "version": one.version, "state": found.state, "digest": one.digest, "risk_class": one.risk_class,
        "title": one.title, "by": decided.by if decided else None, "at": decided.at.isoformat() if decided else None,
        "comment": decided.comment if decided else None,
    }  # fmt: skip
