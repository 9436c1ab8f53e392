"""Bounded child processes, run for real."""

import asyncio
import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from engine.sandbox.child import run_child
from engine.sandbox.isolation import Isolation, probe
from engine.sandbox.limits import ChildEnd, Limits

ISOLATION = probe()
BOTH = pytest.mark.parametrize(
    "isolation",
    [
        pytest.param(Isolation(), id="bare"),
        pytest.param(ISOLATION, id="isolated", marks=pytest.mark.skipif(not ISOLATION.works, reason="no namespaces here")),
    ],
)


async def python(tmp_path: Path, program: str, isolation: Isolation, **limits: float) -> ChildEnd:
    """Run a Python program as a bounded child."""
    return await run_child(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdin=b"hello",
        env={"PATH": os.environ["PATH"]},
        limits=Limits(**{"wall_seconds": 20.0, **limits}),  # type: ignore[arg-type]
        isolation=isolation,
    )


def alone(word: str) -> str:
    """A word that stands in no other command line, not in that of the same test in another worker either."""
    return f"{word}{os.getpid()}"


def left_behind(word: str) -> list[int]:
    """Live processes whose command line holds this word."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        if process.info["status"] != "zombie" and any(word in part for part in process.info["cmdline"] or ()):
            found.append(process.pid)
    return found


@BOTH
async def test_a_child_reads_answers_and_exits(tmp_path: Path, isolation: Isolation) -> None:
    """stdin, stdout, the result channel and the exit code arrive."""
    program = "import os,sys; os.write(int(os.environ['CAPWRIGHT_RESULT_FD']), b'r'); print(sys.stdin.read()); sys.exit(3)"
    ended = await python(tmp_path, program, isolation)
    assert (ended.end, ended.exit_code, ended.stdout, ended.result) == ("exited", 3, b"hello\n", b"r")
    assert ended.isolated == isolation.works


@BOTH
async def test_a_child_sees_only_its_own_environment(tmp_path: Path, isolation: Isolation) -> None:
    """Nothing of our environment leaks in."""
    os.environ["CAPWRIGHT_TEST_LEAK"] = "leak"
    try:
        ended = await python(tmp_path, "import os; print(sorted(os.environ))", isolation)
    finally:
        del os.environ["CAPWRIGHT_TEST_LEAK"]
    assert b"LEAK" not in ended.stdout
    assert b"PATH" in ended.stdout


@BOTH
async def test_a_hanging_child_and_its_runaway_children_are_ended(tmp_path: Path, isolation: Isolation) -> None:
    """A grandchild in a session of its own, orphaned on purpose, does not outlive the deadline."""
    word = alone("98765.25")
    program = (
        "import os,time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        f"        os.execvp('sleep', ['sleep', '{word}'])\n"
        "    os._exit(0)\n"
        "time.sleep(999)\n"
    )
    started = time.monotonic()
    ended = await python(tmp_path, program, isolation, wall_seconds=1.5)
    assert ended.end == "deadline"
    assert ended.exit_code is None
    assert time.monotonic() - started < 12
    assert left_behind(word) == []


@BOTH
async def test_what_a_child_leaves_running_is_ended_too(tmp_path: Path, isolation: Isolation) -> None:
    """It exits at once, its daemon goes with it, and the pipe it held does not keep us waiting."""
    word = alone("98765.50")
    program = f"import os\nif os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '{word}'])\n"
    ended = await python(tmp_path, program, isolation)
    assert (ended.end, ended.exit_code) == ("exited", 0)
    assert ended.seconds < 10
    assert left_behind(word) == []


@BOTH
@pytest.mark.parametrize("stream", ["1", "2", "int(os.environ['CAPWRIGHT_RESULT_FD'])"])
async def test_a_flood_is_cut(tmp_path: Path, isolation: Isolation, stream: str) -> None:
    """More than the limit on any of the three channels ends the child."""
    ended = await python(tmp_path, f"import os\nwhile True: os.write({stream}, b'x' * 65536)", isolation)
    assert ended.end == "output_limit"


@BOTH
async def test_output_up_to_the_limit_is_kept(tmp_path: Path, isolation: Isolation) -> None:
    """Exactly 256 KiB pass, one byte more does not."""
    size = 256 * 1024
    assert len((await python(tmp_path, f"print('x' * {size - 1})", isolation)).stdout) == size
    assert (await python(tmp_path, f"print('x' * {size})", isolation)).end == "output_limit"


@BOTH
async def test_a_fork_bomb_is_stopped(tmp_path: Path, isolation: Isolation) -> None:
    """A child that multiplies meets the process limit and leaves nothing."""
    program = "import os,time\nfor _ in range(60):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(60)"
    ended = await python(tmp_path, f"{program}  # {alone('bomb-')}", isolation, processes=8)
    assert ended.end in ("process_limit", "exited")
    assert left_behind(alone("bomb-")) == []


@BOTH
async def test_memory_and_file_size_are_bounded(tmp_path: Path, isolation: Isolation) -> None:
    """Too much memory is an error inside the child; too large a file as well."""
    greedy = await python(tmp_path, "x = bytearray(900 << 20)", isolation, memory_bytes=512 << 20)
    assert greedy.exit_code == 1
    assert b"MemoryError" in greedy.stderr
    await python(tmp_path, "f = open('big', 'wb')\nf.write(b'x' * (3 << 20))", isolation, file_bytes=1 << 20)
    assert (tmp_path / "big").stat().st_size <= 1 << 20


@BOTH
async def test_processor_time_is_bounded(tmp_path: Path, isolation: Isolation) -> None:
    """A busy loop dies of its processor time, well before the wall."""
    ended = await python(tmp_path, "while True: pass", isolation, cpu_seconds=1, wall_seconds=30)
    assert ended.end == "exited"
    assert ended.exit_code != 0


@pytest.mark.skipif(not ISOLATION.works, reason="no namespaces here")
async def test_an_isolated_child_has_no_network_and_sees_no_other_process(tmp_path: Path) -> None:
    """Even the loopback of this machine does not answer, and pid 1 is its own."""
    server = await asyncio.start_server(lambda _r, w: w.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    program = f"import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port}), 2)\nexcept OSError: print('cut off')\n"
    program += "import os; print(len([x for x in os.listdir('/proc') if x.isdigit()]))"
    ended = await python(tmp_path, program, ISOLATION)
    server.close()
    await server.wait_closed()
    assert ended.stdout.split() == [b"cut", b"off", b"1"]


async def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    """It exits 127 as from a shell; a working folder that is not there is `not_started`."""
    limits = Limits(wall_seconds=10)
    gone = await run_child(["/no/such"], cwd=tmp_path, stdin=b"", env={}, limits=limits, isolation=Isolation())
    assert gone.exit_code == 127
    nowhere = await run_child(["/bin/true"], cwd=tmp_path / "x", stdin=b"", env={}, limits=limits, isolation=Isolation())
    assert nowhere.end == "not_started"


@BOTH
async def test_a_cancelled_wait_leaves_no_process(tmp_path: Path, isolation: Isolation) -> None:
    """Cancelling the task that runs a child ends the child."""
    (tmp_path / "up").unlink(missing_ok=True)
    program = f"open('up', 'w').close()\nimport time; time.sleep(60)  # {alone('cancelled-')}"
    task = asyncio.create_task(python(tmp_path, program, isolation))
    async with asyncio.timeout(15):
        while not (tmp_path / "up").exists():  # noqa: ASYNC110 - a file of another process
            await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left_behind(alone("cancelled-")) == []


PARENT = """
import asyncio, sys
from pathlib import Path
from engine.sandbox.child import run_child
from engine.sandbox.isolation import Isolation, probe
from engine.sandbox.limits import Limits
program = f"open('up', 'w').close(); import time; time.sleep(60)  # {sys.argv[3]}"
asyncio.run(run_child([sys.executable, "-c", program], cwd=Path(sys.argv[1]), stdin=b"", env={}, limits=Limits(),
                      isolation=probe() if sys.argv[2] == "isolated" else Isolation()))
"""


@pytest.mark.parametrize("how", ["bare", pytest.param("isolated", marks=pytest.mark.skipif(not ISOLATION.works, reason="no"))])
async def test_a_killed_engine_takes_its_children_along(tmp_path: Path, how: str) -> None:
    """kill -9 of the process that runs a child ends the child as well."""
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", PARENT, str(tmp_path), how, alone("orphan-"))
    async with asyncio.timeout(60):
        while not (tmp_path / "up").exists():  # noqa: ASYNC110 - a file of another process
            await asyncio.sleep(0.05)
        parent.kill()
        await parent.wait()
        while left_behind(alone("orphan-")):  # noqa: ASYNC110 - the death of another process
            await asyncio.sleep(0.05)
