"""`discover evidence`: is a run's evidence what was written?"""

from pathlib import Path
from typing import Annotated

import typer

from engine.cli import show
from engine.cli.options import Json

app = typer.Typer(help="Evidence of runs.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Evidence of runs."""


@app.command("verify")
def verify_run(
    run_id: Annotated[str, typer.Argument(metavar="RUN")],
    as_json: Json = False,
) -> None:
    """Check the hash chain over a run's folder; the first bad entry is named. Exit 1 when it does not hold."""
    from engine.assembly.homes import run_store
    from engine.cli.settings import current
    from engine.record.verify import verify

    row = run_store(current()).get(run_id)
    found = verify(Path(row.evidence), row.manifest_head, finished=row.ended_at is not None)
    if as_json:
        show.one_json({"run_id": run_id, "entries": found.entries, "head": found.head, "problem": found.problem})
    else:
        show.out.print(found.problem or f"{found.entries} entries, all as written ({found.head[:12]}).", markup=False)
    raise typer.Exit(1 if found.problem else 0)
