"""Values given on the command line: k=v pairs, and secrets that never stand on it."""

import csv
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import typer

from engine.errors import UsageError


def pairs(given: list[str], option: str) -> dict[str, str]:
    """`k=v` texts as a mapping. Raises UsageError naming the one that is none."""
    found: dict[str, str] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise UsageError(f"{option} takes name=value; {text!r} is not of that form.")
        found[name.strip()] = value
    return found


def uploads(given: list[str]) -> dict[str, str]:
    """`NAME=PATH` texts as names and whole paths. Raises UsageError for a file that is not there."""
    found = {name: Path(path).expanduser().resolve() for name, path in pairs(given, "--file").items()}
    for name, path in found.items():
        if not path.is_file():
            raise UsageError(f"--file {name}: there is no file {path}.")
    return {name: str(path) for name, path in found.items()}


def rows(file: Path) -> tuple[dict[str, str], ...]:
    """One mapping a row of a CSV file with a header, or a line of a JSONL file. Raises UsageError naming the line."""
    if not file.is_file():
        raise UsageError(f"--inputs: there is no file {file}.")
    with file.open(newline="", encoding="utf-8-sig") as lines:
        if file.suffix == ".csv":
            table = csv.DictReader(lines, restkey="")
            found = [_row(record, f"{file}:{table.line_num}") for record in table]
        elif file.suffix in (".jsonl", ".ndjson"):
            found = [_row(_object(line, f"{file}:{at}"), f"{file}:{at}") for at, line in enumerate(lines, 1) if line.strip()]
        else:
            raise UsageError(f"--inputs takes a .csv or a .jsonl file; {file} is neither.")
    if not found:
        raise UsageError(f"--inputs: {file} has no rows.")
    return tuple(found)


def _object(line: str, where: str) -> object:
    try:
        return json.loads(line)
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}.") from error


def _row(record: object, where: str) -> dict[str, str]:
    if not isinstance(record, dict):
        raise UsageError(f"{where} is not an object of inputs.")
    if any(not isinstance(value, str | int | float) for value in record.values()) or "" in record:
        raise UsageError(f"{where} does not have one value for each column or name.")
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in record.items()}


def examples(given: list[str]) -> tuple[dict[str, str], ...]:
    """`k=v,k=v` texts, one mapping each."""
    return tuple(pairs(text.split(","), "--example") for text in given)


def secrets(given: list[str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """`NAME`, `NAME=@FILE` or `NAME=env:VARIABLE` → values: from CAPWRIGHT_SECRET_NAME, a file, a variable or a prompt.

    A value itself on the command line is refused: it would stand in the shell's history and in the process list.
    """
    return dict(_secret(text, environment) for text in given)


def _secret(text: str, environment: Mapping[str, str]) -> tuple[str, str]:
    name, separator, source = text.partition("=")
    if not separator:
        return name, _named(name, environment)
    if source.startswith("@"):
        file = Path(source[1:])
        if not file.is_file():
            raise UsageError(f"--secret {name}: there is no file {file}.")
        return name, file.read_text().rstrip("\r\n")
    if source.startswith("env:"):
        value = environment.get(source[4:])
        if value is None:
            raise UsageError(f"--secret {name}: the environment has no {source[4:]}.")
        return name, value
    raise UsageError(
        f"--secret {name}: give no value on the command line; set {variable(name)}, or use {name}=@FILE or {name}=env:VARIABLE."
    )


def _named(name: str, environment: Mapping[str, str]) -> str:
    value = environment.get(variable(name))
    if value is not None:
        return value
    if not sys.stdin.isatty():
        raise UsageError(f"The secret {name} has no value: set {variable(name)}, or use --secret {name}=@FILE.")
    answer: str = typer.prompt(f"Value of the secret {name}", hide_input=True, err=True)
    return answer


def variable(name: str) -> str:
    """The environment variable that a secret's value is looked for in: `tellerPin` → CAPWRIGHT_SECRET_TELLERPIN."""
    return f"CAPWRIGHT_SECRET_{name.upper()}"
