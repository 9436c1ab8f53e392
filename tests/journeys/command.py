"""Runs `discover` as a person would: a process of its own, a home of its own, secrets from the environment."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

KEYS = ("OPENROUTER_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "CAPWRIGHT_API_KEY", "CAPWRIGHT_MODEL", "CAPWRIGHT_BASE_URL")


@dataclass(frozen=True)
class Ended:
    """What a command left: its exit code, its one JSON object, its progress."""

    code: int
    json: Mapping[str, Any]
    stderr: str


@dataclass
class Command:
    """`discover` in one home."""

    home: Path
    environment: dict[str, str] = field(default_factory=dict)

    async def start(self, *arguments: str, terminal: int | None = None) -> asyncio.subprocess.Process:
        """Start it with `--json`, or on a terminal; its own process group, so that a signal reaches only it."""
        environment = {name: value for name, value in os.environ.items() if name not in KEYS}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "engine.cli", *arguments, *(() if terminal else ("--json",)),
            env={**environment, "CAPWRIGHT_HOME": str(self.home), **self.environment},
            stdin=subprocess.DEVNULL, stdout=terminal or subprocess.PIPE, stderr=terminal or subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip

    async def finish(self, process: asyncio.subprocess.Process) -> Ended:
        """Wait for its end. A command that prints anything but one JSON object fails the test."""
        try:
            stdout, stderr = await asyncio.wait_for(process.communicate(), 170)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
        code = process.returncode
        assert code is not None
        return Ended(code, json.loads(stdout), stderr.decode())

    async def __call__(self, *arguments: str) -> Ended:
        return await self.finish(await self.start(*arguments))
