"""Too much at once: a huge page, a locked database, ten runs of which one crashes and one hangs on close."""

import asyncio
import signal
import sqlite3
import time

import psutil
import pytest
from starlette.responses import Response

from engine.assembly.homes import run_store
from engine.settings import Settings
from tests.faults.test_processes import browser
from tests.faults.test_writes import left
from tests.journeys.command import Command
from tests.journeys.test_ends import CLICK, DONE, PAGE, discover, sound
from tests.llm.endpoint import Reply, Request, ScriptedEndpoint, completion
from tests.pages import Pages
from tests.waiting import until

HUGE = "<h1>Here</h1><button>Go</button><script>document.write('<p><b>x</b></p>'.repeat(75000))</script>"
STORES = """<button>Go</button><p id=had></p><script src=/kept.js></script><script>
had.textContent = `cookies ${document.cookie.length}, stored ${localStorage.length}`;
document.cookie = 'mine=1; max-age=3600'; localStorage.setItem('mine', 1);
fetch('/had?' + had.textContent)</script>"""


@pytest.mark.slow
async def test_a_page_of_150_000_nodes(command: Command, pages: Pages) -> None:
    """It is read, or the run says that it could not be: within its time, and with nothing left running."""
    pages["/"] = HUGE
    start = time.monotonic()
    async with ScriptedEndpoint(completion(DONE)) as model:
        ended = await command.finish(await discover(command, pages.url, model, "--timeout", "90"))
        size = max((len(request.prompt) for request in model.requests), default=0)
    assert ended.code in (4, 7, 8) and time.monotonic() - start < 100, ended
    assert size < 100_000
    sound(command.home, ended)


@pytest.mark.slow
@pytest.mark.parametrize(("seconds", "code"), [(3, 8), (60, 1)])
async def test_a_locked_database(seconds: float, code: int, command: Command, pages: Pages) -> None:
    """Another writer holds it while a run starts: for a while it is waited for, then the run says so and does nothing."""
    pages["/"] = PAGE
    run_store(Settings(home=command.home))
    lock = sqlite3.connect(Settings(home=command.home).state, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    async with ScriptedEndpoint(completion(DONE)) as model:
        process = await discover(command, pages.url, model)
        ending = asyncio.ensure_future(command.finish(process))
        await asyncio.wait({ending}, timeout=seconds)
        lock.execute("ROLLBACK")
        lock.close()
        ended = await ending
    assert ended.code == code, ended
    assert code == 8 or ("locked" in ended.json["message"] and not pages.hits)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_ten_runs_at_once(command: Command, pages: Pages) -> None:
    """One browser is killed and one stands still when it should close: the other eight end well and share nothing."""
    pages["/"] = STORES
    for_ever = {"cache-control": "max-age=3600, immutable"}
    pages["/kept.js"] = Response("0", media_type="text/javascript", headers=for_ever)
    processes: list[asyncio.subprocess.Process] = []

    def model(number: int) -> ScriptedEndpoint:
        asked: list[Request] = []

        def then(request: Request) -> Reply:
            asked.append(request)
            strike = {0: (1, signal.SIGKILL), 1: (2, signal.SIGSTOP)}.get(number)
            if strike and len(asked) == strike[0]:
                for each in psutil.Process(processes[number].pid).children(recursive=True):
                    if browser(each.cmdline()):
                        each.send_signal(strike[1])
            return completion(CLICK if len(asked) == 1 else DONE)

        return ScriptedEndpoint(then)

    models = [model(number) for number in range(10)]
    for each in models:
        await each.__aenter__()
    try:
        for each in models:
            processes.append(await discover(command, pages.url, each, "--timeout", "120"))
        ended = await asyncio.gather(*(command.finish(process) for process in processes))
    finally:
        for each in models:
            await each.__aexit__(None, None, None)
    assert [one.code for one in ended[2:]] == [8] * 8, [one.json["explanation"] for one in ended]
    assert ended[0].code == 7 and ended[1].code in (7, 8)
    assert [hit.query for hit in pages.hits if hit.path == "/had"] == ["cookies%200,%20stored%200"] * 10
    assert [hit.cookie for hit in pages.hits if hit.path == "/kept.js"] == [""] * 10
    assert len({one.json["run_id"] for one in ended}) == 10
    for one in ended:
        sound(command.home, one)
    assert await until(lambda: not left(command.home), 5)
