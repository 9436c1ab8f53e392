"""A capability as a Python script on Playwright's own API: it runs without this package, and holds no run data."""

import re
from collections.abc import Iterator
from importlib.resources import files

from engine.domain.capability import Capability, CapabilityStep, JsonSchema
from engine.domain.template import names_in
from engine.faces import flow
from engine.faces.source import lines, quoted, sentence
from engine.replay.inputs import public, secret_names

ENDINGS = {
    "input_invalid": 2, "drift": 10, "ambiguous": 11, "checkpoint_failed": 12, "output_invalid": 13, "approval_needed": 15,
    "auth_expired": 16, "dialog_unexpected": 17, "target_error": 18, "timeout": 19, "in_doubt": 20,
}  # fmt: skip
IMPORTS = {
    "argparse": "import argparse", "hashlib": "import hashlib", "json": "import json", "os": "import os", "re": "import re",
    "sys": "import sys", "time": "import time",
}  # fmt: skip
FROM = {
    "Callable": "collections.abc", "Iterator": "collections.abc", "datetime": "datetime", "Decimal": "decimal",
    "Path": "pathlib", "Any": "typing", "parse_qs": "urllib.parse", "urljoin": "urllib.parse", "urlsplit": "urllib.parse",
}  # fmt: skip
PLAYWRIGHT = ("Dialog", "Download", "Error", "Frame", "Locator", "Page", "TimeoutError", "sync_playwright")
BLANK = "\n\n\n"
PLAYED = "# How the steps are carried out.\n\n"
RESERVED = frozenset({"--target", "--headed", "--browser", "--confirm", "--help"})
PARTS = files("engine.faces").joinpath("parts")


def write(capability: Capability) -> str:
    """The whole script. Raises CapabilityInvalid for a step that a script cannot do."""
    exits = table("EXITS", [f"{quoted(name)}: {code}," for name, code in ENDINGS.items()])
    secrets = table("SECRETS", [f"{quoted(name)}: {quoted(secret(name))}," for name in secret_names(capability.inputs)])
    constants = [f"TITLE = {quoted(sentence(capability.title))}", *inputs(capability), secrets, risky(capability), exits]
    return module(capability, "\n".join(constants), part("main"), usage(capability))


def module(capability: Capability, constants: str, ending: str, how: str) -> str:
    """Docstring, imports, constants, functions that are needed, steps, and how it is started."""
    steps = ["\n".join(each) for each in (*map(flow.written, capability.steps), arrived(capability))]
    flow_ = BLANK.join([f"{places(capability)}\n{constants}", *steps, order(capability)])
    used = helpers("\n".join([flow_, part("play"), ending]))
    text = BLANK.join([f"{flow_}\n\n\n{PLAYED}\n{part('run')}", *used, part("play"), ending]) + "\n"
    return f"{docstring(capability, how)}\n\nfrom __future__ import annotations\n\n{imports(text)}\n\n{text}"


def places(capability: Capability) -> str:
    """The constants of every face."""
    seconds = 'SECONDS = float(os.environ.get("CAPWRIGHT_SECONDS", "10"))'
    return f"TARGET = {quoted(capability.target)}\n{seconds}"


def table(name: str, rows: list[str], kind: str = "") -> str:
    """A constant that is a dict, one row a line."""
    head = f"{name}{f': {kind}' if kind else ''} = "
    return "\n".join([f"{head}{{", *(f"    {row}" for row in rows), "}"]) if rows else f"{head}{{}}"


def risky(capability: Capability) -> str:
    """Whether what it does cannot be undone."""
    return f"RISKY = {capability.risk_class == 'irreversible'}"


def inputs(capability: Capability) -> tuple[str, str]:
    """The options of the command line and what may be chosen; files to upload are inputs of their own."""
    schema = public(capability.inputs)
    needed = schema.get("required", ())
    rows = [(name, name in needed, said(field)) for name, field in schema["properties"].items()]
    rows += [(name, True, "path of a file") for name in file_names(capability)]
    found = [f"{quoted(name)}: ({quoted(option(name))}, {must}, {quoted(words)})," for name, must, words in rows]
    choices = {name: field["enum"] for name, field in schema["properties"].items() if "enum" in field}
    listed = [f"{quoted(name)}: [{', '.join(quoted(str(each)) for each in some)}]," for name, some in choices.items()]
    return (
        table("INPUTS", found, "dict[str, tuple[str, bool, str]]"),
        table("CHOICES", listed, "dict[str, list[str]]"),
    )


def said(field: JsonSchema) -> str:
    """What an input is, for the help of the command line: argparse reads a percent sign as its own."""
    return str(field.get("description") or field.get("title") or field.get("format") or field.get("type", "")).replace(
        "%", "%%"
    )


def docstring(capability: Capability, how: str) -> str:
    """What it is and how to start it."""
    said = sentence(capability.description or capability.title)
    origin = f"Written by capwright from {capability.id}@{capability.version}, digest {capability.digest[:16]}."
    return f'"""{sentence(capability.title)}\n\n{said}\n{origin}\n\n{how}\n"""'


def usage(capability: Capability) -> str:
    """The command line, and the environment."""
    options = " ".join(f"{option(name)} …" for name in public(capability.inputs)["properties"])
    secrets = ", ".join(secret(name) for name in secret_names(capability.inputs))
    told = [f"    python {capability.id.replace('-', '_')}.py {options}".rstrip()]
    told += [f"Secrets come from the environment: {secrets}."] if secrets else []
    return "\n".join(told)


def arrived(capability: Capability) -> list[str]:
    """The function that checks the checkpoint."""
    found = ["def arrived(run: Run) -> None:", '    """What proves that the flow arrived."""']
    for before, code in flow.checks(capability.checkpoint, "checkpoint_failed"):
        found += lines(code, 1, before)
    return found


def order(capability: Capability) -> str:
    """The steps in their order, and which of them signs in last."""
    names = [f"    {flow.function(step)}," for step in capability.steps]
    typed = max((number for number, step in enumerate(capability.steps) if types_secret(step)), default=-1)
    sent = (number for number, step in enumerate(capability.steps) if number > typed and step.action in ("click", "press"))
    last = next(sent, typed) if typed >= 0 else -1
    return "\n".join(["STEPS = (", *names, ")", f"SIGNED_IN_AFTER = {last}"])


def types_secret(step: CapabilityStep) -> bool:
    """Whether a secret is typed."""
    return any(name.startswith("secret.") for name in names_in(step.value or ""))


def part(name: str) -> str:
    """One function of the script, as it is written in parts/."""
    return PARTS.joinpath(f"{name}.txt").read_text("utf-8").strip()


def helpers(body: str) -> list[str]:
    """The functions that this script needs beside the ones that every script has, in a steady order."""
    known = sorted(each.name.removesuffix(".txt") for each in PARTS.iterdir() if each.name.endswith(".txt"))
    known = [name for name in known if name not in ("run", "play", "main", "test")]
    wanted: set[str] = set()
    text = body
    while new := {name for name in known if name not in wanted and re.search(rf"(?<![\w.\"'])(?:{called(name)})\(", text)}:
        wanted |= new
        text += "".join(part(name) for name in new)
    return [part(name) for name in known if name in wanted]


def called(name: str) -> str:
    """The functions that one part defines, as a pattern."""
    return "|".join(re.findall(r"^def (\w+)\(", part(name), re.MULTILINE))


def imports(text: str) -> str:
    """Only what is used, in a linter's order."""
    plain = [line for name, line in sorted(IMPORTS.items()) if re.search(rf"(?<![\w.]){name}\.", text)]
    grouped: dict[str, list[str]] = {}
    for name, home in FROM.items():
        if re.search(rf"(?<![\w.\"]){name}\b", text):
            grouped.setdefault(home, []).append(name)
    froms = [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(grouped.items())]
    return "\n".join([*plain, *froms, "", *_third_party(text)])


def _third_party(text: str) -> Iterator[str]:
    if re.search(r"(?<![\w.])pytest\.", text):
        yield "import pytest"
    names = [name for name in PLAYWRIGHT if re.search(rf"(?<![\w.\"]){name}\b", text)]
    one = f"from playwright.sync_api import {', '.join(names)}"
    yield from [one] if len(one) <= 88 else ["from playwright.sync_api import (", *(f"    {each}," for each in names), ")"]


def option(name: str) -> str:
    """`memberId` → `--member-id`."""
    found = "--" + re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", name).replace("_", "-").lower()
    return f"--input-{found[2:]}" if found in RESERVED else found


def secret(name: str) -> str:
    """The environment variable of a secret."""
    return f"CAPWRIGHT_SECRET_{name.upper()}"


def file_names(capability: Capability) -> tuple[str, ...]:
    """Names of files that are uploaded and are no inputs."""
    found = (step.value or "" for step in capability.steps if step.action == "upload")
    return tuple(dict.fromkeys(name for name in found if name and not names_in(name)))
