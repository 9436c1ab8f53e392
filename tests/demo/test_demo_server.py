import asyncio
import re
import signal
import socket
import sys
import time
from pathlib import Path

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from engine.demo import TellerConsole
from engine.demo.serving import serving
from tests.demo.opening import OpenClient, OpenConsole


async def test_closing_does_not_wait_for_idle_connections() -> None:
    """Kept-alive connections are open when the console stops, and it stops at once."""
    async with httpx.AsyncClient(trust_env=False) as client:
        async with TellerConsole() as console:
            await client.get(f"{console.url}/login")
            await client.get(f"{console.ops_url}/__ops")
            started = time.monotonic()
        assert time.monotonic() - started < 2
        with pytest.raises(httpx.ConnectError):
            await client.get(f"{console.url}/login")


async def test_closing_does_not_wait_for_a_slow_answer() -> None:
    """A request that would never be answered is given up."""
    arrived = asyncio.Event()

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        arrived.set()
        await asyncio.Event().wait()

    async with httpx.AsyncClient(trust_env=False, timeout=60) as client:
        async with serving(never, 0) as url:
            asked = asyncio.create_task(client.get(url))
            await arrived.wait()
            started = time.monotonic()
        assert time.monotonic() - started < 4
        assert (await asked).status_code == 500


async def test_the_temporary_books_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left in the folder for temporary files."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    async with TellerConsole():
        assert list(tmp_path.rglob("*.sqlite"))
    assert not list(tmp_path.iterdir())


async def test_books_in_a_named_file_stay(tmp_path: Path) -> None:
    """Who names the file keeps it."""
    async with TellerConsole(database=tmp_path / "kept.sqlite"):
        pass
    assert (tmp_path / "kept.sqlite").stat().st_size > 0


async def test_a_taken_port_is_an_error() -> None:
    """It is told at the door, and nothing keeps running."""
    before = asyncio.all_tasks()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            async with TellerConsole(port=taken.getsockname()[1]):
                pass
    assert asyncio.all_tasks() <= before


async def test_the_console_leaves_signals_alone() -> None:
    """The program it runs in keeps its own way of being interrupted."""
    before = signal.getsignal(signal.SIGINT)
    async with TellerConsole():
        assert signal.getsignal(signal.SIGINT) is before


async def test_latency_is_added_to_every_answer(open_console: OpenConsole, visitor: OpenClient) -> None:
    """The answer comes, later."""
    client = await visitor(await open_console(latency_seconds=0.2))
    started = time.monotonic()
    assert (await client.get("/login")).status_code == 200
    assert time.monotonic() - started >= 0.2


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
async def test_the_module_serves_until_it_is_told_to_stop(ending: signal.Signals, tmp_path: Path) -> None:
    """It says where it answers, ends with 0 on either signal, and leaves no file."""
    command = [sys.executable, "-m", "engine.demo", "--tenant", "summit", "--port", "0"]
    root = Path(__file__).parents[2]
    environment = {"TMPDIR": str(tmp_path), "PYTHONPATH": str(root)}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env=environment, cwd=root, stdout=pipe, stderr=pipe)
    assert process.stdout is not None
    async with asyncio.timeout(60):
        said = (await process.stdout.readline()).decode()
        url = re.findall(r"http://\S+", said)[0]
        async with httpx.AsyncClient(trust_env=False) as client:
            assert "Summit" in (await client.get(f"{url}/login")).text
        process.send_signal(ending)
        _, complaints = await process.communicate()
    assert (process.returncode, complaints) == (0, b"")
    assert not list(tmp_path.iterdir())
