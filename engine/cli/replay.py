"""`discover replay ID`: run a capability without a model."""

from pathlib import Path
from typing import Annotated

import typer

from engine.cli import show, values
from engine.cli.discover import Approve, run


def replay(
    capability: Annotated[str, typer.Argument(help="ID, ID@VERSION or a file.")],
    given: Annotated[list[str] | None, typer.Option("--input", help="name=value.")] = None,
    secret: Annotated[list[str] | None, typer.Option(help="NAME, NAME=@FILE or NAME=env:VARIABLE; never the value.")] = None,
    target: Annotated[str | None, typer.Option(help="Another base URL than the capability's own.")] = None,
    policy: Annotated[Path | None, typer.Option(help="Policy file.")] = None,
    allow_draft: Annotated[bool, typer.Option("--allow-draft", help="Run a version that nobody has approved.")] = False,
    approve: Annotated[Approve | None, typer.Option(help="Risky steps: ask here, in the inbox, or deny.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Time limit in seconds.")] = 120,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Run a capability without a model; it does the right thing, or stops and says why."""
    from engine.assembly import replaying
    from engine.cli.settings import current

    order = replaying.Order(
        capability=capability,
        inputs=values.pairs(given or [], "--input"),
        secrets=values.secrets(secret or []),
        target=target,
        policy=policy,
        allow_draft=allow_draft,
        approve=approve.value if approve else None,
        timeout_seconds=timeout,
        headed=headed,
    )
    result = run(replaying.replay(current(), order))
    if as_json:
        show.one_json(result.model_dump(mode="json"))
    else:
        show.replayed(result)
    raise typer.Exit(result.exit_code)
