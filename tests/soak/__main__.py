"""`python -m tests.soak [REPLAYS]`: a thousand replays on sites that do not change, and what the process keeps of them."""

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import astuple, dataclass
from pathlib import Path

import psutil

from engine.assembly.batching import batch
from engine.assembly.replaying import Order
from engine.domain.ending import RowReplayed
from engine.settings import load
from tests.benchmarks.observation.report import write_section
from tests.benchmarks.replay import SECRETS, console, discovered
from tests.cli.test_batch import GREETER, greeting, stored
from tests.pages import serve

HEAD = "## Soak"
BENCHMARKS = Path(__file__).parents[2] / "BENCHMARKS.md"
MEMBERS = ("100231", "100245")
"""One savings account each: for a member with several the flow ends ambiguous, as it should."""
EVERY = 5
GROWTH, MORE = 1.10, 4
"""Memory at the end beside that of the second quarter, when caches are filled; how many more of the others are noise."""


@dataclass(frozen=True)
class Sample:
    """What is held at one moment: resident MB of our process and of its browsers, open files, processes, temporary files."""

    own_mb: float
    browsers_mb: float
    descriptors: int
    processes: int
    temporary: int

    @classmethod
    def now(cls) -> "Sample":
        """Take one; the sites' own processes do not count."""
        me, browsers = psutil.Process(), 0.0
        children = []
        for child in me.children(recursive=True):
            try:
                if "engine.demo" in child.cmdline():
                    continue
                browsers += child.memory_info().rss / 1e6
                children.append(child)
            except (psutil.NoSuchProcess, psutil.ZombieProcess):
                continue
        temporary = sum(len(folders) + len(files) for _, folders, files in os.walk(tempfile.gettempdir()))
        return cls(me.memory_info().rss / 1e6, browsers, me.num_fds(), len(children), temporary)


@dataclass(frozen=True)
class Soaked:
    """Endings, how many replays read something else than the first of their member and site, the samples, the seconds."""

    endings: Counter[str]
    different: int
    samples: tuple[Sample, ...]
    seconds: float

    def quarter(self, number: int) -> list[float]:
        """The medians of a quarter of the samples."""
        size = max(1, len(self.samples) // 4)
        some = self.samples[number * size : (number + 1) * size] or self.samples[-1:]
        return [statistics.median(each) for each in zip(*map(astuple, some), strict=True)]

    @property
    def flat(self) -> bool:
        """Whether nothing grew between the second quarter and the last."""
        before, after = self.quarter(1), self.quarter(3)
        limits = [before[0] * GROWTH, before[1] * GROWTH, *(number + MORE for number in before[2:])]
        return all(late <= limit for late, limit in zip(after, limits, strict=True))


async def soak(replays: int, tenants: Sequence[str] = ("harbor", "summit")) -> Soaked:
    """One batch a site, two rows at a time: a tenth of them on each tenant, the rest on a small page."""
    rows: list[RowReplayed] = []
    samples: list[Sample] = []
    different = 0
    start = time.monotonic()

    def tell(row: RowReplayed, _total: int) -> None:
        rows.append(row)
        if len(rows) % EVERY == 0:
            samples.append(Sample.now())

    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capwright-soak-")))
        settings = load({"PATH": "/usr/bin:/bin", "CAPWRIGHT_HOME": str(home)}, home)
        urls = [await stack.enter_async_context(console(tenant)) for tenant in tenants]
        _, capability, inputs = await discovered(settings, urls[0])
        orders = [Order(capability.id, {}, SECRETS, target=url, allow_draft=True, approve="deny") for url in urls]
        shares = [(order, [dict.fromkeys(inputs, member) for member in MEMBERS], replays // 10) for order in orders]
        pages = await stack.enter_async_context(serve())
        pages["/"] = GREETER
        light = Order(stored(home, greeting(pages.url)), allow_draft=True, approve="deny")
        shares.append((light, [{"who": "Ada"}, {"who": "Grace"}], replays - replays // 10 * len(orders)))
        for order, given, number in shares:
            first: dict[str, object] = {}
            for row in (await batch(settings, order, [given[each % len(given)] for each in range(number)], 2, tell)).rows:
                came = (row.result.ending, row.result.outputs)
                different += first.setdefault(str(row.inputs), came) != came
    endings = Counter[str](row.result.ending for row in rows)
    return Soaked(endings, different, tuple(samples), time.monotonic() - start)


def report(soaked: Soaked) -> str:
    """The section."""
    names = ("our process, MB", "browsers and driver, MB", "open files", "processes", "temporary files")
    rows = [
        f"| {name} | {early:,.0f} | {late:,.0f} |"
        for name, early, late in zip(names, soaked.quarter(1), soaked.quarter(3), strict=True)
    ]
    total = sum(soaked.endings.values())
    endings = ", ".join(f"{ending} {number:,}" for ending, number in soaked.endings.most_common())
    return "\n".join([
        HEAD, "",
        f"`python -m tests.soak`: {total:,} replays on sites that do not change, two at a time (a tenth of them on each of "
        "two tenants of the demo, the rest on a small page with a field, a button and a text), as "
        f"`discover replay --inputs` runs them, in {soaked.seconds / 60:.0f} minutes. Endings: {endings}; "
        f"{soaked.different:,} ended or read otherwise than the first replay with the same inputs on the same site.", "",
        "| median of the | second quarter | last quarter |", "|---|---|---|", *rows,
    ])  # fmt: skip


def main(replays: int) -> int:
    """Run, print, write; fails when more than one in a thousand ended otherwise, or when something grew."""
    with tempfile.TemporaryDirectory(prefix="capwright-soak-tmp-") as own:
        tempfile.tempdir = os.environ["TMPDIR"] = own
        soaked = asyncio.run(soak(replays))
        tempfile.tempdir = None
    text = report(soaked)
    sys.stdout.write(f"{text}\n")
    if replays >= 1000:
        write_section(BENCHMARKS, text, HEAD)
    same = soaked.endings["ok"] - soaked.different
    return 0 if same * 1000 >= sum(soaked.endings.values()) * 999 and soaked.flat else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
