"""`discover --goal … --target …`: the main job."""

import asyncio
import signal
from collections.abc import Coroutine
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from engine.cli import show, values
from engine.cli.options import BaseUrl, Examples, FilesGiven, Headed, InputsGiven, Json, Model, RunPolicy, SecretsGiven
from engine.domain.run import RunResult
from engine.errors import UsageError

T = TypeVar("T")


class Approve(StrEnum):
    """How risky steps are asked about."""

    ask = "ask"
    inbox = "inbox"
    deny = "deny"


class Screenshots(StrEnum):
    """When the model gets a picture of the page."""

    auto = "auto"
    always = "always"
    never = "never"


def version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        from importlib.metadata import version as installed

        typer.echo(f"capwright {installed('capwright')}")
        raise typer.Exit


def discover(
    context: typer.Context,
    goal: Annotated[str | None, typer.Option(help="What is wanted, in words; @FILE reads it from a file.")] = None,
    target: Annotated[str | None, typer.Option(help="Base URL of the application.")] = None,
    policy: RunPolicy = None,
    model: Model = None,
    base_url: BaseUrl = None,
    given: InputsGiven = None,
    secret: SecretsGiven = None,
    file: FilesGiven = None,
    example: Examples = None,
    max_steps: Annotated[int | None, typer.Option(min=1, max=1000, help="Step limit (24).")] = None,
    timeout: Annotated[float | None, typer.Option(min=1, help="Time limit in seconds (180).")] = None,
    headed: Headed = False,
    approve: Annotated[Approve | None, typer.Option(help="Risky steps: ask here, in the inbox, or deny.")] = None,
    screenshots: Annotated[Screenshots | None, typer.Option(help="Pictures for the model.")] = None,
    as_json: Json = False,
    _version: Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Turn work that people do in a web application into capabilities that run without a model."""
    if context.invoked_subcommand is not None:
        return
    if goal is None and target is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)
    if goal is None or target is None:
        raise UsageError("A discovery needs both --goal and --target.")
    from engine.assembly import discovering
    from engine.cli.settings import current

    order = discovering.Order(
        goal=Path(goal[1:]).read_text() if goal.startswith("@") else goal,
        target=target,
        policy=policy,
        model=model,
        base_url=base_url,
        inputs=values.pairs(given or [], "--input"),
        secrets=values.secrets(secret or []),
        files=values.uploads(file or []),
        examples=values.examples(example or []),
        max_steps=max_steps,
        timeout_seconds=timeout,
        headed=headed,
        approve=approve.value if approve else None,
        screenshots=screenshots.value if screenshots else None,
    )
    ended(run(discovering.discover(current(), order, tell_step=show.step, tell=show.line)), as_json)


def ended(result: RunResult, as_json: bool) -> NoReturn:
    """Show how it ended, and end with its exit code."""
    if as_json:
        show.one_json(result.printed())
    else:
        show.result(result)
    raise typer.Exit(result.exit_code)


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; SIGTERM ends it like Ctrl-C, with everything closed and recorded."""

    async def watched() -> T:
        task = asyncio.ensure_future(work)
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, task.cancel)
        return await task

    return asyncio.run(watched())
