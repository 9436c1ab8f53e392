"""`python -m tests.drift [development|reported] [--limit N] [--report]`: trials, resumable; the table of BENCHMARKS.md."""

import argparse
import asyncio
import hashlib
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from playwright.async_api import Error as PlaywrightError

from engine.browser.launch import Browser, BrowserSettings, open_browser
from engine.errors import BrowserError
from tests.benchmarks.observation.report import write_section
from tests.drift.flows import FLOWS, Ready, Sites, open_sites, ready
from tests.drift.plans import KINDS, all_plans
from tests.drift.report import HEAD, read, report
from tests.drift.trial import Plan, attempt

ROOT = Path(__file__).parents[2]
MEASURED = (
    "engine/distill/*.py",
    "engine/replay/*.py",
    "engine/browser/locators.py",
    "engine/browser/*.js",
    "engine/act/*.py",
    "tests/drift/*",
)
SLOW_SECONDS = 90.0


def version() -> str:
    """A digest of what is measured: results of another version are not mixed with it."""
    paths = sorted(path for pattern in MEASURED for path in ROOT.glob(pattern) if path.suffix in (".py", ".js"))
    kept = [path for path in paths if path.name not in ("report.py", "__main__.py", "test_drift.py")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in kept)).hexdigest()[:10]


async def work(queue: "asyncio.Queue[Plan]", made: Mapping[str, Ready], results: Path) -> None:
    """One worker with a browser and sites of its own."""
    async with open_browser(BrowserSettings()) as browser, open_sites() as sites:
        while not queue.empty():
            plan = queue.get_nowait()
            try:
                tried = await asyncio.wait_for(attempt(browser, sites, made[plan.flow], plan), SLOW_SECONDS)
            except (TimeoutError, PlaywrightError, BrowserError) as error:
                sys.stdout.write(f"Not finished, still to do: {plan.key}: {error}\n")
                continue
            with results.open("a") as lines:
                lines.write(tried.line() + "\n")
            if tried.verdict == "WRONG" and plan.way == "capwright":
                sys.stdout.write(f"WRONG {tried.line()}\n")


async def distilled(browser: Browser, sites: Sites, names: list[str]) -> dict[str, Ready]:
    """Every flow, driven and distilled anew."""
    with tempfile.TemporaryDirectory(prefix="capwright-drift-") as folder:
        return {name: await ready(browser, sites, name, Path(folder)) for name in names}


async def run(given: argparse.Namespace, results: Path) -> None:
    """Every trial that is not there yet."""
    async with open_browser(BrowserSettings()) as browser, open_sites() as sites:
        made = await distilled(browser, sites, [name for name in FLOWS if given.flow in name])
    plans = all_plans(made, given.seeds, given.rounds, (given.kind,) if given.kind else KINDS)
    known = {tried.key for tried in read(results)}
    left = [plan for plan in plans if plan.key not in known and (not given.operator or given.operator in plan.names)]
    left = [plan for plan in left if plan.way != "capwright" or not given.others]
    queue: asyncio.Queue[Plan] = asyncio.Queue()
    for plan in left[: given.limit]:
        queue.put_nowait(plan)
    sys.stdout.write(f"{len(plans)} trials, {len(known)} there, {queue.qsize()} to do, in {results}\n")
    await asyncio.gather(*(work(queue, made, results) for _ in range(given.workers)))


async def main(given: argparse.Namespace) -> int:
    """Run what is not there yet, and report."""
    results = ROOT / ".drift" / f"{given.seeds}-{version()}.jsonl"
    results.parent.mkdir(exist_ok=True)
    if not given.report:
        await run(given, results)
    text = report(read(results), given.seeds)
    sys.stdout.write(f"{text}\n")
    if given.seeds == "reported":
        write_section(ROOT / "BENCHMARKS.md", text, HEAD)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="tests.drift", description=__doc__)
    parser.add_argument("seeds", nargs="?", default="reported", choices=("development", "reported"))
    parser.add_argument("--limit", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--flow", default="")
    parser.add_argument("--operator", default="")
    parser.add_argument("--others", action="store_true", help="only others' locators")
    parser.add_argument("--report", action="store_true", help="only the table of what is there")
    sys.exit(asyncio.run(main(parser.parse_args())))
