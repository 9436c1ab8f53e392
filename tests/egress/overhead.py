"""`python -m tests.egress.overhead [PAIRS]`: what the egress proxy adds to a replay, measured in pairs within one run.

Both replays of a pair are the product's own, with its route layer; one browser is behind its proxy, the other has none. Which
comes first changes with every pair. Only here can a replay run without its proxy.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from engine.assembly.policies import named, policy_of
from engine.assembly.sessions import BoundedBrowser, open_bounded_browser
from engine.browser.gate import route_layer
from engine.browser.launch import BrowserSettings, open_browser
from engine.guard.passes import Passes
from engine.settings import load
from tests.benchmarks.replay import SECRETS, Bench, console, discovered, ratio


async def measure(pairs: int) -> tuple[list[float], list[float]]:
    """Milliseconds with the proxy and without it, pair by pair; two pairs first that do not count."""
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capwright-overhead-")))
        settings = load({"PATH": "/usr/bin:/bin", "CAPWRIGHT_HOME": str(home)}, home)
        url = await stack.enter_async_context(console())
        _, capability, inputs = await discovered(settings, url)
        bench = Bench(settings, url, capability, inputs)
        policy = policy_of(settings, None, url, named(SECRETS))
        behind = await stack.enter_async_context(open_bounded_browser(settings, policy))
        browser = await stack.enter_async_context(open_browser(BrowserSettings()))
        routes = await stack.enter_async_context(route_layer(browser.playwright, files=False))
        free = BoundedBrowser(browser, Passes(policy), routes)
        taken: dict[bool, list[float]] = {True: [], False: []}
        for number in range(-2, pairs):
            for proxied in (True, False) if number % 2 else (False, True):
                started = time.perf_counter()
                await bench.replayed(behind if proxied else free)
                if number >= 0:
                    taken[proxied].append((time.perf_counter() - started) * 1000)
    return taken[True], taken[False]


def main(pairs: int) -> int:
    """Measure and print; fails above five percent."""
    proxied, free = asyncio.run(measure(pairs))
    middle, low, high = ratio(proxied, free)
    sys.stdout.write(
        f"{pairs} pairs: with the proxy {statistics.median(proxied):.0f} ms, without {statistics.median(free):.0f} ms; "
        f"median of the paired ratios {middle:.3f} (95 %: {low:.3f} to {high:.3f})\n"
    )
    return 1 if middle > 1.05 else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 30))
