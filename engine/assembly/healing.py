"""Proposes a patch of a capability whose page moved: a planner looks for the broken step's element, replays prove it."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from engine.assembly.discovering import new_run_id
from engine.assembly.homes import capability_store
from engine.assembly.planning import chosen_model, open_planner
from engine.assembly.policies import named, policy_of
from engine.assembly.proving import Workbench
from engine.assembly.replaying import Order, replay_in, unfit
from engine.assembly.reviewing import Reviewing, reviewing
from engine.assembly.sessions import open_bounded_browser
from engine.browser.locators import Resolved, describe
from engine.discover.stages import Planner
from engine.distill.inputs import Input, Inputs
from engine.distill.locate import Finder
from engine.domain.brief import Brief
from engine.domain.capability import Capability, CapabilityStep, Provenance, Target
from engine.domain.ending import ReplayResult
from engine.domain.run import Goal
from engine.domain.template import fill
from engine.errors import DistillRefused
from engine.observe.observer import PageObserver
from engine.record.evidence import Evidence
from engine.record.recorder import RunRecorder
from engine.record.redact import Redactor
from engine.record.redacted import RedactedObserver
from engine.replay.inputs import secret_names
from engine.replay.proof import provable
from engine.replay.replay import Replay
from engine.replay.stops import Stopped
from engine.review.diff import Diff, diff
from engine.review.publish import new_draft
from engine.settings import Settings

ASKED = {
    "type": 'type "{value}" into "{name}"',
    "select": 'choose "{value}" in "{name}"',
    "hover": 'hover over "{name}"',
}
"""How the goal of one step is said; every other step presses something."""


@dataclass(frozen=True)
class Healed:
    """How the replay ended with what was found again; the patch and its diff where there was something to heal."""

    result: ReplayResult
    steps: tuple[str, ...] = ()
    capability: Capability | None = None
    path: Path | None = None
    diff: Diff | None = None


@dataclass
class Healing(Replay):
    """A replay that asks a planner where the element of a step has gone, and goes on with what it shows."""

    planner: Planner = field(kw_only=True)
    recorder: RunRecorder = field(kw_only=True)
    redactor: Redactor = field(kw_only=True)
    found: dict[str, Target] = field(kw_only=True)

    async def _find(self, step: CapabilityStep) -> Resolved | None:
        try:
            return await super()._find(step)
        except Stopped as stop:
            if stop.ending not in ("drift", "ambiguous"):
                raise
            target = await self._sought(step, stop)
            resolved = await super()._find(step.model_copy(update={"target": target}))
            self.found[step.id] = target
            return resolved

    async def _sought(self, step: CapabilityStep, stop: Stopped) -> Target:
        """The step's element as it is now. Raises Stopped when the planner does not find it, or only run data would."""
        assert step.target, "only a step with an element can lack it"
        session = self.place.session
        eyes = PageObserver(session, max_tokens=12_000, screenshots="never", keep=self.recorder.keep)
        seen = await RedactedObserver(eyes, self.redactor).observe(problem=False, widened=frozenset())
        goal = Goal(text=asked(step, self.values), target=self.target, secrets=tuple(secret_names(self.capability.inputs)))
        allowed = (step.action, "done", "stuck")
        planned = await self.planner.decide(Brief(goal=goal, observation=seen, history=(), allowed=allowed))
        ref = getattr(planned.decision.action, "ref", None)
        if planned.decision.action.action != step.action or ref is None:
            why = getattr(planned.decision.action, "problem", "") or planned.decision.reason
            raise Stopped(
                stop.ending, f"{stop.explanation} The planner does not find it either: {why}", stop.expected, stop.seen
            )
        given = self.capability.inputs.get("properties", {})
        entries = tuple(Input(name, value, given.get(name, {})) for name, value in self.values.items())
        meaning = Goal(text=f"{self.capability.title}. {self.capability.description}", target=self.target)
        try:
            return Finder(Inputs(entries), meaning).acting(await describe(session.element(ref).locator))
        except DistillRefused as error:
            raise Stopped(stop.ending, f"{stop.explanation} {error}", stop.expected, stop.seen) from error


def asked(step: CapabilityStep, values: Mapping[str, str]) -> str:
    """The step as a goal of its own: `type "Ada" into "Last name"`."""
    assert step.target
    best = next((each for each in step.target.locators if each.match == "exact" and each.value), step.target.locators[0])
    template = ASKED.get(step.action, 'press "{name}"')
    return template.format(value=fill(step.value or "", values), name=fill(best.value, values))


async def heal(
    settings: Settings,
    order: Order,
    model: str | None = None,
    base_url: str | None = None,
    tell: Callable[[str], None] = lambda _line: None,
) -> Healed:
    """Replay up to the first commit, find broken elements again, prove a patch with the same inputs and keep it as a draft.

    Nothing is replaced, and nothing is done that the version itself does not do. Raises DistillRefused when the patch's own
    proof fails, UsageError for a file that is none, ModelUnavailable.
    """
    house = reviewing(settings)
    capability = house.meant(order.capability, order.allow_draft)
    refused = unfit(house, capability, order)
    if refused is not None:
        return Healed(refused)
    secrets, run_id = named(order.secrets), new_run_id()
    target = order.target or capability.target
    policy = policy_of(settings, order.policy, target, secrets)
    chosen, redactor = chosen_model(settings, model, base_url), Redactor(secrets)
    recorder = RunRecorder(Evidence(settings.evidence / run_id), redactor)
    found: dict[str, Target] = {}
    async with AsyncExitStack() as stack:
        planner = await stack.enter_async_context(open_planner(chosen, recorder.append, lambda _path: None, "never"))
        browser = await stack.enter_async_context(open_bounded_browser(settings, policy, order.headed))
        healing = partial(Healing, planner=planner, recorder=recorder, redactor=redactor, found=found)
        tell("Replaying it, up to the first step that commits something")
        result = await replay_in(settings, browser, provable(capability), order, policy, secrets, healing)
    if result.ending != "ok" or not found:
        return Healed(result, tuple(found))
    patch = patched(house, capability, found, run_id, chosen.name)
    tell(f"Proving what was found for {', '.join(found)} by replays without a model")
    goal = Goal(text=capability.title, target=target, secrets=secrets.names)
    bench = Workbench(settings, policy, secrets, goal, run_id, chosen.name, order.files)
    patch = await bench.prove(patch, own=dict(order.inputs))
    return Healed(result, tuple(found), patch, capability_store(settings).keep(patch), diff(capability, patch))


def patched(house: Reviewing, capability: Capability, found: Mapping[str, Target], run_id: str, model: str) -> Capability:
    """The next patch version as a draft: the same but for where these steps find their elements."""
    steps = tuple(step.model_copy(update={"target": found[step.id]}) if step.id in found else step for step in capability.steps)
    provenance = Provenance(discovery_model=model, discovery_run_id=run_id, engine_version=capability.provenance.engine_version)
    why = f"healed: {'; '.join(f'{step} is {target.description} now' for step, target in found.items())}"
    changed = capability.model_copy(update={"steps": steps, "provenance": provenance})
    return new_draft(capability, changed, why, house.taken(capability.id))
