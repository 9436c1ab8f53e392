"""`discover heal ID`: propose a patch where a page moved away from a capability."""

from pathlib import Path
from typing import Annotated

import typer

from engine.cli import show, values
from engine.cli.discover import run


def heal(
    capability: Annotated[str, typer.Argument(help="ID, ID@VERSION or a file.")],
    given: Annotated[list[str] | None, typer.Option("--input", help="name=value.")] = None,
    secret: Annotated[list[str] | None, typer.Option(help="NAME, NAME=@FILE or NAME=env:VARIABLE; never the value.")] = None,
    target: Annotated[str | None, typer.Option(help="Another base URL than the capability's own.")] = None,
    policy: Annotated[Path | None, typer.Option(help="Policy file.")] = None,
    model: Annotated[str | None, typer.Option(help="Model id, or `embedded` for the planner that needs no model.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Any OpenAI-compatible endpoint.")] = None,
    allow_draft: Annotated[bool, typer.Option("--allow-draft", help="Heal a version that nobody has approved.")] = False,
    timeout: Annotated[float, typer.Option(min=1, help="Time limit in seconds.")] = 180,
    headed: Annotated[bool, typer.Option("--headed", help="Show the browser.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Find again what a page moved, prove it, and draft a patch; nothing is replaced, and no commit is crossed."""
    from engine.assembly import healing, replaying
    from engine.cli.settings import current

    order = replaying.Order(
        capability=capability,
        inputs=values.pairs(given or [], "--input"),
        secrets=values.secrets(secret or []),
        target=target,
        policy=policy,
        allow_draft=allow_draft,
        approve="deny",
        timeout_seconds=timeout,
        headed=headed,
    )
    healed = run(healing.heal(current(), order, model, base_url, show.line))
    if as_json:
        path = str(healed.path) if healed.path else None
        show.one_json({"healed": healed.steps, "capability": path, "replay": healed.result.model_dump(mode="json")})
    elif healed.diff is None or healed.path is None:
        show.replayed(healed.result)
        show.out.print(
            "Nothing was healed." if healed.result.exit_code else "Every step up to the first commit found its element."
        )
    else:
        show.out.print(healed.diff.text(), markup=False)
        show.out.print(f"capability  {healed.path} (a draft: a person reviews it)", markup=False)
    raise typer.Exit(healed.result.exit_code)
