"""`discover approvals`: risky steps that wait for a person."""

import getpass
import time
import uuid
from typing import Annotated

import typer
from rich.table import Table

from engine.cli import show
from engine.domain.approval import Approval

app = typer.Typer(help="Risky steps that wait for a person.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Which = Annotated[str, typer.Argument(metavar="ID", help="Id of the approval; `discover approvals list` shows it.")]
Comment = Annotated[str, typer.Option(help="Why.")]
By = Annotated[str | None, typer.Option(help="Who decides; the user of this machine when it is not said.")]


@app.command("list")
def list_approvals(as_json: Json = False) -> None:
    """What waits for an answer now, oldest first."""
    from engine.assembly.homes import approval_store
    from engine.cli.settings import current

    waiting = approval_store(current()).pending(time.time())
    if as_json:
        show.one_json({"approvals": [one.model_dump(mode="json") for one in waiting]})
        return
    if not waiting:
        show.out.print("Nothing waits for an answer.")
        return
    table = Table("approval", "run", "step", "what", "seconds left", box=None, pad_edge=False)
    for one in waiting:
        table.add_row(one.id, one.run_id, str(one.step), one.needed.why, f"{one.expires_at - time.time():.0f}")
    show.out.print(table)


@app.command("approve")
def approve(which: Which, comment: Comment = "", by: By = None, as_json: Json = False) -> None:
    """Let exactly this one step happen, once."""
    decide(which, True, comment, by, as_json)


@app.command("deny")
def deny(which: Which, comment: Comment = "", by: By = None, as_json: Json = False) -> None:
    """Refuse it; the run ends or goes another way."""
    decide(which, False, comment, by, as_json)


def decide(which: str, yes: bool, comment: str, by: str | None, as_json: bool) -> None:
    """Write the answer down. A question that is answered, withdrawn or expired is an error that says so."""
    from engine.assembly.homes import approval_store
    from engine.cli.settings import current

    store = approval_store(current())
    process = uuid.uuid4().hex
    decided: Approval = store.decide(
        which, approve=yes, by=by or getpass.getuser(), process=process, now=time.time(), comment=comment
    )
    if as_json:
        show.one_json(decided.model_dump(mode="json"))
    else:
        show.out.print(f"{decided.id} {decided.state} by {decided.approver}", markup=False)
