"""`discover replay ID`: run a capability without a model."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli import show, values
from engine.cli.discover import Approve, run
from engine.cli.junit import write
from engine.cli.options import FilesGiven, Given, Headed, Json, OtherTarget, PolicyFile, Seconds, SecretsGiven
from engine.cli.settings import current
from engine.domain.ending import BatchResult
from engine.errors import UsageError

if TYPE_CHECKING:
    from engine.assembly.replaying import Order


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
    hermetic: Annotated[Path | None, typer.Option(help="File of the site's answers: recorded, then played.")] = None,
    approve: Annotated[Approve | None, typer.Option(help="Risky steps: ask here, in the inbox, or deny.")] = None,
    timeout: Seconds = 120,
    headed: Headed = False,
    as_json: Json = False,
) -> None:
    """Run a capability without a model; it does the right thing, or stops and says why."""
    from engine.assembly.replaying import Order

    order = Order(
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
        hermetic=hermetic,
    )
    batch, answer, tell = ended(order, inputs, repeat, parallel)
    if junit:
        write(junit, batch)
    if as_json:
        show.one_json(answer)
    else:
        tell()
    raise typer.Exit(batch.exit_code)


def ended(
    order: "Order", inputs: Path | None, repeat: int, parallel: int
) -> tuple[BatchResult, dict[str, Any], Callable[[], None]]:
    """One replay, or one for every row: its endings, the answer for a program, and what tells it to a person."""
    from engine.assembly import batching, replaying

    if not inputs and repeat == 1:
        result = run(replaying.replay(current(), order))
        return BatchResult.of(result, order.inputs), result.model_dump(mode="json"), partial(show.replayed, result)
    if order.hermetic:
        raise UsageError("--hermetic tapes one replay; leave --inputs and --repeat out.")
    rows = (values.rows(inputs) if inputs else ({},)) * repeat
    batch = run(batching.batch(current(), order, rows, parallel, show.row))
    return batch, batch.model_dump(mode="json"), partial(show.batch, batch)
