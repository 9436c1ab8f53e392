"""Who gives leave for an action: the guard that judges it, and whoever is asked; discovery and replay need the same two."""

from typing import Protocol

from engine.domain.action import Action
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal, Verdict


class Guard(Protocol):
    """Judges an action before it is performed, and the URL after it."""

    def judge(self, action: Action, facts: Facts) -> Verdict:
        """Permit, refusal, or that a person must be asked."""
        ...

    def judge_url(self, url: str) -> str | None:
        """None when the browser may be there, else why not."""
        ...


class Approver(Protocol):
    """Asks a person about one action and waits for the answer within its own deadline."""

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        """A permit bound to this action and these facts, or a refusal that says who denied or that time ran out."""
        ...

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        """Use up the permit's approval right before dispatch, with the facts of that moment; None, or why it is void."""
        ...
