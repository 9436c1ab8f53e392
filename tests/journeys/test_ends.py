import asyncio
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from starlette.responses import Response

from engine.assembly.homes import approval_store, run_store
from engine.record.verify import verify
from engine.settings import load
from tests.journeys.command import Command, Ended
from tests.llm.endpoint import Reply, Request, ScriptedEndpoint, completion
from tests.pages import Pages
from tests.waiting import until

CLICK = {"reason": "go on", "action": {"action": "click", "ref": "e2"}}
DONE = {"reason": "all done", "action": {"action": "done", "summary": "It is done."}}
NEVER = Reply(never=True)
PAGE = "<button onclick=\"document.title = 'clicked'\">Go</button>"


def tree(home: Path) -> list[psutil.Process]:
    """All processes of the run of this home: its command, and everything below it."""
    for process in psutil.process_iter():
        try:
            if "engine.cli" in process.cmdline() and process.environ().get("CAPWRIGHT_HOME") == str(home):
                return [process, *process.children(recursive=True)]
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return []


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Those that still run."""
    return [each for each in processes if each.is_running() and each.status() != psutil.STATUS_ZOMBIE]


async def gone(processes: list[psutil.Process]) -> bool:
    """Whether nothing of the run is left, within a moment. There must have been something: a browser, its driver."""
    assert len(processes) > 3
    return await until(lambda: not alive(processes), 5)


def sound(home: Path, ended: Ended) -> dict[str, Any]:
    """The result in the evidence, after the whole folder was checked against the database."""
    row = run_store(load({"CAPWRIGHT_HOME": str(home)}, home)).get(ended.json["run_id"])
    found = verify(Path(row.evidence), row.manifest_head)
    assert found.problem is None, found.problem
    result: dict[str, Any] = json.loads((Path(row.evidence) / "result.json").read_text())
    assert result["stop_reason"] == ended.json["stop_reason"] == row.stop_reason
    return result


Discover = Callable[..., Awaitable[asyncio.subprocess.Process]]


@pytest.fixture
async def endpoint() -> AsyncIterator[Callable[..., Awaitable[ScriptedEndpoint]]]:
    """Starts scripted endpoints and ends them."""
    running: list[ScriptedEndpoint] = []

    async def start(*script: Reply | Callable[[Request], Reply]) -> ScriptedEndpoint:
        made = ScriptedEndpoint(*script)
        running.append(await made.__aenter__())
        return made

    yield start
    for one in running:
        await one.__aexit__(None, None, None)


async def discover(command: Command, target: str, model: ScriptedEndpoint, *more: str) -> asyncio.subprocess.Process:
    """A discovery with that model."""
    asking = ("--base-url", model.url, "--model", "scripted", "--screenshots", "never")
    return await command.start("--goal", "Press Go", "--target", target, *asking, *more)


async def asked(model: ScriptedEndpoint, times: int = 1) -> None:
    """Until the model was asked that often."""
    assert await until(lambda: len(model.requests) >= times), "the model was never asked"


async def test_a_target_that_is_down(command: Command, endpoint: Any) -> None:
    """Exit 7, named, with evidence."""
    ended = await command.finish(await discover(command, "http://127.0.0.1:9", await endpoint(NEVER)))
    assert (ended.code, ended.json["stop_reason"]) == (7, "target")
    assert "127.0.0.1:9" in sound(command.home, ended)["explanation"]


async def test_a_target_that_answers_500(command: Command, endpoint: Any, pages: Pages) -> None:
    """Exit 7: there is nothing to work on."""
    pages["/"] = Response("no", status_code=500)
    ended = await command.finish(await discover(command, pages.url, await endpoint(NEVER)))
    assert (ended.code, ended.json["stop_reason"]) == (7, "target")
    assert "500" in sound(command.home, ended)["explanation"]


async def test_a_target_that_is_slow(command: Command, endpoint: Any, pages: Pages) -> None:
    """Exit 4 at the time limit, not when the site feels like it."""
    pages["/"] = PAGE
    pages.delay["/"] = 120
    start = time.monotonic()
    process = await discover(command, pages.url, await endpoint(NEVER), "--timeout", "10")
    assert await until(lambda: pages.hits)
    running = tree(command.home)
    ended = await command.finish(process)
    assert (ended.code, ended.json["stop_reason"]) == (4, "timeout")
    assert time.monotonic() - start < 10 + 20
    assert await gone(running)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_interrupted_while_the_model_thinks(
    command: Command, endpoint: Any, pages: Pages, number: signal.Signals
) -> None:
    """Exit 130 within ten seconds, the evidence whole, nothing running."""
    pages["/"] = PAGE
    model = await endpoint(NEVER)
    process = await discover(command, pages.url, model)
    await asked(model)
    running = tree(command.home)
    start = time.monotonic()
    os.kill(process.pid, number)
    ended = await command.finish(process)
    assert time.monotonic() - start < 10
    assert (ended.code, ended.json["stop_reason"]) == (130, "interrupted")
    sound(command.home, ended)
    assert await gone(running)


async def test_interrupted_while_opening(command: Command, endpoint: Any, pages: Pages) -> None:
    """Before the first step there is a result all the same."""
    pages["/"] = PAGE
    pages.delay["/"] = 120
    process = await discover(command, pages.url, await endpoint(NEVER))
    assert await until(lambda: pages.hits)
    running = tree(command.home)
    os.kill(process.pid, signal.SIGINT)
    ended = await command.finish(process)
    assert (ended.code, ended.json["steps"]) == (130, 0)
    sound(command.home, ended)
    assert await gone(running)


async def test_interrupted_while_acting(command: Command, endpoint: Any, pages: Pages) -> None:
    """The step that was cut off is recorded as in doubt."""
    pages["/"] = "<button onclick=\"fetch('/slow')\">Go</button>"
    pages["/slow"] = "late"
    pages.delay["/slow"] = 120
    process = await discover(command, pages.url, await endpoint(completion(CLICK), NEVER))
    assert await until(lambda: any(hit.path == "/slow" for hit in pages.hits))
    os.kill(process.pid, signal.SIGINT)
    ended = await command.finish(process)
    assert ended.code == 130
    result = sound(command.home, ended)
    (line,) = (Path(result["evidence"]) / "steps.jsonl").read_text().splitlines()
    assert json.loads(line)["outcome"]["in_doubt"]


async def test_a_browser_that_is_killed(command: Command, endpoint: Any, pages: Pages) -> None:
    """Exit 7 in the next step, and the steps so far are kept."""
    pages["/"] = PAGE
    running: list[psutil.Process] = []

    def then(_request: Request) -> Reply:
        running.extend(tree(command.home))
        for process in running:
            if "chrom" in process.name():
                process.kill()
        return completion(CLICK)

    ended = await command.finish(await discover(command, pages.url, await endpoint(then)))
    assert (ended.code, ended.json["stop_reason"]) == (7, "browser"), ended
    sound(command.home, ended)
    assert await gone(running)


async def test_a_renderer_that_is_stopped(command: Command, endpoint: Any, pages: Pages) -> None:
    """Playwright would wait for ever; our deadlines end the run, and the stopped processes with it."""
    pages["/"] = PAGE
    running: list[psutil.Process] = []

    def then(_request: Request) -> Reply:
        running.extend(tree(command.home))
        for process in running:
            if "--type=renderer" in process.cmdline():
                process.suspend()
        return completion(CLICK)

    start = time.monotonic()
    ended = await command.finish(await discover(command, pages.url, await endpoint(then), "--timeout", "40"))
    assert ended.code in (4, 7), ended
    assert time.monotonic() - start < 60
    sound(command.home, ended)
    assert await gone(running)


async def test_the_step_limit(command: Command, endpoint: Any, pages: Pages) -> None:
    """Two are allowed, two are taken: exit 4."""
    pages["/"] = "<button onclick='count.append(1)'>Go</button><p id=count>"
    ended = await command.finish(await discover(command, pages.url, await endpoint(completion(CLICK)), "--max-steps", "2"))
    assert (ended.code, ended.json["stop_reason"], ended.json["steps"]) == (4, "step_limit", 2)
    assert ended.json["usage"]["requests"] == 2
    sound(command.home, ended)


async def test_no_progress(command: Command, endpoint: Any, pages: Pages) -> None:
    """The same click on the same page three times: exit 3."""
    pages["/"] = "<button>Go</button>"
    ended = await command.finish(await discover(command, pages.url, await endpoint(completion(CLICK))))
    assert (ended.code, ended.json["stop_reason"], ended.json["steps"]) == (3, "no_progress", 3)


async def test_a_model_that_makes_no_sense(command: Command, endpoint: Any, pages: Pages) -> None:
    """Exit 6 after one repair question, and what was paid is counted."""
    pages["/"] = PAGE
    ended = await command.finish(await discover(command, pages.url, await endpoint(completion("no idea"))))
    assert (ended.code, ended.json["stop_reason"]) == (6, "model_garbled")
    assert ended.json["usage"]["usd"] == pytest.approx(0.00025 * ended.json["usage"]["requests"])


async def test_asking_for_what_the_policy_forbids(command: Command, endpoint: Any, pages: Pages) -> None:
    """Three refusals in a row: exit 5, and not a byte to the forbidden place."""
    pages["/"] = PAGE
    away = {"reason": "elsewhere", "action": {"action": "navigate", "url": "http://127.0.0.1:9/"}}
    ended = await command.finish(await discover(command, pages.url, await endpoint(completion(away))))
    assert (ended.code, ended.json["stop_reason"]) == (5, "policy")


async def test_done_without_having_done_anything(command: Command, endpoint: Any, pages: Pages) -> None:
    """Exit 8: the goal is called reached, and there is nothing to make a capability of; `discover distill` says the same."""
    pages["/"] = PAGE
    ended = await command.finish(await discover(command, pages.url, await endpoint(completion(DONE))))
    assert (ended.code, ended.json["status"], ended.json["capability"]) == (8, "not_distilled", None)
    again = await command("distill", ended.json["run_id"])
    assert again.code == 8 and again.json["error"] == "DistillRefused"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--goal", "x"),
        ("--goal", "x", "--target", "ftp://x"),
        ("--goal", "x", "--target", "http://127.0.0.1:9", "--secret", "p=hunter2"),
        ("--goal", "x", "--target", "http://127.0.0.1:9", "--policy", "/nowhere.yaml"),
        ("--goal", "x", "--target", "http://127.0.0.1:9", "--input", "novalue"),
        ("replay", "no-such-capability"),
        ("runs", "show", "no-such-run"),
        ("--bogus",),
    ],
)
async def test_usage_errors(command: Command, arguments: tuple[str, ...]) -> None:
    """Exit 2 with a sentence, before anything starts."""
    ended = await command(*arguments)
    assert ended.code == 2 and len(ended.json["message"]) > 10, ended


async def test_interrupted_while_a_person_is_asked(command: Command, endpoint: Any, pages: Pages) -> None:
    """The question is withdrawn: nobody can approve a step of a run that is over, and nothing was sent."""
    pages["/"] = "<form method=post action=/do><button>Send</button></form>"

    send = completion({"reason": "go on", "action": {"action": "click", "ref": "e3"}})
    process = await discover(command, pages.url, await endpoint(send), "--approve", "inbox")
    store = approval_store(load({"CAPWRIGHT_HOME": str(command.home)}, command.home))
    assert await until(lambda: store.pending(time.time()))
    (waiting,) = store.pending(time.time())
    os.kill(process.pid, signal.SIGINT)
    ended = await command.finish(process)
    assert ended.code == 130
    sound(command.home, ended)
    assert store.one(waiting.id).state == "void"
    assert (await command("approvals", "approve", waiting.id)).code != 0
    assert not pages.writes("/do")


async def test_interrupted_while_proving(command: Command, endpoint: Any, pages: Pages) -> None:
    """Exit 130, no draft, and the run can be distilled again."""
    pages["/"] = "<a href=/two>Go</a>"
    pages["/two"] = "<h1>There</h1>"

    def then(_request: Request) -> Reply:
        pages.delay["/"] = 120
        return completion(DONE)

    process = await discover(command, pages.url, await endpoint(completion(CLICK), then))
    assert await until(lambda: sum(hit.path == "/" for hit in pages.hits) > 1)
    running = tree(command.home)
    os.kill(process.pid, signal.SIGINT)
    ended = await command.finish(process)
    assert (ended.code, ended.json["capability"]) == (130, None)
    sound(command.home, ended)
    assert await gone(running)
    del pages.delay["/"]
    again = await command("distill", ended.json["run_id"])
    assert again.code == 0, again
    assert Path(again.json["capability"]).is_file()
