"""Replay beside hand-written Playwright and beside its own discovery: `python -m tests.benchmarks.replay [PAIRS]`."""

import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright, expect

from engine.access.approvals import DenyingApprover
from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.assembly import discovering, replaying
from engine.assembly.policies import named, policy_of
from engine.assembly.replaying import replay_in
from engine.assembly.sessions import BoundedBrowser, open_bounded_browser
from engine.browser.egress import open_egress
from engine.browser.flags import QUIET, egress_flags
from engine.browser.gate import RouteLayer, route_layer
from engine.browser.launch import Browser as EngineBrowser
from engine.browser.launch import BrowserSettings, open_browser
from engine.browser.session import SessionSettings, open_session
from engine.decide import embedded
from engine.decide.embedded import EmbeddedPlanner
from engine.demo.journey import amounts
from engine.demo.sessions import DEMO_PASSWORD, DEMO_USER
from engine.domain.brief import Brief, Planned
from engine.domain.capability import Capability
from engine.guard.guard import PolicyGuard
from engine.guard.passage import passage
from engine.guard.writes import WriteGate
from engine.replay.place import Place
from engine.replay.replay import Replay
from engine.settings import Settings, load
from tests.benchmarks.observation.report import write_section

MEMBER = "100231"
GOAL = f"Log in to the teller console and read member {MEMBER}'s savings and checking balances"
SECRETS = {"user": DEMO_USER, "password": DEMO_PASSWORD}
BENCHMARKS = Path(__file__).parents[2] / "BENCHMARKS.md"
HAND = "by hand"
FULL = "replay, every layer"
FEWEST = 30
Balances = Mapping[str, object]
Way = Callable[[], Awaitable[Balances]]


class OneSecondPlanner(EmbeddedPlanner):
    """Decides as the embedded planner does, after the one second that a model would take."""

    async def decide(self, brief: Brief) -> Planned:
        """One decision."""
        await asyncio.sleep(1.0)
        return await super().decide(brief)


@asynccontextmanager
async def console(tenant: str = "harbor") -> AsyncIterator[str]:
    """The demo in a process of its own, so that it takes no turn of our event loop; its address."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.demo", "--tenant", tenant, "--port", "0", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().split()[-1]
    finally:
        process.terminate()
        await process.wait()


async def by_hand(browser: Browser, url: str) -> Balances:
    """The flow as a careful person writes it with Playwright alone."""
    context = await browser.new_context()
    try:
        page = await context.new_page()
        await page.goto(url)
        await page.get_by_role("button", name="Dismiss").click()
        await page.get_by_label("User ID").fill(DEMO_USER)
        await page.get_by_label("Password").fill(DEMO_PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await page.get_by_role("link", name="Member search").click()
        await page.get_by_label("Member number").fill(MEMBER)
        await page.get_by_role("button", name="Search").click()
        await page.get_by_role("link", name=MEMBER, exact=True).click()
        await expect(page).to_have_url(re.compile(rf"/members/{MEMBER}$"))
        return amounts({kind: await balance(page, kind) for kind in ("Savings", "Checking")})
    finally:
        await context.close()


async def balance(page: Page, kind: str) -> str:
    """The fourth cell of the account's row."""
    row = (
        page.get_by_role("table", name="Accounts")
        .get_by_role("row")
        .filter(has=page.get_by_role("cell", name=kind, exact=True))
    )
    return (await row.get_by_role("cell").nth(3).inner_text()).strip()


@dataclass(frozen=True)
class Bench:
    """What all ways share."""

    settings: Settings
    url: str
    capability: Capability
    inputs: Mapping[str, str]

    @property
    def order(self) -> replaying.Order:
        """The order of one replay."""
        return replaying.Order(self.capability.id, self.inputs, SECRETS, self.url, allow_draft=True, approve="deny")

    async def replayed(self, bounded: BoundedBrowser) -> Balances:
        """The product as it is: a fresh context of a browser that is already there."""
        secrets = named(SECRETS)
        policy = policy_of(self.settings, None, self.url, secrets)
        result = await replay_in(self.settings, bounded, self.capability, self.order, policy, secrets)
        assert result.ending == "ok", result.explanation
        return amounts(result.outputs)

    async def bare(self, browser: EngineBrowser, routes: RouteLayer | None) -> Balances:
        """The same with layers left out: without its gate nothing holds what the page sends."""
        secrets = named(SECRETS)
        guard = PolicyGuard(policy_of(self.settings, None, self.url, secrets), self.url, secrets)
        approver = DenyingApprover()
        writes = WriteGate(guard, approver.ask)
        desk = DialogDesk(guard.policy.dialog_handling, strict=True)
        with tempfile.TemporaryDirectory() as folder:
            settings = SessionSettings(Path(folder), desk.answer)
            async with open_session(browser, settings) as session, AsyncExitStack() as stack:
                if routes:
                    stack.enter_context(routes.shown_to(writes))
                actor = PageActor(session, desk, guard.secrets, self.url, writes=writes if routes else None, lean=True)
                place = Place(session, guard, approver, actor, desk)
                result = await Replay(self.capability, self.inputs, place, self.url).run()
        assert result.ending == "ok", result.explanation
        return amounts(result.outputs)

    async def ways(self, stack: AsyncExitStack) -> dict[str, Way]:
        """Every way that is measured, each with its own running browser."""
        policy = policy_of(self.settings, None, self.url, named(SECRETS))
        bounded = await stack.enter_async_context(open_bounded_browser(self.settings, policy))
        plain = await stack.enter_async_context(open_browser(BrowserSettings()))
        proxy = await stack.enter_async_context(open_egress(passage(policy)))
        behind = BrowserSettings(proxy=proxy.address, flags=egress_flags())
        proxied = await stack.enter_async_context(open_browser(behind))
        driver = await stack.enter_async_context(async_playwright())
        args = [*QUIET, "--no-sandbox"]
        own = await driver.chromium.launch(
            executable_path=plain.candidate.executable, channel=plain.candidate.channel, args=args
        )
        stack.push_async_callback(own.close)
        free = await stack.enter_async_context(open_browser(BrowserSettings()))
        routes = await stack.enter_async_context(route_layer(free.playwright, files=False))
        return {
            HAND: partial(by_hand, own, self.url),
            FULL: partial(self.replayed, bounded),
            "replay without the route layer": partial(self.bare, proxied, None),
            "replay without the proxy": partial(self.bare, free, routes),
            "replay without either": partial(self.bare, plain, None),
        }


async def discovered(settings: Settings, url: str) -> tuple[tuple[float, float], Capability, dict[str, str]]:
    """A run with a planner that takes one second a decision: seconds until its last step and until its draft is proved, the
    draft, a replay's inputs.
    """
    ended = [time.perf_counter()]
    order = discovering.Order(GOAL, url, model="embedded", secrets=SECRETS, approve="deny")
    quick, embedded.EmbeddedPlanner = embedded.EmbeddedPlanner, OneSecondPlanner  # type: ignore[misc]
    try:
        result = await discovering.discover(settings, order, lambda _step: ended.append(time.perf_counter()))
    finally:
        embedded.EmbeddedPlanner = quick  # type: ignore[misc]
    whole = time.perf_counter() - ended[0]
    assert result.capability, result.explanation
    capability = Capability.model_validate_json(Path(result.capability).read_text())
    plain = [name for name, schema in capability.inputs["properties"].items() if not schema.get("x-secret")]
    return (ended[-1] - ended[0], whole), capability, {name: MEMBER for name in plain}


@asynccontextmanager
async def model_endpoint() -> AsyncIterator[tuple[str, list[object]]]:
    """The address of a model that nobody should ask, and the connections that were made to it."""
    met: list[object] = []

    def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(writer.get_extra_info("peername"))
        writer.close()

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", met


async def measured(ways: Mapping[str, Way], pairs: int) -> dict[str, list[float]]:
    """Milliseconds of every way, in turns; two rounds first that do not count. Every round must read the same balances."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(-2, pairs):
        read = []
        for name, way in ways.items():
            started = time.perf_counter()
            read.append(await way())
            if number >= 0:
                times[name].append((time.perf_counter() - started) * 1000)
        assert all(balances == read[0] for balances in read) and len(read[0]) == 2, read
    return times


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """Median of the paired ratios with its 95 % bootstrap interval."""
    ratios = [our / their for our, their in zip(ours, theirs, strict=True)]
    dice = random.Random(0)
    medians = sorted(statistics.median(dice.choices(ratios, k=len(ratios))) for _ in range(2000))
    return statistics.median(ratios), medians[50], medians[1949]


def report(times: Mapping[str, list[float]], discovery: tuple[float, float], calls: int) -> str:
    """The section."""
    pairs = len(times[HAND])
    rows = []
    for name, each in times.items():
        middle, low, high = ratio(each, times[HAND])
        rows.append(f"| {name} | {statistics.median(each):.0f} ms | {middle:.2f} × ({low:.2f}–{high:.2f}) |")
    replay = statistics.median(times[FULL]) / 1000
    return "\n".join([
        "## Replay", "",
        "`python -m tests.benchmarks.replay`: the demo's flow (dismiss the notice, sign in, search a member, read two "
        "balances: five pages) in a fresh context of a browser that is already running, beside the same flow written by hand "
        f"with Playwright's own API in a plain Chromium; {pairs} rounds, all ways in turns, on a machine that other work "
        f"shared (load average {os.getloadavg()[2]:.0f} on {os.cpu_count()} processors). "
        "Ratio: median of the paired ratios to the flow by hand, with its 95 % bootstrap interval.", "",
        "| way | median | ratio |", "|---|---|---|", *rows, "",
        f"Its own discovery, with the embedded planner taking 1 s a decision: {discovery[1]:.1f} s until the draft is there, "
        f"distilled and proved, {discovery[1] / replay:.1f} × the replay; {discovery[0]:.1f} s until its last step, "
        f"{discovery[0] / replay:.1f} ×. Connections to the model's endpoint during all replays: {calls}.",
    ])  # fmt: skip


async def main(pairs: int) -> int:
    """Measure, print, write."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capwright-bench-")))
        settings = load({"PATH": "/usr/bin:/bin", "CAPWRIGHT_HOME": str(home)}, home)
        url = await stack.enter_async_context(console())
        discovery, capability, inputs = await discovered(settings, url)
        model, met = await stack.enter_async_context(model_endpoint())
        watched = settings.model_copy(update={"base_url": model, "model": "scripted"})
        times = await measured(await Bench(watched, url, capability, inputs).ways(stack), pairs)
        section = report(times, discovery, len(met))
    sys.stdout.write(f"{section}\n")
    if pairs >= FEWEST:
        write_section(BENCHMARKS, section, "## Replay")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)))
