"""Starts Chromium and makes sure that nothing of it is left, even when it no longer answers."""

import asyncio
import os
import sys
import uuid
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import psutil
from playwright.async_api import Browser as PlaywrightBrowser
from playwright.async_api import BrowserType, Playwright, async_playwright
from playwright.async_api import Error as PlaywrightError

from engine.browser import locators, snapshot
from engine.browser.find import HOW_TO_GET_ONE, Candidate, candidates
from engine.browser.flags import QUIET
from engine.errors import BrowserMissing

ECHO = "capwright-echo"
ECHOES = files("engine.browser").joinpath("echoes.js").read_text()
"""A selector engine that finds the elements which show certain texts, and the texts of a document."""
HANDS = "capwright-hands"
WATCHING = files("engine.browser").joinpath("hands.js").read_text()
"""A selector engine that holds back and tells what a person does."""
LAUNCH_SECONDS = 30.0
CLOSE_SECONDS = 1.5
"""For the browser, then for its driver; whatever holds a stopped process is killed after it, so that a slot is free soon."""


@dataclass(frozen=True)
class BrowserSettings:
    """How to start a browser; `proxy` is the egress proxy's address and `flags` are what it needs."""

    executable: str | None = None
    headed: bool = False
    proxy: str | None = None
    flags: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


@dataclass(frozen=True)
class Browser:
    """A running Chromium, the one it was found as, and the mark that its processes carry."""

    playwright: PlaywrightBrowser
    candidate: Candidate
    mark: str

    def processes(self) -> list[psutil.Process]:
        """The browser's own process tree."""
        return _marked(self.mark)


@asynccontextmanager
async def open_browser(settings: BrowserSettings) -> AsyncIterator[Browser]:
    """Start the first browser that can be started; end it, by force if it does not answer. Raises BrowserMissing."""
    mark = f"--capwright-browser={uuid.uuid4().hex}"
    # Signals are ours: with Playwright's own handlers a Ctrl-C kills the browser before the step is recorded.
    driver = async_playwright()
    playwright = await driver.start()
    driving: list[psutil.Process] = []
    try:
        await teach(playwright)
        running, candidate = await _launch(playwright.chromium, settings, mark)
        browser = Browser(running, candidate, mark)
        driving += [parent for process in browser.processes()[:1] if (parent := process.parent())]
        try:
            yield browser
        finally:
            await _ended(running.close(), browser.processes())
    finally:
        await _ended(playwright.stop(), driving)


async def teach(playwright: Playwright) -> None:
    """Our selector engines, once for each driver and before its first page."""
    engines = {locators.ENGINE: locators.SELECTOR, snapshot.ENGINE: snapshot.LONG, HANDS: WATCHING, ECHO: ECHOES}
    for name, script in engines.items():
        await playwright.selectors.register(name, script, content_script=True)


async def _launch(chromium: BrowserType, settings: BrowserSettings, mark: str) -> tuple[PlaywrightBrowser, Candidate]:
    screen = {"DISPLAY", "WAYLAND_DISPLAY"} & settings.environment.keys()
    if settings.headed and sys.platform == "linux" and not screen:
        raise BrowserMissing("A window needs a screen, and there is none here: DISPLAY is not set. Run it where there is one.")
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    args = [*QUIET, *settings.flags, mark, *(["--no-sandbox"] if root else [])]
    tried = []
    for candidate in candidates(settings.executable, settings.environment):
        if absent := candidate.absent(chromium.executable_path):
            tried.append(f"{candidate.source}: {absent} does not exist")
            continue
        try:
            running = await chromium.launch(
                executable_path=candidate.executable,
                channel=candidate.channel,
                headless=not settings.headed,
                args=args,
                proxy={"server": settings.proxy, "bypass": "<-loopback>"} if settings.proxy else None,
                timeout=LAUNCH_SECONDS * 1000,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except PlaywrightError as error:
            tried.append(f"{candidate.source}: {str(error).splitlines()[0]}")
        else:
            return running, candidate
    raise BrowserMissing(f"{HOW_TO_GET_ONE} Tried: {'; '.join(tried)}.")


async def _ended(ending: Coroutine[Any, Any, None], processes: list[psutil.Process]) -> None:
    """Wait for the polite end, then make it one."""
    closing = asyncio.ensure_future(ending)
    done, _ = await asyncio.wait({closing}, timeout=CLOSE_SECONDS)
    for process in processes:
        if process.is_running():
            _kill(process)
    if not done:
        closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if mark in process.cmdline():
                found += [process, *process.children(recursive=True)]
        except (psutil.NoSuchProcess, psutil.ZombieProcess):
            continue
    return found
