"""Leave for one risky step: what it is bound to, and its life."""

import hashlib
import json
from typing import Literal, TypeAlias

from engine.domain.frozen import Frozen
from engine.domain.verdict import ApprovalNeeded

ApprovalState: TypeAlias = Literal["pending", "approved", "denied", "expired", "void", "consumed"]
Channel: TypeAlias = Literal["inbox", "terminal"]


class Binding(Frozen):
    """Everything that must be the same when the step is carried out as when a person said yes."""

    run_id: str
    step: int
    needed: ApprovalNeeded
    policy_digest: str
    capability: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 over all of it; the sentence for people and the rule's name do not count."""
        content = self.model_dump(mode="json")
        content["needed"] = {"action": content["needed"]["action"], "facts": content["needed"]["facts"]}
        return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class Approval(Frozen):
    """One question to a person and its answer, as lists and pages show it. Times are seconds since the epoch."""

    id: str
    state: ApprovalState
    run_id: str
    step: int
    needed: ApprovalNeeded
    policy_digest: str
    capability: str
    channel: Channel
    asked_at: float
    expires_at: float
    approver: str = ""
    comment: str = ""
    decided_at: float | None = None
    ended_at: float | None = None
