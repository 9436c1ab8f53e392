"""Wires one replay; nothing that asks a model is imported here, and no key is read."""

import secrets as random
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from engine.assembly.approving import Asking, approver_of, redeeming
from engine.assembly.homes import database, effect_store
from engine.assembly.policies import named, policy_of
from engine.assembly.reviewing import Reviewing, reviewing
from engine.assembly.sessions import BoundedBrowser, Bounds, open_bounded_browser, open_place
from engine.browser.tape import Tape
from engine.domain.capability import Capability
from engine.domain.ending import Ending, ReplayResult
from engine.domain.policy import Policy
from engine.domain.secret import Secrets
from engine.domain.template import fill
from engine.guard.guard import PolicyGuard
from engine.record.redact import Redactor
from engine.record.redacted import RedactedApprover, redacted
from engine.replay.inputs import checked, secret_names
from engine.replay.place import Place
from engine.replay.replay import Replay
from engine.settings import Settings
from engine.store.effects import RunEffects


@dataclass(frozen=True)
class Order:
    """What a caller asks of one replay."""

    capability: str
    inputs: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: Mapping[str, str] = field(default_factory=dict)
    target: str | None = None
    policy: Path | None = None
    allow_draft: bool = False
    approve: Asking | None = None
    timeout_seconds: float = 120.0
    headed: bool = False
    hermetic: Path | None = None


async def replay(settings: Settings, order: Order) -> ReplayResult:
    """Run one capability to its ending. Raises UsageError for a file that is none; every other end is a result."""
    house = reviewing(settings)
    capability = house.meant(order.capability, order.allow_draft)
    refused = unfit(house, capability, order)
    if refused is not None:
        return refused
    secrets = named(order.secrets)
    target = order.target or capability.target
    policy = policy_of(settings, order.policy, target, secrets)
    doubt = earlier_doubt(settings, capability)
    redactor = Redactor(secrets)
    tape = Tape(order.hermetic, redactor) if order.hermetic else None
    async with open_bounded_browser(settings, policy, order.headed, tape) as browser:
        result = await replay_in(settings, browser, capability, order, policy, secrets, redactor=redactor)
    said = (result.explanation, doubt, tape.end(result.ending == "ok") if tape else "")
    return result.model_copy(update={"explanation": " ".join(filter(None, said))})


def earlier_doubt(settings: Settings, capability: Capability) -> str:
    """A sentence when the last commit of this version is in doubt: its process died in it, or nothing answered."""
    if capability.risk_class == "read_only":
        return ""
    last = effect_store(settings).last(f"{capability.id}@{capability.version}")
    return str(last) if last and last.state == "in_doubt" else ""


def unfit(house: Reviewing, capability: Capability, order: Order) -> ReplayResult | None:
    """Why a replay may not begin: its review, its inputs, a secret or a file that is not given; None when it may."""
    refused = house.lifecycle.may_run(capability, order.allow_draft)
    if refused:
        return unstarted(capability, refused, f"{capability.id}@{capability.version} may not run: {WHY[refused]}")
    problem = checked(capability, order.inputs)
    if problem:
        return unstarted(capability, "input_invalid", problem)
    lacking = [name for name in secret_names(capability.inputs) if name not in order.secrets]
    if lacking:
        return unstarted(
            capability, "input_invalid", f"Secrets without a value: {', '.join(lacking)}; give --secret NAME for each."
        )
    uploads = {fill(step.value or "", order.inputs) for step in capability.steps if step.action == "upload"}
    if absent := sorted(uploads - order.files.keys()):
        return unstarted(capability, "input_invalid", f"Files to upload: {', '.join(absent)}; give --file NAME=PATH for each.")
    return None


async def replay_in(
    settings: Settings,
    browser: BoundedBrowser,
    capability: Capability,
    order: Order,
    policy: Policy,
    secrets: Secrets,
    make: Callable[..., Replay] = Replay,
    redactor: Redactor | None = None,
) -> ReplayResult:
    """Run it in a fresh context of a browser that is already there; `make` makes the replay, `redactor` hears what is typed."""
    run_id = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{random.token_hex(3)}"
    target = order.target or capability.target
    what = f"{capability.id}@{capability.version}"
    guard, redactor = PolicyGuard(policy, target, secrets), redactor or Redactor(secrets)
    approver = RedactedApprover(approver_of(settings, order.approve, guard, run_id, what), redactor)
    effects = RunEffects(partial(database, settings), run_id, what)
    with ExitStack() as stack:
        downloads = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="capwright-replay-")))
        bounds = Bounds(
            guard,
            redeeming(approver),
            target,
            downloads,
            files=order.files,
            typed=redactor.typed,
            replaying=True,
            effects=effects,
        )
        async with open_place(browser, bounds) as opened:
            place = Place(opened.session, guard, approver, opened.actor, opened.desk)
            result = await make(capability, dict(order.inputs), place, target, order.timeout_seconds).run()
    return redacted(result.model_copy(update={"run_id": run_id}), redactor)


WHY: dict[Ending, str] = {
    "not_approved": "no person has approved this version; review it, or allow drafts with --allow-draft.",
    "tampered": "the file is not what was reviewed; its digest differs.",
}


def unstarted(capability: Capability, ending: Ending, explanation: str) -> ReplayResult:
    """A result from before a browser starts."""
    return ReplayResult(capability=capability.id, version=capability.version, ending=ending, explanation=explanation)
