"""`python -m tests.egress.overhead`: median milliseconds of a page load, plain, proxied, gated and with both."""

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path

from starlette.responses import Response

from engine.browser.egress import open_egress
from engine.browser.flags import egress_flags
from engine.browser.gate import install_gate
from engine.browser.launch import BrowserSettings, open_browser
from engine.browser.session import SessionSettings, open_session
from engine.guard.guard import PolicyGuard
from engine.guard.passage import passage
from engine.guard.passes import Passes
from engine.guard.policy_file import default_policy
from engine.guard.writes import WriteGate
from tests.conftest import accept
from tests.egress.layers import nobody
from tests.pages import Pages, serve

FILES = {"/a.css": "text/css", "/b.css": "text/css", "/c.js": "text/javascript", "/d.js": "text/javascript"}
PAGE = (
    "<link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css><script src=/c.js></script><script src=/d.js></script>"
    + "<p>text</p>" * 300
)
WAYS = {"plain": (False, False), "proxy": (True, False), "gate": (False, True), "both": (True, True)}


async def loads(pages: Pages, proxied: bool, gated: bool, times: int) -> float:
    """The median of so many loads after five that warm up."""
    policy = default_policy(pages.url)
    passes = Passes(policy)
    gate = WriteGate(PolicyGuard(policy, pages.url), nobody, passes)
    async with open_egress(passage(policy), writes=passes) as proxy:
        flags = egress_flags() if proxied else ()
        settings = BrowserSettings(proxy=proxy.address if proxied else None, flags=flags)
        with tempfile.TemporaryDirectory() as folder:
            prepare = (lambda context: install_gate(context, gate)) if gated else None
            session_settings = SessionSettings(Path(folder), accept, prepare=prepare)
            async with open_browser(settings) as browser, open_session(browser, session_settings) as session:
                taken = []
                for _ in range(times + 5):
                    begun = time.perf_counter()
                    await session.page.goto(f"{pages.url}/", wait_until="load")
                    taken.append((time.perf_counter() - begun) * 1000)
                return statistics.median(taken[5:])


async def measure(times: int = 40, rounds: int = 3) -> dict[str, float]:
    """The best median of a few rounds each, so that a busy machine does not decide."""
    async with serve() as pages:
        pages["/"] = PAGE
        for path, kind in FILES.items():
            pages[path] = Response("/* */" * 2000, media_type=kind, headers={"cache-control": "max-age=3600"})
        found = {way: [await loads(pages, *layers, times) for _ in range(rounds)] for way, layers in WAYS.items()}
    return {way: round(min(medians), 1) for way, medians in found.items()}


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(measure())}\n")
