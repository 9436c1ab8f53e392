"""A process of the browser dies or stands still under a running step: the run ends by itself, and nothing of it is left."""

import signal
import time
from collections.abc import Callable

import psutil
import pytest

from tests.journeys.command import Command
from tests.journeys.test_ends import CLICK, DONE, PAGE, discover, gone, sound, tree
from tests.llm.endpoint import Reply, Request, ScriptedEndpoint, completion
from tests.pages import Pages

SECONDS = 15
Which = Callable[[list[str]], bool]


def renderer(line: list[str]) -> bool:
    return "--type=renderer" in line


def browser(line: list[str]) -> bool:
    return any(each.startswith("--capwright-browser=") for each in line) and not any(
        each.startswith("--type=") for each in line
    )


def network(line: list[str]) -> bool:
    return any("network.mojom" in each for each in line)


def driver(line: list[str]) -> bool:
    return "run-driver" in line


STRIKES: dict[str, tuple[Which, signal.Signals]] = {
    "renderer killed": (renderer, signal.SIGKILL),
    "renderer crashed": (renderer, signal.SIGSEGV),
    "renderer stopped": (renderer, signal.SIGSTOP),
    "browser killed": (browser, signal.SIGKILL),
    "browser stopped": (browser, signal.SIGSTOP),
    "network process killed": (network, signal.SIGKILL),
    "network process stopped": (network, signal.SIGSTOP),
    "driver killed": (driver, signal.SIGKILL),
    "driver stopped": (driver, signal.SIGSTOP),
}


@pytest.mark.slow
@pytest.mark.parametrize("strike", STRIKES)
async def test_the_slot_is_free_in_the_deadline_and_five_seconds(strike: str, command: Command, pages: Pages) -> None:
    """Struck while the model thinks about the first step; then the click comes."""
    pages["/"] = PAGE
    running: list[psutil.Process] = []
    struck: list[float] = []
    which, number = STRIKES[strike]

    def then(_request: Request) -> Reply:
        if struck:
            return completion(DONE)
        running.extend(tree(command.home))
        found = [process for process in running if process.is_running() and which(process.cmdline())]
        for process in found:
            process.send_signal(number)
        struck.extend([time.monotonic()] * len(found))
        return completion(CLICK)

    async with ScriptedEndpoint(then) as model:
        ended = await command.finish(await discover(command, pages.url, model, "--timeout", str(SECONDS)))
    assert struck, ended
    took = time.monotonic() - struck[0]
    goes_on = strike.startswith("network")  # the click needs none, and Chromium starts another one
    assert ended.code in ((0, 8, 4, 7) if goes_on else (4, 7)), (ended.json["explanation"], ended.stderr)
    assert took < SECONDS + 5, took
    sound(command.home, ended)
    assert await gone(running)
