"""Runs one child process inside its limits, reads what it says, and leaves nothing of it behind."""

import asyncio
import contextlib
import json
import os
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from engine.sandbox.isolation import Isolation
from engine.sandbox.limits import ChildEnd, End, Limits
from engine.sandbox.tree import MARK, count, end, end_namespace

RESULT_FD = "CAPWRIGHT_RESULT_FD"
_LAUNCHER = Path(__file__).with_name("launcher.py")
_LOOK_SECONDS = 0.2
_DRAIN_SECONDS = 5.0
_CHUNK = 64 * 1024


async def run_child(
    argv: Sequence[str],
    *,
    cwd: Path,
    stdin: bytes,
    env: Mapping[str, str],
    limits: Limits,
    isolation: Isolation,
) -> ChildEnd:
    """Run a program without a shell, with only this environment, in a session of its own.

    The number of the file descriptor of its result channel is in `CAPWRIGHT_RESULT_FD`. Never raises for what the child
    does; a child that cannot be started ends as `not_started`, one of which something is left as `not_gone`.
    """
    mark = uuid.uuid4().hex
    read_end, write_end = os.pipe()
    started = time.monotonic()
    command = [sys.executable, "-I", "-S", str(_LAUNCHER), json.dumps(_rlimits(limits)), *isolation.prefix, *argv]
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env={**env, MARK: mark, RESULT_FD: str(write_end)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            pass_fds=(write_end,),
            start_new_session=True,
        )
    except OSError as error:
        os.close(read_end)
        return ChildEnd("not_started", None, b"", str(error).encode(), b"", isolation.works, 0.0)
    finally:
        os.close(write_end)
    watch = _Watch(process, read_end, limits, mark)
    return await watch.run(stdin, isolated=isolation.works, started=started)


class _Watch:
    """Feeds, reads and bounds one started child."""

    def __init__(self, process: asyncio.subprocess.Process, result_fd: int, limits: Limits, mark: str) -> None:
        self._process = process
        self._result_fd = result_fd
        self._limits = limits
        self._mark = mark
        self._over = asyncio.Event()
        self._end: End = "exited"

    async def run(self, stdin: bytes, *, isolated: bool, started: float) -> ChildEnd:
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        result = await _pipe_reader(self._result_fd)
        readers = [
            asyncio.create_task(self._read(stream)) for stream in (self._process.stdout, self._process.stderr, result[0])
        ]
        others = [asyncio.create_task(self._feed(stdin)), asyncio.create_task(self._count())]
        exited = asyncio.create_task(self._exit())
        over = asyncio.create_task(self._over.wait())
        try:
            done, _ = await asyncio.wait({exited, over}, timeout=self._limits.wall_seconds, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                self._end = "deadline"
        finally:
            gone = await asyncio.to_thread(self._clear, isolated)
            await asyncio.wait({exited, *readers}, timeout=_DRAIN_SECONDS)
            result[1].close()
            everything: tuple[asyncio.Task[Any], ...] = (exited, over, *readers, *others)
            for task in everything:
                task.cancel()
            await asyncio.gather(*everything, return_exceptions=True)
        if not gone:
            self._end = "not_gone"
        texts = [task.result() if not task.cancelled() and task.exception() is None else b"" for task in readers]
        code = self._process.returncode if self._end == "exited" else None
        return ChildEnd(self._end, code, texts[0], texts[1], texts[2], isolated, time.monotonic() - started)

    async def _read(self, stream: asyncio.StreamReader) -> bytes:
        kept = bytearray()
        while chunk := await stream.read(_CHUNK):
            if len(kept) + len(chunk) > self._limits.output_bytes:
                self._stop("output_limit")  # and read on, to the end that killing it brings
            else:
                kept += chunk
        return bytes(kept)

    async def _feed(self, stdin: bytes) -> None:
        writer = self._process.stdin
        assert writer is not None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            writer.write(stdin)
            await writer.drain()
        writer.close()

    async def _exit(self) -> None:
        """asyncio's own wait also waits for the pipes, which a daemon that the child left behind holds open."""
        pause = 0.002
        while self._process.returncode is None:
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.05)

    async def _count(self) -> None:
        """The kernel does not hold the superuser to a number of processes, so we count as well."""
        while not self._over.is_set():
            await asyncio.sleep(_LOOK_SECONDS)
            if count(self._process.pid) > self._limits.processes:
                self._stop("process_limit")

    def _clear(self, isolated: bool) -> bool:
        return end_namespace(self._process.pid) if isolated else end(self._process.pid, self._mark)

    def _stop(self, why: End) -> None:
        if not self._over.is_set():
            self._end = why
            self._over.set()


async def _pipe_reader(fd: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb"))
    return reader, transport


def _rlimits(limits: Limits) -> list[tuple[str, int]]:
    mine = len(psutil.pids())  # the kernel counts all processes of this user
    return [
        ("RLIMIT_AS", limits.memory_bytes),
        ("RLIMIT_CPU", limits.cpu_seconds),
        ("RLIMIT_FSIZE", limits.file_bytes),
        ("RLIMIT_NPROC", limits.processes + mine),
        ("RLIMIT_CORE", 0),
    ]
