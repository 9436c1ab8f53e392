"""What the admin shows and steers of one home: runs, evidence, approvals, reviews, discoveries, explorations."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.assembly.discoveries import Discoveries
from engine.assembly.homes import database
from engine.assembly.reviewing import Reviewing
from engine.domain.approval import Approval
from engine.errors import NotFound
from engine.explore.requests import Requests
from engine.settings import Settings
from engine.store.approvals import ApprovalStore
from engine.store.capabilities import CapabilityStore
from engine.store.reviews import ReviewStore
from engine.store.runs import RunStore


@dataclass(frozen=True)
class Admin:
    """One home behind the pages. `exploring` is None where no explorations are set up."""

    settings: Settings
    runs: RunStore
    approvals: ApprovalStore
    reviewing: Reviewing
    discoveries: Discoveries
    exploring: Requests | None = None
    now: Callable[[], float] = time.time
    process: str = field(default_factory=lambda: f"admin-{uuid.uuid4().hex}")

    def waiting(self) -> int:
        """How many steps wait for a person now."""
        return len(self.approvals.pending(self.now()))

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

    def secret_names(self) -> tuple[str, ...]:
        """Secrets that the server's environment holds, as they are named on the command line but in lower case."""
        prefix = "CAPWRIGHT_SECRET_"
        names = (name.removeprefix(prefix) for name in self.settings.environment if name.startswith(prefix))
        return tuple(sorted(name.lower() for name in names if name))


def admin_of(settings: Settings, exploring: Requests | None = None) -> Admin:
    """The admin of a home."""
    opened = database(settings)
    return Admin(
        settings=settings,
        runs=RunStore(opened),
        approvals=ApprovalStore(opened),
        reviewing=Reviewing(CapabilityStore(settings.capabilities), ReviewStore(opened)),
        discoveries=Discoveries(settings),
        exploring=exploring,
    )
