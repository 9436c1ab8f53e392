"""`python -m tests.benchmarks.step`: what the engine itself computes a step; page, browser and planner are left out."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.assembly.discovering import Order, discover
from engine.discover.stages import Planner
from engine.domain.brief import Brief, Planned
from engine.domain.step import Step
from engine.domain.usage import Usage
from engine.settings import load
from tests.benchmarks.observation.report import write_section
from tests.benchmarks.replay import GOAL, SECRETS, console

BENCHMARKS = Path(__file__).parents[2] / "BENCHMARKS.md"
RUNS = 5


@dataclass
class Meter:
    """Seconds of processor time by step; `Order.around` and the callback after each step drive it.

    The time of this process with all its threads: waiting for the page, for it to settle or for the disk costs none.
    """

    steps: list[float] = field(default_factory=list)
    walls: list[float] = field(default_factory=list)
    decided: float = 0.0
    since: tuple[float, float] | None = None

    def told(self, _step: Step) -> None:
        """A step is over. The first is left out: the start of browser and page would be in it."""
        now = time.process_time(), time.perf_counter()
        if self.since is not None:
            self.steps.append(now[0] - self.since[0] - self.decided)
            self.walls.append(now[1] - self.since[1])
        self.since, self.decided = now, 0.0

    def around(self, planner: Planner) -> Planner:
        """The same planner, whose own time is taken out."""
        return Timed(planner, self)


class Timed:
    """A planner whose processor time is told to the meter."""

    def __init__(self, planner: Planner, meter: Meter) -> None:
        self._planner = planner
        self._meter = meter

    @property
    def usage(self) -> Usage:
        """As the planner says."""
        return self._planner.usage

    async def decide(self, brief: Brief) -> Planned:
        """The planner's decision."""
        start = time.process_time()
        try:
            return await self._planner.decide(brief)
        finally:
            self._meter.decided += time.process_time() - start


async def measure(home: Path, url: str, environment: Mapping[str, str]) -> Meter:
    """One discovery of the demo's balances by the embedded planner."""
    meter = Meter()
    order = Order(goal=GOAL, target=url, model="embedded", secrets=SECRETS, approve="deny", around=meter.around)
    result = await discover(load(environment, home), order, meter.told)
    assert result.status == "done", result.stop_reason
    return meter


async def run(runs: int) -> str:
    """The section's text."""
    meters = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        async with console() as url:
            for number in range(runs):
                environment = {**os.environ, "CAPWRIGHT_HOME": f"{home}/{number}"}
                meters.append(await measure(Path(home) / str(number), url, environment))
    return section(meters)


def section(meters: list[Meter]) -> str:
    """Median, ninth tenth and most of all steps."""
    steps = sorted(1000 * seconds for meter in meters for seconds in meter.steps)
    walls = sorted(1000 * seconds for meter in meters for seconds in meter.walls)
    nine = steps[int(0.9 * (len(steps) - 1))]
    return "\n".join([
        "## Step", "",
        f"`python -m tests.benchmarks.step`: {len(meters)} discoveries of \"{GOAL}\" on the demo by the embedded planner, "
        f"{len(steps)} steps. Processor time of our process (all its threads, our side of the Playwright protocol, guard, "
        "evidence and egress proxy included) from the end of one step to the end of the next, the planner's taken out. Not in "
        "it: browser, Playwright's driver and demo, which are processes of their own, and all waiting: for the page, for it to "
        "settle, for the disk. The first step of a run is left out, for it holds the start.", "",
        f"Median {statistics.median(steps):.0f} ms a step, nine of ten within {nine:.0f} ms, at most {steps[-1]:.0f} ms. The "
        f"whole step, page, settling and planner included, took {statistics.median(walls):.0f} ms at the median of the wall "
        "clock, on a machine that other work shared.",
    ])  # fmt: skip


def main() -> None:
    """Measure, print and write."""
    text = asyncio.run(run(int(sys.argv[1]) if len(sys.argv) > 1 else RUNS))
    sys.stdout.write(f"{text}\n")
    write_section(BENCHMARKS, text, "## Step")


if __name__ == "__main__":
    main()
