"""Options that several commands share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

Json: TypeAlias = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Given: TypeAlias = Annotated[list[str] | None, typer.Option("--input", help="name=value.")]
InputsGiven: TypeAlias = Annotated[list[str] | None, typer.Option("--input", help="name=value: a value that is an input.")]
SecretsGiven: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="NAME, NAME=@FILE or NAME=env:VARIABLE; never the value.")
]
FilesGiven: TypeAlias = Annotated[list[str] | None, typer.Option("--file", help="NAME=PATH: a file that may be uploaded.")]
Examples: TypeAlias = Annotated[list[str] | None, typer.Option(help="name=value,…: other inputs to prove the draft with.")]
OtherTarget: TypeAlias = Annotated[str | None, typer.Option(help="Another base URL than the capability's own.")]
PolicyFile: TypeAlias = Annotated[Path | None, typer.Option(help="Policy file.")]
RunPolicy: TypeAlias = Annotated[
    Path | None, typer.Option(help="Policy file; without one: the target's own origin, writes ask.")
]
Model: TypeAlias = Annotated[str | None, typer.Option(help="Model id, or `embedded` for the planner that needs no model.")]
BaseUrl: TypeAlias = Annotated[str | None, typer.Option(help="Any OpenAI-compatible endpoint.")]
Headed: TypeAlias = Annotated[bool, typer.Option("--headed", help="Show the browser.")]
Seconds: TypeAlias = Annotated[float, typer.Option(min=1, help="Time limit in seconds.")]
