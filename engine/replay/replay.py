"""Runs a capability: resolve, judge, act, wait, check; step by step to a typed ending."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from engine.act.typing import kept
from engine.browser.element import Element
from engine.browser.locators import Resolution, Resolved, Unresolved, resolve, reveal
from engine.domain.action import Action, Navigate, Select, Type
from engine.domain.capability import Capability, CapabilityStep, DialogExpected, Extractor
from engine.domain.ending import Ending, ReplayResult, StepReplayed
from engine.domain.observation import Download
from engine.domain.parse import Unparsable
from engine.domain.step import Outcome
from engine.domain.template import fill_pattern
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.errors import ActionFailed, BrowserError, DeadlineExceeded, StaleRef, TargetUnreachable
from engine.replay.actions import action_of, fitting
from engine.replay.conditions import unmet
from engine.replay.outputs import fault
from engine.replay.place import Place, facts_of
from engine.replay.reading import TEXTS, read
from engine.replay.stops import Stopped

STEP_SECONDS = 10.0
BUSY = frozenset({429, 502, 503, 504})
BUSY_SECONDS = 1.0
"""How long a site that says it is busy is left alone before a page is asked for once more."""
REVEAL_SECONDS, REVEALED_SECONDS = 1.2, 0.25
"""When lists that draw only what is in view are scrolled for what is nowhere, and how long each part is looked at."""
TICKS = frozenset({"checkbox", "radio", "switch"})
OPTIONAL_SECONDS = 0.15
"""How long an optional step waits for its element: a banner that is not there by then is not shown this time."""


@dataclass
class Replay:
    """One run of one capability in one place. `values` are the inputs as plain text; secrets stay placeholders."""

    capability: Capability
    values: Mapping[str, str]
    place: Place
    target: str
    seconds: float = 120.0
    step_seconds: float = STEP_SECONDS
    outputs: dict[str, Any] = field(default_factory=dict)
    done: list[StepReplayed] = field(default_factory=list)
    downloads: tuple[Download, ...] = ()
    skipped: list[CapabilityStep] = field(default_factory=list)
    current: CapabilityStep | None = None
    sent: bool = False
    typed: dict[str, tuple[Element, str]] = field(default_factory=dict)
    signing: bool = False
    asked_again: str = ""
    wrote: bool = False

    async def run(self) -> ReplayResult:
        """To the ending. Never raises for what a page or a policy does."""
        start = time.monotonic()
        try:
            async with asyncio.timeout(self.seconds):
                await self._all()
            stopped = Stopped("ok", "")
        except Stopped as stop:
            stopped = stop
        except TimeoutError:
            stopped = self._doubtful("timeout", f"{self.seconds:g} s were not enough.")
        except TargetUnreachable as error:
            stopped = self._doubtful("target_error", str(error))
        except DeadlineExceeded as error:
            stopped = self._doubtful("timeout", str(error))
        except BrowserError as error:
            stopped = self._doubtful("target_error", str(error))
        return self._result(stopped, (time.monotonic() - start) * 1000)

    async def _all(self) -> None:
        await self._open()
        for number, step in enumerate(self.capability.steps, 1):
            self.current, self.sent = step, False
            start = time.monotonic()
            level = await self._step(step, number)
            millis = round((time.monotonic() - start) * 1000, 1)
            self.done.append(StepReplayed(id=step.id, locator=level, millis=millis, skipped=level == -1))
        self.current = None
        problem = fault(self.capability.outputs, self.outputs)
        if problem:
            raise Stopped("output_invalid", problem)
        missing = await self._unmet(self.capability.checkpoint)
        if missing:
            raise Stopped(
                "checkpoint_failed", f"The flow ended elsewhere: expected {missing}.", missing, self.place.session.url
            )

    async def _open(self) -> None:
        """The target; once more where it is busy for a moment."""
        session = self.place.session
        try:
            await session.start(self.target, settle=False)
        except TargetUnreachable:
            if session.watch.main_status not in BUSY:
                raise
            await asyncio.sleep(BUSY_SECONDS)
            await session.start(self.target, settle=False)

    async def _again(self) -> None:
        """Ask once more for a page that was busy, where nothing was written or typed to come to it."""
        session = self.place.session
        if session.watch.main_status not in BUSY or self.asked_again == session.url or self.typed or session.pending().requests:
            return
        before = self.capability.steps[len(self.done) - 1] if self.done else None
        if before is not None and before.effect != "read":
            return
        self.asked_again = session.url
        await asyncio.sleep(BUSY_SECONDS)
        await session.open(session.url, settle=False)

    async def _step(self, step: CapabilityStep, number: int) -> int | None:
        """The level of the locator that matched; -1 when an optional step had nothing to do."""
        found = await self._find(step)
        if step.target and found is None:
            return -1
        if step.action == "extract":
            await self._extract(step)
            return None
        action = action_of(step, self.values, await self._option(step, found))
        status, self.place.session.watch.main_status = self.place.session.watch.main_status, None
        self.place.desk.expect(self._dialog(step.dialog))
        if number > 1 or not self._is_there(action, status):
            await self._perform(step, number, action, found)
        missing = await self._unmet(step.expect)
        self.place.actor.settled(missing is None)
        if missing:
            await self._missed(step, missing)
        await self._extract(step)
        return found.level if found else None

    def _is_there(self, action: Action, status: int | None) -> bool:
        """Whether a first step only names the page that the target itself has just led to: it is not loaded a second time."""
        url = self.place.session.url
        same = isinstance(action, Navigate) and urljoin(self.target, action.url) == url and status is not None and status < 400
        return same and isinstance(self.place.guard.judge(action, facts_of(None, url)), Permit)

    async def _find(self, step: CapabilityStep) -> Resolved | None:
        if step.target is None:
            return None
        self.place.session.follow()
        end, wait = time.monotonic() + (OPTIONAL_SECONDS if step.optional else self.step_seconds), REVEAL_SECONDS
        while True:
            await self._again()
            # A notice that was not there when its step came may cover the page by now: it is put away as soon as it shows.
            slice_end = min(end, time.monotonic() + (OPTIONAL_SECONDS if self.skipped else wait))
            found = await resolve(self.place.session.page, step.target, self.values, slice_end)
            if await self._put_away():
                continue
            if isinstance(found, Resolved):
                return found
            if time.monotonic() >= end or found.kind == "ambiguous":
                break
            if await reveal(self.place.session.page):
                wait = REVEALED_SECONDS
        if step.optional:
            self.skipped.append(step)
            return None
        raise self._unresolved(found)

    async def _put_away(self) -> bool:
        """Do what optional steps were skipped for, where it shows now; whether anything was done."""
        for step in tuple(self.skipped):
            assert step.target is not None, "only a step whose element was not there is skipped"
            found = await resolve(self.place.session.page, step.target, self.values, time.monotonic())
            if isinstance(found, Resolved):
                self.skipped.remove(step)
                await self._perform(step, 0, action_of(step, self.values), found)
                return True
        return False

    def _unresolved(self, found: Unresolved) -> Stopped:
        if self.place.desk.unexpected:
            return Stopped("dialog_unexpected", f"It was dismissed: {self.place.desk.unexpected}")
        if found.login and self._past_login():
            return Stopped(
                "auth_expired", "A login page where none was expected; nothing was typed into it.", found.expected, found.seen
            )
        watch = self.place.session.watch
        if found.kind == "drift" and watch.refusing:
            return Stopped("target_error", f"The site answered {watch.main_status}.", found.expected, found.seen)
        what = "More than one element fits" if found.kind == "ambiguous" else "The element is gone or no longer what it was"
        return Stopped(found.kind, f"{what}: {found.expected}. Seen: {found.seen}.", found.expected, found.seen)

    def _past_login(self) -> bool:
        """Whether no secret was just typed and no step from here on types one: a password field is no part of this flow."""
        if self.signing:
            return False
        ids = [step.id for step in self.capability.steps]
        rest = self.capability.steps[ids.index(self.current.id) :] if self.current else ()
        return not any("{{secret." in (step.value or "") for step in rest)

    async def _option(self, step: CapabilityStep, found: Resolved | None) -> str | None:
        if step.action != "select" or found is None:
            return None
        options = await Element(found.locator, step.id).options()
        fits = fitting(step, self.values, options)
        if len(fits) != 1:
            kind: Ending = "ambiguous" if fits else "drift"
            seen = ", ".join(fits or options)[:500]
            raise Stopped(kind, f"{len(fits)} options fit {step.value!r}.", step.value or "", seen)
        return fits[0]

    def _dialog(self, dialog: DialogExpected | None) -> DialogExpected | None:
        return dialog and dialog.model_copy(update={"message": fill_pattern(dialog.message, self.values)})

    async def _perform(self, step: CapabilityStep, number: int, action: Action, found: Resolved | None) -> None:
        element = Element(found.locator, step.target.description if step.target else step.id) if found else None
        if action.action in ("click", "press"):
            await self._still_typed()
        facts = facts_of(found, self.place.session.url)
        permit = await self._cleared(action, facts, found, number)
        outcome = await self._act(permit, number, element)
        if outcome.held and permit.approval_id is None:
            needed = ApprovalNeeded(action=action, facts=facts, rule="dialogHandling", why=outcome.held)
            outcome = await self._act(await self._asked(needed, found, number), number, element)
        if "intercepts pointer" in outcome.problem and not outcome.requests and await self._put_away():
            # A notice came up between finding and clicking: nothing was clicked yet.
            outcome = await self._act(permit, number, element)
        self._check(step, outcome)
        self._remember(action, element, found)

    async def _still_typed(self) -> None:
        """Before anything is sent or chosen: every field of this page still says what this run put there."""
        held = await asyncio.gather(*(element.held() for element, _text in self.typed.values()))
        for (element, text), now in zip(self.typed.values(), held, strict=True):
            if now is not None and not kept(now, text):
                raise Stopped(
                    "drift", f"{element.what} says {now[:200]!r}, not {text[:200]!r}: the page changed it.", text, now
                )

    def _remember(self, action: Action, element: Element | None, found: Resolved | None) -> None:
        """What the fields of this page must say from now on; a click that is no mere tick may have changed them."""
        text = action.text if isinstance(action, Type) else "\n".join(action.options) if isinstance(action, Select) else None
        if text is not None and element is not None:
            self.signing |= "{{secret." in text
            if "{{secret." not in text:
                self.typed[element.what] = (element, text)
        elif action.action != "hover" and not (found and found.role in TICKS):
            self.typed.clear()
            self.signing = False

    async def _cleared(self, action: Action, facts: Facts, found: Resolved | None, number: int) -> Permit:
        verdict = self.place.guard.judge(action, facts)
        if isinstance(verdict, Refusal):
            raise Stopped("policy", f"{verdict.why} ({verdict.rule})")
        return await self._asked(verdict, found, number) if isinstance(verdict, ApprovalNeeded) else verdict

    async def _asked(self, needed: ApprovalNeeded, found: Resolved | None, number: int) -> Permit:
        """A person's yes, used up against the element as it is now."""
        answer = await self.place.approver.ask(needed, number)
        if isinstance(answer, Refusal):
            raise Stopped("approval_needed", answer.why)
        live = await Element(found.locator, "it").facts() if found else None
        now = facts_of(found, self.place.session.url, live)
        void = self.place.approver.redeem(answer, now, number)
        if void:
            raise Stopped("approval_needed", void)
        return answer

    async def _act(self, permit: Permit, number: int, element: Element | None) -> Outcome:
        self.sent = True
        outcome = await self.place.actor.act(permit, number, element)
        self.downloads += outcome.downloads
        self.wrote = bool(outcome.requests)
        return outcome

    def _check(self, step: CapabilityStep, outcome: Outcome) -> None:
        if self.place.desk.unexpected:
            raise Stopped("dialog_unexpected", f"It was dismissed: {self.place.desk.unexpected}")
        outside = self.place.guard.judge_url(self.place.session.url)
        if outside:
            raise Stopped("policy", outside)
        if outcome.denied:
            raise Stopped("approval_needed", outcome.problem)
        if not outcome.ok:
            happened = step.effect == "commit" and outcome.requests
            raise Stopped("in_doubt" if happened else "drift", outcome.problem, seen=outcome.problem)

    async def _missed(self, step: CapabilityStep, missing: str) -> None:
        """A condition did not come true in time: say why as exactly as can be told."""
        session = self.place.session
        if self.place.desk.unexpected:
            raise Stopped("dialog_unexpected", f"It was dismissed: {self.place.desk.unexpected}")
        if step.effect == "commit" and (self.wrote or session.pending().requests):
            raise Stopped(
                "in_doubt", f"Whether step {step.id} happened is not known: expected {missing}.", missing, session.url
            )
        if session.watch.refusing:
            raise Stopped("target_error", f"The site answered {session.watch.main_status}.", missing, session.url)
        if self._past_login() and await session.asks_for_login():
            raise Stopped(
                "auth_expired", "A login page where none was expected; nothing was typed into it.", missing, session.url
            )
        raise Stopped("drift", f"After step {step.id}: expected {missing}.", missing, session.url)

    async def _extract(self, step: CapabilityStep) -> None:
        deadline = time.monotonic() + self.step_seconds
        resolutions = await asyncio.gather(*(self._place_of(extractor, deadline) for extractor in step.extract))
        for extractor, found in zip(step.extract, resolutions, strict=True):
            if isinstance(found, Unresolved):
                raise self._unresolved(found)
            try:
                self.outputs[extractor.output] = await read(extractor, found, self.place.session, self.downloads)
            except (Unparsable, ActionFailed, StaleRef) as error:
                raise Stopped("output_invalid", f"{extractor.output}: {error}.") from error

    async def _place_of(self, extractor: Extractor, deadline: float) -> Resolution | None:
        if extractor.kind == "file":
            await self._downloaded(deadline)
        if extractor.kind == "file" or extractor.target is None:
            return None
        page, wait = self.place.session.page, REVEAL_SECONDS
        while True:
            slice_end = min(deadline, time.monotonic() + wait)
            found = await resolve(page, extractor.target, self.values, slice_end, reads=extractor.kind in TEXTS)
            if isinstance(found, Resolved) or found.kind == "ambiguous" or time.monotonic() >= deadline:
                return found
            if await reveal(page):
                wait = REVEALED_SECONDS

    async def _downloaded(self, deadline: float) -> None:
        while not self.downloads and time.monotonic() < deadline:
            self.downloads += (await self.place.session.drain()).downloads
            await asyncio.sleep(0.01)

    async def _unmet(self, conditions: tuple[Any, ...]) -> str | None:
        return await unmet(conditions, self.place.session, self.values, time.monotonic() + self.step_seconds)

    def _doubtful(self, ending: Ending, explanation: str) -> Stopped:
        if self.current is not None and self.current.effect == "commit" and self.sent:
            return Stopped("in_doubt", f"Whether step {self.current.id} happened is not known: {explanation}")
        return Stopped(ending, explanation)

    def _result(self, stop: Stopped, millis: float) -> ReplayResult:
        return ReplayResult(
            capability=self.capability.id,
            version=self.capability.version,
            ending=stop.ending,
            outputs=self.outputs if stop.ending == "ok" else {},
            step=self.current.id if self.current else None,
            expected=stop.expected,
            seen=stop.seen,
            explanation=stop.explanation,
            steps=tuple(self.done),
            millis=round(millis, 1),
        )
