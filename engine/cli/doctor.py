"""`discover doctor`: what works here, what does not, and what to do about it."""

from typing import Annotated

import typer

from engine.cli import show
from engine.cli.discover import run
from engine.cli.options import Json
from engine.errors import CapwrightError


def doctor(
    browser: Annotated[bool, typer.Option("--browser", help="Check only the browser.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of config.toml and check nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Check browser, settings, database and model endpoint; exit 1 when something must be done."""
    from engine.assembly.checks import BROWSER, CHECKS
    from engine.cli.settings import current
    from engine.settings import config_schema

    if schema:
        show.one_json(config_schema())
        return
    findings = []
    for name, check in (BROWSER if browser else CHECKS).items():
        try:
            findings.append({"check": name, "ok": True, "says": run(check(current()))})
        except CapwrightError as error:
            findings.append({"check": name, "ok": False, "says": str(error)})
    if as_json:
        show.one_json({"checks": findings})
    else:
        for found in findings:
            show.out.print(f"{'ok  ' if found['ok'] else 'FAIL'}  {found['check']}: {found['says']}", markup=False)
    raise typer.Exit(0 if all(found["ok"] for found in findings) else 1)
