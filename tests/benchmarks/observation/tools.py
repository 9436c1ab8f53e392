"""What the comparison needs from outside: a tokenizer and the peers, installed once into a cache folder."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.observe.tokens import tokens

NPM = ("@playwright/mcp@0.0.83", "gpt-tokenizer")
PIP = ("browser-use==0.13.14", "django==5.2.19")
COUNT = """
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { readFileSync } from 'fs';
console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map((text) => countTokens(text))));
"""


def folder() -> Path:
    """Where peers are kept: CAPWRIGHT_BENCH_PEERS, else a cache folder of the user."""
    return Path(os.environ.get("CAPWRIGHT_BENCH_PEERS", Path.home() / ".cache" / "capwright-bench"))


def install() -> None:
    """Install what is missing; a peer that cannot be installed is reported as absent by the benchmark."""
    where = folder()
    where.mkdir(parents=True, exist_ok=True)
    if not (where / "node_modules" / "@playwright" / "mcp").exists():
        subprocess.run(["npm", "install", "--silent", "--prefix", str(where), *NPM], check=False, timeout=600)
    if not python().exists():
        subprocess.run([sys.executable, "-m", "venv", str(where / "venv")], check=True, timeout=120)
        subprocess.run([str(python()), "-m", "pip", "install", "-q", *PIP], check=False, timeout=900)


def python() -> Path:
    """The interpreter that has browser-use and Django."""
    return folder() / "venv" / "bin" / "python"


def mcp_program() -> Path:
    """The program of Playwright MCP."""
    return folder() / "node_modules" / "@playwright" / "mcp" / "cli.js"


def count(texts: Sequence[str]) -> tuple[list[int], str]:
    """Tokens of each text, and what counted them: o200k_base where its package is there, else our own estimate."""
    if (folder() / "node_modules" / "gpt-tokenizer").exists():
        program = ["node", "--input-type=module", "--eval", COUNT]
        asked = subprocess.run(
            program, input=json.dumps(list(texts)), capture_output=True, text=True, check=True, cwd=folder(), timeout=120
        )
        return list(json.loads(asked.stdout)), "o200k_base"
    return [tokens(text) for text in texts], "our estimate"
