"""How the core scales: `python -m tests.benchmarks.core [CELLS]` writes the section "Core" of BENCHMARKS.md.

Exit 1 when a figure misses what the core is judged by; the section says so.
"""

import asyncio
import json
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.explore.catalog import Agent, Caller, Catalog
from engine.explore.clock import SystemClock
from engine.explore.desk import Pace
from engine.explore.orders import Meter, Order, Report
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from engine.store.database import Database
from tests.benchmarks.observation.report import write_section
from tests.explore.kit import PAID, Bench
from tests.subjects.memory import FILE

BENCHMARKS = Path(__file__).parents[2] / "BENCHMARKS.md"
GROWTH, PAGE_SECONDS, MEMORY_MIB, BUSY = 1.2, 0.1, 32, 0.95
"""Most that a cell of 20,000 may cost of one of 200; most for a page; most that memory may grow; least that slots work."""
EYE = Caller(user_id="eye", roles=frozenset({"viewer"}))


async def null(order: Order, meter: Meter) -> Report:
    """An attempt that does next to nothing."""
    (order.place / FILE).write_text(json.dumps({"score": 1.0, "cell": str(order.cell)}))
    return Report("done", PAID)


def bench(home: Path, script: Any = null) -> Bench:
    """A home on disk with the real clock."""
    found = Bench(home, script=script, clock=SystemClock(), database=Database.open(home / "state.db"),
                  options={"pace": Pace(look=1.0, slot_look=0.01)})  # fmt: skip
    found.runtime.orders = deque(maxlen=1)  # type: ignore[assignment]
    return found


async def explore(found: Bench, run_id: str, rounds: int, branches: int, refinements: int, parallel: int = 4,
                  clock: Callable[[], float] = time.process_time) -> float:  # fmt: skip
    """Seconds of this process's processor time for a whole run; the wall clock is somebody else's on a shared machine."""
    cells = rounds * branches * (refinements + 1)
    await found.queue(run_id, branch_count=branches, refine_count=refinements, max_rounds=rounds, max_parallelism=parallel,
                      max_agent_calls=cells, max_usd=1000, max_wall_secs=86_400)  # fmt: skip
    started = clock()
    status = await Workshop(found.desk).run(run_id)
    assert status == "complete", status
    return clock() - started


async def scale(home: Path, cells: int) -> tuple[dict[str, bool], list[str]]:
    """Cost per cell, small and large, in turns on one disk; pages of the large one."""
    found = bench(home)
    small = [await explore(found, f"small-{n}", 1, 100, 1) / 200 for n in range(3)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    marks: list[tuple[int, float]] = []

    async def marked(order: Order, meter: Meter) -> Report:
        if order.cell.branch == 0 and order.cell.attempt == 0:
            marks.append((order.cell.round, time.process_time()))
        return await null(order, meter)

    found.runtime.script = marked
    wall = time.perf_counter()
    large = await explore(found, "large", 100, cells // 200, 1)
    wall = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found.runtime.script = null
    small += [await explore(found, f"small-again-{n}", 1, 100, 1) / 200 for n in range(3)]
    per_round = [marks[n + 10][1] - marks[n][1] for n in range(0, 90, 10)]
    requests = Requests(found.desk, Catalog(agents=(Agent(agent_id="agent"),)))
    pages = {name: await page(requests, name, params) for name, params in {
        "discovery.list": {},
        "discovery.tree (first 1,000 of its cells, 100 rounds)": {"run_id": "large", "limit": 1000},
        "discovery.tree (1,000 cells from the middle)": {"run_id": "large", "limit": 1000, "after_cell": "r50-b0-a0"},
        f"discovery.tree (all {cells:,} cells)": {"run_id": "large"},
        "discovery.events (1,000)": {"run_id": "large", "after_seq": 50_000},
    }.items()}  # fmt: skip
    verify = time.perf_counter()
    links = found.desk.explorations.verify("large")
    verify = time.perf_counter() - verify
    size = (home / "state.db").stat().st_size
    base = statistics.median(small)
    grown = (after - before) // 1024
    judged = {
        f"cost per cell ≤ {GROWTH:g} ×": large / cells / base <= GROWTH,
        f"list and tree pages ≤ {PAGE_SECONDS * 1000:g} ms": max(list(pages.values())[:3]) <= PAGE_SECONDS,
        f"memory grows by ≤ {MEMORY_MIB} MB": grown <= MEMORY_MIB,
    }
    return judged, [
        f"| processor time per cell, 200 cells (median of 6 runs) | {base * 1000:.2f} ms |",
        f"| the same, {cells:,} cells in 100 rounds | {large / cells * 1000:.2f} ms ({large / cells / base:.2f} ×) |",
        f"| of it ten rounds, the first and the last | {per_round[0]:.2f} s, {per_round[-1]:.2f} s |",
        f"| wall time per cell of the same run | {wall / cells * 1000:.1f} ms |",
        f"| memory before and after the {cells:,} cells (peak resident) | {before // 1024} MB, {after // 1024} MB |",
        *(f"| {name} | {value * 1000:.0f} ms |" for name, value in pages.items()),
        f"| verify the chain of {links:,} events | {verify:.1f} s |",
        f"| database file | {size / 2**20:.0f} MiB |",
    ]


async def page(requests: Requests, name: str, params: dict[str, Any]) -> float:
    """Seconds of the best of five calls."""
    times = []
    for _ in range(5):
        started = time.perf_counter()
        await requests.call(name.split(" ")[0], params, EYE)
        times.append(time.perf_counter() - started)
    return min(times)


async def slots(home: Path) -> tuple[dict[str, bool], list[str]]:
    """How busy the four slots are with attempts of one second."""
    busy = 0.0

    async def second(order: Order, meter: Meter) -> Report:
        nonlocal busy
        started = time.perf_counter()
        await asyncio.sleep(1)
        busy += time.perf_counter() - started
        return await null(order, meter)

    took = await explore(bench(home, second), "seconds", 1, 40, 0, parallel=16, clock=time.perf_counter)
    share = busy / (4 * took)
    judged = {f"slots busy ≥ {BUSY:.0%}": share >= BUSY}
    return judged, [f"| four slots, 40 attempts of 1 s: busy | {share * 100:.1f} % of {took:.1f} s |"]


async def main(cells: int) -> int:
    """Both, in folders of their own; 1 when something was missed."""
    judged: dict[str, bool] = {}
    rows: list[str] = []
    for part in (slots, lambda home: scale(home, cells)):
        home = Path(tempfile.mkdtemp(prefix="capwright-bench-"))
        try:
            held, lines = await part(home)
        finally:
            shutil.rmtree(home)
        judged |= held
        rows += lines
    missed = [name for name, held in judged.items() if not held]
    section = "\n".join([
        "## Core", "",
        "`python -m tests.benchmarks.core`: whole runs through the public surface with an attempt that only writes a file and "
        "an evaluator in memory. Every cell is planned, admitted, attempted, sealed, scored and recorded in about eight "
        f"transactions, with every transaction and every sealed file synced, in {tempfile.gettempdir()}. "
        f"Load average {os.getloadavg()[2]:.0f} on {os.cpu_count()} processors.", "",
        "| measured | value |", "|---|---|", *rows, "",
        f"Missed: {', '.join(missed)}." if missed else f"Held: {', '.join(judged)}.", "",
    ])  # fmt: skip
    print(section)
    if cells >= 20_000:
        write_section(BENCHMARKS, section, "## Core")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)))
