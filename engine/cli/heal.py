"""`discover heal ID`: propose a patch where a page moved away from a capability."""

from typing import Annotated

import typer

from engine.cli import show, values
from engine.cli.discover import run
from engine.cli.options import BaseUrl, FilesGiven, Given, Headed, Json, Model, OtherTarget, PolicyFile, Seconds, SecretsGiven


def heal(
    capability: Annotated[str, typer.Argument(help="ID, ID@VERSION or a file.")],
    given: Given = None,
    secret: SecretsGiven = None,
    file: FilesGiven = None,
    target: OtherTarget = None,
    policy: PolicyFile = None,
    model: Model = None,
    base_url: BaseUrl = None,
    allow_draft: Annotated[bool, typer.Option("--allow-draft", help="Heal a version that nobody has approved.")] = False,
    timeout: Seconds = 180,
    headed: Headed = False,
    as_json: Json = False,
) -> None:
    """Find again what a page moved, prove it, and draft a patch; nothing is replaced, and no commit is crossed."""
    from engine.assembly import healing, replaying
    from engine.cli.settings import current

    order = replaying.Order(
        capability=capability,
        inputs=values.pairs(given or [], "--input"),
        secrets=values.secrets(secret or []),
        files=values.uploads(file or []),
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
