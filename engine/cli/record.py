"""`discover record`: a person does the work once, and a capability comes of it; no model decides anything."""

from typing import Annotated

import typer

from engine.cli import show, values
from engine.cli.discover import Approve, ended, run
from engine.cli.options import Examples, InputsGiven, Json, RunPolicy, Seconds, SecretsGiven

HOW = (
    "Do the work in the window that opens: click, type and choose as usual, Alt+click each value that is to be read, and close "
    "the window when it is done. Passwords become secrets."
)


def record(
    goal: Annotated[str, typer.Option(help="What you are about to do; values in it become inputs.")],
    target: Annotated[str, typer.Option(help="Base URL of the application.")],
    policy: RunPolicy = None,
    given: InputsGiven = None,
    secret: SecretsGiven = None,
    example: Examples = None,
    timeout: Seconds = 3600,
    approve: Annotated[Approve | None, typer.Option(help="Risky steps: ask here, in the inbox, or deny.")] = None,
    as_json: Json = False,
) -> None:
    """Record by demonstration: do the work once in a browser, and get the capability that does it."""
    from engine.assembly import discovering
    from engine.cli.settings import current
    from engine.decide.shown import shown

    order = discovering.Order(
        goal=goal,
        target=target,
        policy=policy,
        inputs=values.pairs(given or [], "--input"),
        secrets=values.secrets(secret or []),
        examples=values.examples(example or []),
        max_steps=1000,
        timeout_seconds=timeout,
        headed=True,
        approve=approve.value if approve else None,
        screenshots="always",
        person=shown,
    )
    show.line(HOW)
    ended(run(discovering.discover(current(), order, tell_step=show.step, tell=show.line)), as_json)
