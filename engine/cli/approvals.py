"""`discover approvals`: risky steps that wait for a person."""

import getpass
import time
import uuid
from typing import Annotated, Any

import typer
from rich.table import Table

from engine.cli import show
from engine.cli.options import Json
from engine.domain.approval import Approval

app = typer.Typer(help="Risky steps, and explorations (`ask-…`), that wait for a person.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(metavar="ID", help="Id of the approval; `discover approvals list` shows it.")]
Comment = Annotated[str, typer.Option(help="Why.")]
By = Annotated[str | None, typer.Option(help="Who decides; the user of this machine when it is not said.")]


@app.command("list")
def list_approvals(as_json: Json = False) -> None:
    """What waits for an answer now: steps, oldest first, then explorations."""
    from engine.assembly.homes import approval_store
    from engine.cli.settings import current

    waiting = approval_store(current()).pending(time.time())
    asked = _requested("approvals.list", state="pending").approvals if current().agents else ()
    if as_json:
        told = [one.model_dump(mode="json") for one in asked]
        show.one_json({"approvals": [one.model_dump(mode="json") for one in waiting], "explorations": told})
        return
    if not waiting and not asked:
        show.out.print("Nothing waits for an answer.")
        return
    for each in asked:
        show.out.print(f"{each.approval_id}  {each.run_id}  asked by {each.requested_by}: {each.title}", markup=False)
    if not waiting:
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

    if which.startswith("ask-"):
        _decide_exploration(which, yes, comment, as_json)
        return
    store = approval_store(current())
    process = uuid.uuid4().hex
    decided: Approval = store.decide(
        which, approve=yes, by=by or getpass.getuser(), process=process, now=time.time(), comment=comment
    )
    if as_json:
        show.one_json(decided.model_dump(mode="json"))
    else:
        show.out.print(f"{decided.id} {decided.state} by {decided.approver}", markup=False)


def _decide_exploration(which: str, yes: bool, comment: str, as_json: bool) -> None:
    """As the user of this machine, who must manage the agent and not have asked; `discover serve` then runs it."""
    receipt = _requested("approvals.decide", id=which, approve=yes, comment=comment)
    if as_json:
        show.one_json(receipt.model_dump(mode="json"))
    else:
        show.out.print(
            f"{receipt.approval_id} {'approved' if receipt.approve else 'denied'} by {receipt.decided_by}", markup=False
        )


def _requested(method: str, **params: object) -> Any:
    from engine.assembly.exploring import exploring, local_caller
    from engine.cli.discover import run
    from engine.cli.settings import current

    return run(exploring(current()).requests.call(method, params, local_caller()))
