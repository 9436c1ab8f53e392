"""Looks at pages with our own eyes and the peers', and counts."""

import asyncio
import os
import re
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playwright.async_api import Page, async_playwright

from engine.browser.find import candidates
from engine.browser.launch import teach
from engine.browser.snapshot import Snapshot, take
from engine.decide.prompt import UNCHANGED, page
from engine.domain.observation import Observation, facts
from engine.observe.writing import Writer
from tests.benchmarks.observation.completeness import Held, Kept, actionable, held, readable
from tests.benchmarks.observation.journey import journey
from tests.benchmarks.observation.peers import Peer
from tests.benchmarks.observation.sites import Shown

MAX_TOKENS = 12_000
OURS = "Capwright"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0")


@dataclass(frozen=True)
class Look:
    """What one observer showed of one page; `sent` is what is new to the endpoint, `prompt` all that the prompt holds of it."""

    sent: str
    prompt: str
    seconds: float


@dataclass
class Row:
    """One page as everyone saw it."""

    name: str
    looks: dict[str, Look] = field(default_factory=dict)
    acts: Kept = Kept(0, 0, 0, ())
    texts: Kept = Kept(0, 0, 0, ())
    split: tuple[float, float, float] = (0, 0, 0)
    held: dict[str, Held] = field(default_factory=dict)
    unread: int = 0


@asynccontextmanager
async def shared_browser() -> AsyncIterator[tuple[Page, str]]:
    """A Chromium of our own with an open debugging port, so that everyone can look at the same page; and its address."""
    program = next(each.executable for each in candidates(None, os.environ) if each.executable)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = (*FLAGS, f"--user-data-dir={profile}", "about:blank")
        process = await asyncio.create_subprocess_exec(program, *arguments, stderr=asyncio.subprocess.PIPE)
        try:
            address = await asyncio.wait_for(_address(process), 60)
            async with async_playwright() as playwright:
                browser = await playwright.chromium.connect_over_cdp(address)
                await teach(playwright)  # contexts that were there before are taught only now
                yield browser.contexts[0].pages[0], address
        finally:
            process.kill()
            await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr
    async for line in process.stderr:
        if found := re.search(rb"DevTools listening on ws://([\d.]+:\d+)/", line):
            return f"http://{found[1].decode()}"
    raise RuntimeError("The browser ended before it listened.")


class Ours:
    """Our own observation of one run, as `engine.decide.prompt` puts it into requests."""

    def __init__(self) -> None:
        self._writer = Writer(MAX_TOKENS)
        self.snapshot: Snapshot | None = None
        self.split = (0.0, 0.0, 0.0)

    async def look(self, shown: Page) -> Look:
        """Whole when the page is written out anew, else what changed."""
        start, busy = time.perf_counter(), time.process_time()
        self.snapshot = snapshot = await take(shown, deadline_s=60)
        taken = time.perf_counter()
        told = facts(snapshot.url, snapshot.title, (), snapshot.notices)
        written = self._writer.write(told, snapshot.root, frozenset())
        end = time.perf_counter()
        self.split = (taken - start, end - taken, time.process_time() - busy)
        whole = written.shown or written.text
        seen = Observation(
            url=snapshot.url, title=snapshot.title, root=snapshot.root, fingerprint="", notices=snapshot.notices,
            text=written.text if written.shown else UNCHANGED, shown=whole,
        )  # fmt: skip
        now = page(seen)
        return Look(sent=now if written.shown else f"{whole}\n{now}", prompt=f"{whole}\n{now}", seconds=end - start)


async def first_views(page: Page, shown: tuple[Shown, ...], peers: tuple[Peer, ...]) -> list[Row]:
    """Each page seen for the first time; the median of three looks is the time."""
    rows = []
    for each in shown:
        await each.open(page)
        row = Row(each.name)
        for _ in range(3):
            ours = Ours()
            look = await ours.look(page)
            row.looks[OURS] = _faster(row.looks.get(OURS), look)
            row.split = ours.split if look is row.looks[OURS] else row.split
        assert ours.snapshot
        row.acts = actionable(ours.snapshot.root, MAX_TOKENS)
        row.texts = readable(ours.snapshot.root, MAX_TOKENS)
        row.unread = sum(int(node.states[0]) for node in ours.snapshot.root.walk() if node.role == "more")
        for peer in peers:
            for _ in range(2):
                view = await peer.look()
                row.looks[peer.name] = _faster(row.looks.get(peer.name), Look(view.text, view.text, view.seconds))
            row.held[peer.name] = held(ours.snapshot.root, row.looks[peer.name].sent)
        rows.append(row)
    return rows


def _faster(one: Look | None, two: Look) -> Look:
    """The look that took less time; one with less than half of the other's text is one that was given up."""
    if one is None or 2 * len(one.sent) < len(two.sent):
        return two
    return one if one.seconds <= two.seconds or 2 * len(two.sent) < len(one.sent) else two


async def whole_run(page: Page, peers: tuple[Peer, ...]) -> list[Row]:
    """Every step of the journey; ours remembers what it wrote out, the peers show each page whole as they do."""
    ours = Ours()
    rows = []
    async for name in journey(page):
        row = Row(name, {OURS: await ours.look(page)})
        for peer in peers:
            view = await peer.look()
            row.looks[peer.name] = Look(view.text, view.text, view.seconds)
        rows.append(row)
    return rows
