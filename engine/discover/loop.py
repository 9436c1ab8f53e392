"""The loop: observe → decide → judge → (Permit: act | Refusal: note it | ApprovalNeeded: wait for the token) → record."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from engine.discover.stages import Planner, Recorder
from engine.discover.stops import Stop, no_progress, refused_too_often
from engine.domain.action import Action, Done, Stuck, Widen
from engine.domain.brief import Brief, Planned
from engine.domain.clearance import Approver, Guard
from engine.domain.doing import Actor, Observer
from engine.domain.observation import Observation
from engine.domain.policy import Policy
from engine.domain.run import Goal
from engine.domain.step import Outcome, Step, Timing
from engine.domain.verdict import ApprovalNeeded, Permit, Refusal, Verdict
from engine.errors import BrowserError, DeadlineExceeded, StaleRef


@dataclass
class Loop:
    """One discovery. `steps` is the trajectory so far, whatever happens: what was done is kept."""

    observer: Observer
    planner: Planner
    guard: Guard
    approver: Approver
    actor: Actor
    recorder: Recorder
    policy: Policy
    tell: Callable[[Step], None] = lambda _step: None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    files: tuple[str, ...] = ()
    steps: list[Step] = field(default_factory=list)
    widened: frozenset[str] = frozenset()

    async def run(self, goal: Goal) -> Stop:
        """Turn by turn until something stops it; limits and deadlines around it are the pipeline's."""
        while len(self.steps) < self.policy.limits.max_discovery_steps:
            step = await self.turn(goal)
            if stop := self._ended(step):
                return stop
        return Stop("step_limit", f"{len(self.steps)} steps were not enough; allow more with --max-steps, or ask for less.")

    async def turn(self, goal: Goal) -> Step:
        """observe → decide → judge → act → record."""
        clock = Stopwatch()
        seen = await self.observer.observe(problem=self._failed(), widened=self.widened)
        clock.lap("observe")
        planned = await self.planner.decide(self._brief(goal, seen))
        clock.lap("decide")
        verdict = await self._judge(planned.decision.action, seen)
        clock.lap("judge")
        try:
            outcome = await self._carry_out(verdict, seen)
        except (asyncio.CancelledError, BrowserError, DeadlineExceeded) as error:
            clock.lap("act")
            self._record(seen, planned, verdict, unfinished(planned.decision.action, error), clock)
            raise
        clock.lap("act")
        return self._record(seen, planned, verdict, outcome, clock)

    async def _judge(self, action: Action, seen: Observation) -> Verdict:
        try:
            facts = await self.actor.facts(action, seen)
        except StaleRef as error:
            return Refusal(action=action, rule="stale ref", why=str(error))
        return self.guard.judge(action, facts)

    async def _carry_out(self, verdict: Verdict, seen: Observation) -> Outcome:
        number = len(self.steps) + 1
        answer = await self._asked(verdict, seen, number) if isinstance(verdict, ApprovalNeeded) else verdict
        if isinstance(answer, Refusal):
            return refused(answer, denied=answer is not verdict)
        outcome = await self._act(answer, number)
        if outcome.held and answer.approval_id is None:
            # A dialog or a write turned out to need a person: nothing happened yet, so ask and do it once more.
            needed = ApprovalNeeded(action=answer.action, facts=answer.facts, rule=answer.rule, why=outcome.held)
            again = await self._asked(needed, seen, number)
            outcome = await self._act(again, number) if isinstance(again, Permit) else refused(again, denied=True)
        return outcome

    async def _asked(self, needed: ApprovalNeeded, seen: Observation, number: int) -> Permit | Refusal:
        """A person's answer, used up against the page as it is now: what changed meanwhile is asked about anew, once."""
        why = ""
        for _ in range(2):
            answer = await self.approver.ask(needed, number)
            if isinstance(answer, Refusal):
                return answer
            try:
                facts = await self.actor.facts(needed.action, seen)
            except StaleRef as error:
                return Refusal(action=needed.action, rule="stale ref", why=str(error))
            why = self.approver.redeem(answer, facts, number) or ""
            if not why:
                return answer
            needed = needed.model_copy(update={"facts": facts})
        return Refusal(action=needed.action, rule=needed.rule, why=why)

    async def _act(self, permit: Permit, number: int) -> Outcome:
        if isinstance(permit.action, Done | Stuck):
            return Outcome(ok=True)
        if isinstance(permit.action, Widen):
            self.widened |= {permit.action.ref}
            return Outcome(ok=True)
        self.recorder.intend(permit, number)
        outcome = await self.actor.act(permit, number)
        left = self.guard.judge_url(outcome.url_after)
        return outcome.model_copy(update={"ok": False, "problem": left, "out_of_scope": True}) if left else outcome

    def _record(self, seen: Observation, planned: Planned, verdict: Verdict, outcome: Outcome, clock: "Stopwatch") -> Step:
        step = Step(
            number=len(self.steps) + 1,
            at=self.now(),
            url=seen.url,
            title=seen.title,
            fingerprint=seen.fingerprint,
            snapshot=seen.snapshot,
            screenshot=seen.screenshot,
            decision=planned.decision,
            verdict=verdict,
            outcome=outcome,
            usage=self.planner.usage,
            timing=Timing(**clock.laps),
        )
        self.steps.append(step)
        self.recorder.step(step)
        self.tell(step)
        return step

    def _brief(self, goal: Goal, seen: Observation) -> Brief:
        allowed = (*self.policy.actions.allow, "widen", "done", "stuck")
        return Brief(goal=goal, observation=seen, history=tuple(self.steps), allowed=allowed, files=self.files)

    def _failed(self) -> bool:
        return bool(self.steps) and not self.steps[-1].outcome.ok

    def _ended(self, step: Step) -> Stop | None:
        action = step.decision.action
        if isinstance(action, Done):
            return Stop("done", action.summary)
        if isinstance(action, Stuck):
            return Stop("stuck", action.problem)
        if step.outcome.in_doubt:
            return Stop("stuck", step.outcome.problem)
        if step.outcome.out_of_scope:
            return Stop("policy", step.outcome.problem)
        return refused_too_often(self.steps) or no_progress(self.steps)


def refused(refusal: Refusal, denied: bool) -> Outcome:
    """Nothing was done; `denied` when it was a person's no and not the policy's."""
    return Outcome(ok=False, problem=refusal.why, denied=denied, changed=False)


def unfinished(action: Action, error: BaseException) -> Outcome:
    """The action was cut off: whether it happened is not known."""
    cut = "the run was interrupted" if isinstance(error, asyncio.CancelledError) else str(error)
    return Outcome(ok=False, problem=f"In doubt whether the {action.action} happened: {cut}", in_doubt=True)


class Stopwatch:
    """Milliseconds of each stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        """The time since the last lap belongs to `stage`."""
        now = time.perf_counter()
        self.laps[stage] = round((now - self._last) * 1000, 1)
        self._last = now
