"""What the admin shows and steers of one home: runs, evidence, approvals, reviews, discoveries, explorations."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.assembly.discoveries import Discoveries
from engine.assembly.exploring import Exploring, exploring
from engine.assembly.homes import database
from engine.assembly.reviewing import Reviewing
from engine.domain.approval import Approval
from engine.errors import NotFound
from engine.settings import Settings
from engine.store.approvals import ApprovalStore
from engine.store.capabilities import CapabilityStore
from engine.store.effects import EffectStore
from engine.store.reviews import ReviewStore
from engine.store.runs import RunStore


@dataclass(frozen=True)
class Admin:
    """One home behind the pages."""

    settings: Settings
    runs: RunStore
    approvals: ApprovalStore
    reviewing: Reviewing
    discoveries: Discoveries
    exploring: Exploring
    now: Callable[[], float] = time.time
    process: str = field(default_factory=lambda: f"admin-{uuid.uuid4().hex}")

    def waiting(self) -> int:
        """How many steps and explorations wait for a person now."""
        runs = self.exploring.desk.approvals.list(state="pending")
        return len(self.approvals.pending(self.now())) + len(runs)

    def decide(self, approval_id: str, *, approve: bool, by: str, comment: str) -> Approval:
        """Answer a step. Raises NotFound, and IllegalTransition when it was answered or has expired."""
        return self.approvals.decide(approval_id, approve=approve, by=by, process=self.process, now=self.now(), comment=comment)

    def knows(self, run_id: str) -> bool:
        """Whether there is a run of that id."""
        try:
            self.runs.get(run_id)
        except NotFound:
            return False
        return True

    def secret(self, name: str) -> str | None:
        """A secret's value from the server's own environment, where the command line looks for it too."""
        return self.settings.environment.get(f"CAPWRIGHT_SECRET_{name.upper()}")


def admin_of(settings: Settings) -> Admin:
    """The admin of a home. Raises UsageError for what config.toml names and is not there."""
    opened = database(settings)
    EffectStore(opened).recover(time.time())
    return Admin(
        settings=settings,
        runs=RunStore(opened),
        approvals=ApprovalStore(opened),
        reviewing=Reviewing(CapabilityStore(settings.capabilities), ReviewStore(opened)),
        discoveries=Discoveries(settings),
        exploring=exploring(settings),
    )
