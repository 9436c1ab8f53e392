"""Counts on a live target what every locator of a version finds just before its step: a replay up to the first effect."""

from dataclasses import dataclass, field
from functools import partial

from engine.assembly.policies import named, policy_of
from engine.assembly.replaying import Order, replay_in, unfit
from engine.assembly.reviewing import reviewing
from engine.assembly.sessions import open_bounded_browser
from engine.browser.locators import Resolved, resolve
from engine.domain.capability import Capability, CapabilityStep, Target
from engine.domain.ending import ReplayResult
from engine.replay.proof import provable
from engine.replay.replay import Replay
from engine.settings import Settings


@dataclass(frozen=True)
class Count:
    """How many elements one locator finds that look as they must; `output` is empty for a step's own target."""

    step: str
    output: str
    locator: int
    found: int


@dataclass
class Counting(Replay):
    """A replay that looks, before every step, through each locator alone."""

    counts: list[Count] = field(default_factory=list)

    async def _find(self, step: CapabilityStep) -> Resolved | None:
        try:
            return await super()._find(step)
        finally:
            if step.target is not None:
                await self._count(step, "", step.target)

    async def _extract(self, step: CapabilityStep) -> None:
        for each in step.extract:
            if each.target is not None:
                await self._count(step, each.output, each.target)
        await super()._extract(step)

    async def _count(self, step: CapabilityStep, output: str, target: Target) -> None:
        for number, locator in enumerate(target.locators):
            alone = target.model_copy(update={"locators": (locator,)})
            seen = await resolve(self.place.session.page, alone, self.values, 0.0)
            many = not isinstance(seen, Resolved) and seen.kind == "ambiguous"
            found = 1 if isinstance(seen, Resolved) else int(seen.seen.partition(" ")[0]) if many else 0
            self.counts.append(Count(step.id, output, number, found))


async def count(settings: Settings, capability: Capability, order: Order) -> tuple[ReplayResult, tuple[Count, ...]]:
    """The ending of the shortened replay, and the counts. Nothing with an effect is done: it stops before the first commit."""
    refused = unfit(reviewing(settings), capability, order)
    if refused is not None:
        return refused, ()
    secrets = named(order.secrets)
    policy = policy_of(settings, order.policy, order.target or capability.target, secrets)
    counts: list[Count] = []
    async with open_bounded_browser(settings, policy) as browser:
        result = await replay_in(
            settings, browser, provable(capability), order, policy, secrets, partial(Counting, counts=counts)
        )
    return result, tuple(counts)
