"""The three ways to answer a risky step: deny, the terminal, the inbox. A yes is a token for that step alone."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from engine.domain.approval import Approval, Binding, Channel
from engine.domain.step import StepEffect
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.errors import IllegalTransition
from engine.store.approvals import ApprovalStore, Asked, Now

INBOX_SECONDS = 600.0
POLL_SECONDS = 0.25

Prompt = Callable[[ApprovalNeeded, int], Awaitable[str | None]]
"""Shows a question on the terminal; the name of who said yes, or None for no."""


class Granter(Protocol):
    """The guard, as far as an approver needs it: only it makes permits."""

    def grant(self, needed: ApprovalNeeded, approval_id: str) -> Permit:
        """The permit that a person's yes is worth."""
        ...


def both_clocks() -> Now:
    """Wall and monotonic time now."""
    return Now(time.time(), time.monotonic())


@dataclass(frozen=True)
class RunOf:
    """What all approvals of a run are bound to. `process` names the asking process, so that it cannot answer itself."""

    run_id: str
    policy_digest: str
    process: str
    capability: str = ""

    def binding(self, needed: ApprovalNeeded, step: int) -> Binding:
        """The binding of one step."""
        return Binding(
            run_id=self.run_id, step=step, needed=needed, policy_digest=self.policy_digest, capability=self.capability
        )


class DenyingApprover:
    """Nobody is there to ask: every risky step is refused."""

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        """A refusal that says how to have somebody asked."""
        return refusal(needed, f"{needed.why} Nobody was asked: run with --approve ask or --approve inbox.")

    def redeem(self, permit: Permit, facts: Facts, step: int, effect: StepEffect = "commit") -> str | None:
        """Never reached with a permit of this approver."""
        return "Nothing was approved."


@dataclass
class Desk:
    """Puts questions, holds the tokens of the answers, and redeems each once: the common part of both ways to ask."""

    guard: Granter
    store: ApprovalStore
    run: RunOf
    clocks: Callable[[], Now] = both_clocks
    _held: dict[str, tuple[Asked, ApprovalNeeded]] = field(default_factory=dict)

    def put(self, needed: ApprovalNeeded, step: int, channel: Channel, seconds: float) -> Asked:
        """Write the question down."""
        binding = self.run.binding(needed, step)
        return self.store.ask(binding, channel=channel, asked_by=self.run.process, seconds=seconds, now=self.clocks())

    def answered(self, asked: Asked, needed: ApprovalNeeded) -> Permit | Refusal:
        """The permit for an approved question, a refusal for any other; one still open is withdrawn."""
        found = self.store.one(asked.id)
        if found.state == "approved":
            self._held[asked.id] = (asked, needed)
            return self.guard.grant(needed, asked.id)
        if found.state == "pending":
            self.store.withdraw(asked.id, expired=True, now=self.clocks().wall)
            return refusal(needed, f"{needed.why} Nobody answered {asked.id} in time.")
        return refusal(needed, f"{needed.why} {denial(found)}")

    def redeem(self, permit: Permit, facts: Facts, step: int, effect: StepEffect = "commit") -> str | None:
        """Use up the permit's approval right before dispatch; None, or why it is void. `facts` are those of this moment."""
        asked, needed = self._held.pop(permit.approval_id or "", (None, None))
        if asked is None or needed is None:
            return "The approval was used already, or is not one of this run."
        now = needed.model_copy(update={"action": permit.action, "facts": facts})
        try:
            self.store.consume(asked, self.run.binding(now, step), effect=effect, now=self.clocks())
        except IllegalTransition as problem:
            changed = difference(needed.facts, facts)
            return f"{problem} {changed}".strip()
        return None


class AskingApprover:
    """Asks whoever sits at the terminal."""

    def __init__(self, desk: Desk, prompt: Prompt, seconds: float = INBOX_SECONDS) -> None:
        self._desk = desk
        self._prompt = prompt
        self._seconds = seconds
        self.redeem = desk.redeem

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        """A permit bound to this action and these facts, or a refusal that says who denied or that time ran out."""
        asked = self._desk.put(needed, step, "terminal", self._seconds)
        try:
            async with asyncio.timeout(self._seconds):
                name = await self._prompt(needed, step)
        except TimeoutError:
            return self._desk.answered(asked, needed)
        with suppress(IllegalTransition):  # too late by a moment: it counts as not answered
            who = name or "the terminal"
            self._desk.store.decide(asked.id, approve=name is not None, by=who, process="", now=self._desk.clocks().wall)
        return self._desk.answered(asked, needed)


class InboxApprover:
    """Puts the question where another process shows it, and waits: `discover approvals`, or the admin's inbox."""

    def __init__(
        self, desk: Desk, seconds: float = INBOX_SECONDS, tell: Callable[[str, float], None] = lambda _id, _seconds: None
    ) -> None:
        self._desk = desk
        self._seconds = seconds
        self._tell = tell
        self.redeem = desk.redeem

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        """A permit, or a refusal; `tell` is given the id of the question and how many seconds are left to answer it."""
        asked = self._desk.put(needed, step, "inbox", self._seconds)
        self._tell(asked.id, self._seconds)
        until = self._desk.clocks().monotonic + self._seconds
        try:
            # Another process answers, and all that two processes share is the database: so it is looked at again and again.
            while self._desk.store.one(asked.id).state == "pending" and self._desk.clocks().monotonic < until:  # noqa: ASYNC110
                await asyncio.sleep(POLL_SECONDS)
        except asyncio.CancelledError:
            self._desk.store.withdraw(asked.id, expired=False, now=self._desk.clocks().wall)
            raise
        return self._desk.answered(asked, needed)


def refusal(needed: ApprovalNeeded, why: str) -> Refusal:
    """A no to a question."""
    return Refusal(action=needed.action, rule=needed.rule, why=why)


def denial(found: Approval) -> str:
    """Who said no, in a sentence."""
    said = f" ({found.comment})" if found.comment else ""
    return f"{found.approver or 'Somebody'} denied it{said}." if found.state == "denied" else f"The question is {found.state}."


def difference(before: Facts, after: Facts) -> str:
    """What of the place is no longer as it was approved."""
    names = [name for name in Facts.model_fields if getattr(before, name) != getattr(after, name)]
    return f"Changed: {', '.join(names)}." if names else ""
