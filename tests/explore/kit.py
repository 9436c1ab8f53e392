"""A clock that jumps, a scripted runtime, an evaluator in memory, and a desk that joins them."""

import asyncio
import heapq
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from engine.domain.evaluation import Scoring
from engine.domain.exploring import Budget, DiscoveryRequest, FrozenRequest, TaskRequest
from engine.domain.usage import Usage
from engine.explore.desk import Desk, Pace, Root
from engine.explore.dispatch import InProcessDispatcher
from engine.explore.orders import Meter, Order, Report
from engine.sandbox.isolation import Isolation
from engine.score.evaluator import Terms
from engine.score.registry import Registry
from engine.store.database import Database
from engine.store.evaluators import EvaluatorStore
from tests.subjects.memory import FILE, MemorySubject

START_MS = 1_800_000_000_000
PAID = Usage(requests=1, usd_micros=1000, usd_source="reported")


class JumpingClock:
    """Jumps to the next thing somebody waits for as soon as nothing else can go on."""

    def __init__(self) -> None:
        self._ms = START_MS
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0
        self.slept: list[float] = []

    def now_ms(self) -> int:
        """Milliseconds since the epoch."""
        return self._ms

    def skip(self, seconds: float) -> None:
        """Let time pass."""
        self._ms += int(seconds * 1000)

    async def sleep(self, seconds: float) -> None:
        """Wait for the jump."""
        self.slept.append(seconds)
        self._count += 1
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (self._ms + max(1, int(seconds * 1000)), self._count, future))
        await future

    async def pump(self) -> None:
        """Jump, for ever."""
        while True:
            for _ in range(60):
                await asyncio.sleep(0)
            while self._waiting and self._waiting[0][2].done():
                heapq.heappop(self._waiting)
            if self._waiting:
                due, _, future = heapq.heappop(self._waiting)
                self._ms = max(self._ms, due)
                if not future.done():
                    future.set_result(None)

    @asynccontextmanager
    async def running(self):  # type: ignore[no-untyped-def]
        """Pump while the block runs."""
        task = asyncio.create_task(self.pump())
        try:
            yield self
        finally:
            task.cancel()


@dataclass
class MemoryEvaluator:
    """Scores `candidate.json`: `{"score": 1.5}` or `{"class": "tamper"}`; `said` overrides, cell by cell or always."""

    terms: Terms = field(default_factory=lambda: Terms("memory", "e" * 64))
    said: Callable[[dict[str, Any], int], Scoring | None] = lambda _candidate, _count: None
    count: int = 0

    async def score(self, view: Path, task: Mapping[str, object], seconds: float) -> Scoring:
        """Read the file."""
        self.count += 1
        candidate = json.loads((view / FILE).read_text())
        said = self.said(candidate, self.count)
        if said is not None:
            return said
        if "class" in candidate:
            return Scoring(candidate["class"], feedback=candidate.get("feedback", ""))
        return Scoring("ok", float(candidate["score"]), candidate.get("feedback", ""))


Script = Callable[[Order, Meter], Awaitable[Report]]


@dataclass
class ScriptedRuntime:
    """Makes attempts as the test says and remembers the orders."""

    script: Script
    bound: int | None = None
    gone: bool = True
    orders: list[Order] = field(default_factory=list)

    def price_bound(self, model: str) -> int | None:
        """As told."""
        return self.bound

    async def attempt(self, order: Order, meter: Meter) -> Report:
        """As told."""
        self.orders.append(order)
        return await self.script(order, meter)

    async def quiesce(self, order: Order) -> bool:
        """As told."""
        return self.gone


def writes(score: Callable[[Order], float | str]) -> Script:
    """A script that leaves a score (or, given a word, a fail class) and is done, for a thousandth of a dollar."""

    async def script(order: Order, meter: Meter) -> Report:
        value = score(order)
        content = {"class": value} if isinstance(value, str) else {"score": value}
        (order.place / FILE).write_text(json.dumps({**content, "cell": str(order.cell), "seed": order.prompt.seed}))
        return Report("done", PAID, "model-1")

    return script


def request(**changes: Any) -> TaskRequest:
    """A small grid: two branches of two, one round; budget fields may be given flat."""
    budget = {"max_agent_calls": 100, "max_usd": Decimal("10"), "max_wall_secs": 3600, "max_rounds": 1}
    budget |= {name: changes.pop(name) for name in list(changes) if name in budget}
    discovery: dict[str, Any] = {
        "approved_root_id": "root", "evaluator": "memory", "runtime": "scripted", "branch_count": 2, "refine_count": 1,
    }  # fmt: skip
    asked = DiscoveryRequest(**{**discovery, **changes}, budget=Budget(**budget))
    return TaskRequest(assigned_to="agent", kind="discovery", title="t", description="d", discovery=asked)


@dataclass
class Bench:
    """Everything of one home."""

    home: Path
    script: Script = field(default_factory=lambda: writes(lambda order: float(order.cell.branch)))
    clock: Any = field(default_factory=JumpingClock)
    evaluator: MemoryEvaluator = field(default_factory=MemoryEvaluator)
    subject: MemorySubject = field(default_factory=MemorySubject)
    options: dict[str, Any] = field(default_factory=dict)
    database: Database | None = None

    def __post_init__(self) -> None:
        self.runtime = ScriptedRuntime(self.script)
        self.database = self.database or Database.open(self.home / "state.db")
        store = EvaluatorStore(self.database, self.clock.now_ms)
        self.registry = Registry(store, Isolation(), {"memory": self.evaluator})
        self.desk = Desk.open(
            self.database,
            home=self.home,
            clock=self.clock,
            registry=self.registry,
            dispatcher=InProcessDispatcher({"scripted": self.runtime}),
            roots={"root": Root(self.subject, self.subject)},
            **{"pace": Pace(look=0.25), **self.options},
        )

    async def queue(self, run_id: str = "run-1", **changes: Any) -> str:
        """A queued run, as a manager would create it."""
        frozen = FrozenRequest(
            task=request(**changes), requester="manager", evaluator_hash=self.evaluator.terms.hash,
            root_hash=await self.subject.verify(), direction=self.evaluator.terms.direction,
            min_delta=self.evaluator.terms.min_delta, noise=self.evaluator.terms.noise,
        )  # fmt: skip
        budget = frozen.task.discovery.budget
        with self.desk.database.write():
            self.desk.explorations.create(run_id, frozen, approved=True)
            self.desk.ledger.open(run_id, budget.max_agent_calls, budget.max_micros)
        return run_id
