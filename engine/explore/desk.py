"""Everything a controller works with, put together once by who assembles the engine."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.domain.exploring import DiscoveryRequest
from engine.errors import NotFound
from engine.explore.clock import Clock
from engine.explore.orders import Dispatcher
from engine.explore.strategies import STRATEGIES, Strategy
from engine.score.registry import Registry
from engine.store.artifacts import ArtifactStore
from engine.store.database import Database
from engine.store.exploration_approvals import ExplorationApprovals
from engine.store.explorations import ExplorationStore
from engine.store.leases import LeaseStore
from engine.store.ledger import Ledger
from engine.store.leftovers import Leftovers
from engine.store.liveness import ProcessTable
from engine.store.slots import SlotStore
from engine.store.trees import remove_tree
from engine.subjects.subject import Delivery, Subject


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds of our own deadlines, and how often a controller looks up."""

    attempt: float = 180.0
    slot: float = 3_600.0
    score: float = 3_600.0
    subject: float = 120.0
    look: float = 0.25
    slot_look: float = 0.02


@dataclass(frozen=True, slots=True)
class Root:
    """An approved starting point: its subject, and what becomes of the winner."""

    subject: Subject
    delivery: Delivery


@dataclass(frozen=True)
class Desk:
    """One database and its stores, the roots, the evaluators, the dispatcher, a folder for work, and the clock."""

    database: Database
    explorations: ExplorationStore
    approvals: ExplorationApprovals
    ledger: Ledger
    leases: LeaseStore
    slots: SlotStore
    artifacts: ArtifactStore
    leftovers: Leftovers
    registry: Registry
    dispatcher: Dispatcher
    roots: Mapping[str, Root]
    work: Path
    clock: Clock
    pace: Pace = Pace()
    strategies: Mapping[str, Strategy] = field(default_factory=lambda: STRATEGIES)
    remove: Callable[[Path], bool] = remove_tree
    queue: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Of the cells of this process that wait for a slot one looks for it; the others stand behind it."""

    def forked(self, asked: DiscoveryRequest) -> tuple[str, Path | None]:
        """Digest and folder of the sealed cell that a run begins at; none for a run that is no fork.

        Raises NotFound for a run that delivered nothing, or nothing of this root, and IntegrityChanged.
        """
        if asked.fork_of is None:
            return "", None
        run = self.explorations.get(asked.fork_of)
        if run.winner_cell_id is None or run.request.task.discovery.approved_root_id != asked.approved_root_id:
            raise NotFound(f"run {run.run_id} has delivered nothing of the root {asked.approved_root_id}")
        sealed = self.artifacts.verified(run.run_id, run.winner_cell_id)
        return self.artifacts.find(run.run_id, run.winner_cell_id).digest, sealed

    @classmethod
    def open(
        cls,
        database: Database,
        *,
        home: Path,
        clock: Clock,
        registry: Registry,
        dispatcher: Dispatcher,
        roots: Mapping[str, Root],
        pace: Pace | None = None,
        strategies: Mapping[str, Strategy] | None = None,
        remove: Callable[[Path], bool] = remove_tree,
        processes: ProcessTable | None = None,
        quota_bytes: int = 8 << 30,
    ) -> "Desk":
        """All stores over one database; sealed artifacts in `home/artifacts`, attempts in `home/work`."""
        now = clock.now_ms
        explorations = ExplorationStore(database, now)
        leases = LeaseStore(database, now, processes)
        return cls(
            database=database,
            explorations=explorations,
            approvals=ExplorationApprovals(database, explorations, now),
            ledger=Ledger(database, now),
            leases=leases,
            slots=SlotStore(database, leases),
            artifacts=ArtifactStore(database, home / "artifacts", now, quota_bytes=quota_bytes),
            leftovers=Leftovers(database, now),
            registry=registry,
            dispatcher=dispatcher,
            roots=roots,
            work=home / "work",
            clock=clock,
            pace=pace or Pace(),
            strategies=strategies or STRATEGIES,
            remove=remove,
        )
