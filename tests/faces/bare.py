"""An environment that holds Playwright and pytest and nothing of ours, and what running a file in it gives."""

import asyncio
import importlib.metadata
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ran:
    """How a process ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """The one JSON object it printed."""
        return json.loads(self.stdout)


@dataclass(frozen=True)
class Bare:
    """One virtual environment."""

    python: Path

    async def run(self, folder: Path, *arguments: str, **variables: str) -> Ran:
        """Run its Python in a folder, with these variables added to an environment that has no path to our code."""
        environment = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "CAPWRIGHT"))}
        process = await asyncio.create_subprocess_exec(
            str(self.python), *arguments,
            cwd=folder, env={**environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        stdout, stderr = await asyncio.wait_for(process.communicate(), 120)
        assert process.returncode is not None
        return Ran(process.returncode, stdout.decode(), stderr.decode())


def make(folder: Path) -> Bare:
    """A fresh environment; raises CalledProcessError where packages cannot be had."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    wanted = [f"{name}=={importlib.metadata.version(name)}" for name in ("playwright", "pytest")]
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
    subprocess.run(command, check=True, capture_output=True)
    return Bare(python)
