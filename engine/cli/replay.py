"""`discover replay ID`: run a capability without a model."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from engine.cli import show, values
from engine.cli.discover import Approve, run
from engine.cli.junit import write
from engine.cli.options import FilesGiven, Given, Headed, Json, OtherTarget, PolicyFile, Seconds, SecretsGiven
from engine.domain.ending import BatchResult


def replay(
    capability: Annotated[str, typer.Argument(help="ID, ID@VERSION or a file.")],
    given: Given = None,
    secret: SecretsGiven = None,
    file: FilesGiven = None,
    target: OtherTarget = None,
    policy: PolicyFile = None,
    allow_draft: Annotated[bool, typer.Option("--allow-draft", help="Run a version that nobody has approved.")] = False,
    inputs: Annotated[Path | None, typer.Option(help="A .csv or .jsonl file: one replay a row.")] = None,
    repeat: Annotated[int, typer.Option(min=1, max=10_000, help="Run it, or every row, so many times.")] = 1,
    parallel: Annotated[int, typer.Option(min=1, max=16, help="Rows at once, where nothing is changed.")] = 2,
    junit: Annotated[Path | None, typer.Option(help="Write the endings as a JUnit report, too.")] = None,
    approve: Annotated[Approve | None, typer.Option(help="Risky steps: ask here, in the inbox, or deny.")] = None,
    timeout: Seconds = 120,
    headed: Headed = False,
    as_json: Json = False,
) -> None:
    """Run a capability without a model; it does the right thing, or stops and says why."""
    from engine.assembly import batching, replaying
    from engine.cli.settings import current

    order = replaying.Order(
        capability=capability,
        inputs=values.pairs(given or [], "--input"),
        secrets=values.secrets(secret or []),
        files=values.uploads(file or []),
        target=target,
        policy=policy,
        allow_draft=allow_draft,
        approve=approve.value if approve else None,
        timeout_seconds=timeout,
        headed=headed,
    )
    if inputs or repeat > 1:
        rows = (values.rows(inputs) if inputs else ({},)) * repeat
        batch = run(batching.batch(current(), order, rows, parallel, show.row))
        answer, tell = batch.model_dump(mode="json"), partial(show.batch, batch)
    else:
        result = run(replaying.replay(current(), order))
        batch = BatchResult.of(result, order.inputs)
        answer, tell = result.model_dump(mode="json"), partial(show.replayed, result)
    if junit:
        write(junit, batch)
    if as_json:
        show.one_json(answer)
    else:
        tell()
    raise typer.Exit(batch.exit_code)
