"""`python -m tests.benchmarks.observation [--setup]`: measures the observation and writes its section of BENCHMARKS.md."""

import argparse
import asyncio
from pathlib import Path

from tests.benchmarks.observation import tools
from tests.benchmarks.observation.measure import first_views, shared_browser, whole_run
from tests.benchmarks.observation.peers import present
from tests.benchmarks.observation.report import report, write_section
from tests.benchmarks.observation.sites import everything


async def measure() -> str:
    """The section's text."""
    async with shared_browser() as (page, address), present(address) as peers:
        run = await whole_run(page, peers)
        async with everything() as shown:
            first = await first_views(page, shown, peers)
    return report(first, run, [peer.name for peer in peers])


def main() -> None:
    """Install if asked, measure, print and write."""
    parser = argparse.ArgumentParser(prog="tests.benchmarks.observation", description=__doc__)
    parser.add_argument("--setup", action="store_true", help="install the peers and the tokenizer into a cache folder first")
    if parser.parse_args().setup:
        tools.install()
    section = asyncio.run(measure())
    print(section)
    write_section(Path(__file__).parents[3] / "BENCHMARKS.md", section)


main()
