"""`discover distill RUN`: try again to make a capability of a recorded run."""

from typing import Annotated

import typer

from engine.cli import show, values
from engine.cli.discover import run
from engine.cli.options import Examples, FilesGiven, Json


def distill(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="Id of a recorded run that reached its goal.")],
    secret: Annotated[list[str] | None, typer.Option(help="Secrets that the proof replays need.")] = None,
    file: FilesGiven = None,
    example: Examples = None,
    as_json: Json = False,
) -> None:
    """Make a draft capability of a recorded run and prove it by replays."""
    from engine.assembly import discovering
    from engine.cli.settings import current

    given, files = values.secrets(secret or []), values.uploads(file or [])
    path = run(discovering.distill_again(current(), run_id, given, values.examples(example or []), files, tell=show.line))
    if as_json:
        show.one_json({"run_id": run_id, "capability": str(path)})
    else:
        show.out.print(f"capability  {path}")
