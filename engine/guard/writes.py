"""The write gate: holds a request that a rule speaks of until a person answers; one yes covers a step and its one request."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

from engine.domain.action import Wait
from engine.domain.request import RequestFacts
from engine.domain.step import StepEffect
from engine.domain.url import Url, UrlRefused, classify
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.errors import StoreError
from engine.guard.guard import PolicyGuard, sentence, submits
from engine.guard.passes import Passes
from engine.guard.rules import Ruling, is_write

LOGINS = 3
"""Login forms of one run that go unasked: a page that calls everything a login gets no further."""
QUESTIONS = 3
"""Questions about requests in one step; a page that sends more is not answered by wearing a person down."""
HIDDEN = ("pass", "pwd", "secret", "token", "csrf", "otp", "pin", "cvv", "card")

Ask = Callable[[ApprovalNeeded, int], Awaitable[Permit | Refusal]]
"""Asks a person; a yes has been used up, and the intent written, when it comes back."""


class Effects(Protocol):
    """The effects ledger of one run."""

    def intend(self, step: int, effect: StepEffect) -> None:
        """Before a write leaves. Raises StoreError, and then it does not leave."""
        ...

    def end(self, state: Literal["done", "failed", "in_doubt"]) -> None:
        """What became of all that was intended."""
        ...


@dataclass
class Ticket:
    """One write that a permit already covers; `target` is what it must be when the form made it certain."""

    target: tuple[str, str] | None
    origin: str = ""
    login: bool = False

    def covers(self, request: RequestFacts, url: Url) -> bool:
        """Whether this is that write."""
        if self.target is not None:
            return (request.method.upper(), url.sent) == self.target
        return not self.origin or str(url.origin) == self.origin


@dataclass
class WriteGate:
    """The gate of one session: `begin` before an action is dispatched, `idle` before it settles, `end` when it is over.

    `sent` counts the writes of a step that were let go.
    """

    guard: PolicyGuard
    ask: Ask
    passes: Passes | None = None
    effects: Effects | None = None
    sent: int = 0
    refused: list[str] = field(default_factory=list)
    denied: bool = False
    _permit: Permit | None = None
    _step: int = 0
    _ticket: Ticket | None = None
    _logins: int = LOGINS
    _questions: int = QUESTIONS
    _open: int = 0
    _approved: int = 0
    _commits: bool = False
    _quiet: asyncio.Event = field(default_factory=asyncio.Event)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)

    def begin(self, permit: Permit, step: int = 0) -> None:
        """A step is about to be carried out; what was left of the last one's leave is void."""
        self._permit, self._step = permit, step
        self._questions, self.denied = QUESTIONS, False
        self.sent, self._approved = 0, int(permit.approval_id is not None)
        self._commits |= bool(self._approved)
        self.refused.clear()
        self._ticket = ticket(permit, self.guard)

    def end(self, *, ok: bool, known: bool) -> bool:
        """The step is over; `known` says that what it sent was answered. True when a commit of it is in doubt now."""
        doubt = self._commits and not known and (self.sent > 0 or self._approved > 0)
        if self.effects and (self._commits or self.sent):
            self.effects.end("in_doubt" if doubt else "done" if ok or self.sent else "failed")
        self._commits, self.sent = False, 0
        return doubt

    async def idle(self) -> bool:
        """Wait until no request is held; whether one was."""
        held = self._open > 0
        while self._open:
            self._quiet.clear()
            await self._quiet.wait()
        return held

    async def admit(self, request: RequestFacts) -> bool:
        """Whether the request may be sent: by the policy, by the step's own leave, or by a person's."""
        ruling = self.guard.judge_request(request)
        if ruling.effect == "permit" and not is_write(request.method):
            return True
        url = classify(request.url)
        if ruling.effect == "forbid" or isinstance(url, UrlRefused):
            return self._no(request, sentence(ruling.why))
        try:
            if request.repeated:
                return self._passed(request)
            found = None if ruling.effect == "permit" else self._covering(request, url)
            if ruling.effect == "permit" or found or await self._asked(request, url, ruling):
                return self._let_go(request, "idempotent" if found and found.login else "commit")
        except StoreError as error:
            return self._no(request, f"It was not sent, since nothing about it could be written down: {error}.")
        return False

    def _let_go(self, request: RequestFacts, effect: StepEffect) -> bool:
        """Write the intent, unless the approval has written it, then issue the pass."""
        if self._approved:
            self._approved -= 1
        elif self.effects:
            self.effects.intend(self._step, effect)
        self.sent += 1
        self._commits |= effect == "commit"
        return self._passed(request)

    def _passed(self, request: RequestFacts) -> bool:
        if self.passes:
            self.passes.issue(request.method, request.url)
        return True

    def _covering(self, request: RequestFacts, url: Url) -> Ticket | None:
        found = self._ticket
        if found is None or not found.covers(request, url) or (found.login and self._logins <= 0):
            return None
        self._ticket = None
        self._logins -= int(found.login)
        return found

    async def _asked(self, request: RequestFacts, url: Url, ruling: Ruling) -> bool:
        self._open += 1
        try:
            async with self._one_at_a_time:
                if self._covering(request, url):
                    return True
                if self.denied or self._questions <= 0:
                    return self._no(request, "It was not sent: this step was already answered with no, or asked too often.")
                self._questions -= 1
                answer = await self.ask(self._needed(request, url, ruling), self._step)
        finally:
            self._open -= 1
            self._quiet.set()
        if isinstance(answer, Permit):
            self._approved += 1
            return True
        self.denied = True
        return self._no(request, answer.why)

    def _needed(self, request: RequestFacts, url: Url, ruling: Ruling) -> ApprovalNeeded:
        facts = self._permit.facts if self._permit else Facts(page_url=request.page_url or request.url)
        return ApprovalNeeded(
            action=self._permit.action if self._permit else Wait(),
            facts=facts.model_copy(update={"form_method": request.method.lower(), "form_action": url.sent}),
            rule=ruling.rule,
            why=f"The page is about to send {request.method} {url.origin}{url.path}{described(request)}.",
        )

    def _no(self, request: RequestFacts, why: str) -> bool:
        if is_write(request.method) and len(self.refused) < 20:
            self.refused.append(why)
        return False


def ticket(permit: Permit, guard: PolicyGuard) -> Ticket | None:
    """What a permit covers: an approved step its one request, a login form one write to its own site, any other step none."""
    facts = permit.facts
    page = classify(facts.frame_url or facts.page_url)
    origin = "" if isinstance(page, UrlRefused) else str(page.origin)
    if permit.approval_id is not None:
        certain = submits(permit.action, facts) and is_write(facts.form_method)
        action = classify(facts.form_action)
        target = (facts.form_method.upper(), action.sent) if certain and isinstance(action, Url) else None
        return Ticket(target)
    sends = permit.action.action == "press" or (permit.action.action == "click" and (facts.submits or facts.role == "button"))
    login = guard.policy.login_forms and facts.form_password and sends
    return Ticket(None, origin, login=True) if login and origin else None


def described(request: RequestFacts) -> str:
    """The fields of a request for the person who is asked; values of hidden kinds are not shown."""
    if not request.fields:
        return ""
    shown = (f"{name}={'•••' if any(word in name.lower() for word in HIDDEN) else value}" for name, value in request.fields)
    return f" with {', '.join(shown)}"
