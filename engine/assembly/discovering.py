"""Wires one discovery: policy, planner, browser, evidence, distilling and proof."""

import secrets as random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from engine.assembly.homes import capability_store, run_store
from engine.assembly.planning import chosen_model, open_planner
from engine.assembly.sessions import open_place
from engine.browser.element import Element
from engine.browser.locators import describe
from engine.discover.loop import Loop
from engine.discover.stages import Planner
from engine.domain.policy import Policy
from engine.domain.run import Goal, RunResult
from engine.domain.secret import Secret, Secrets
from engine.domain.step import Step, TargetSeen
from engine.guard.policy_file import default_policy, parse_policy
from engine.errors import NotFound
from engine.observe.observer import PageObserver
from engine.pipeline import Job, RunStarted
from engine.pipeline import discover as run_job
from engine.record.evidence import Evidence
from engine.record.recorder import RunRecorder
from engine.settings import Settings


@dataclass(frozen=True)
class Order:
    """What a caller asks of one discovery; None takes the setting or the policy's own value."""

    goal: str
    target: str
    policy: Path | None = None
    model: str | None = None
    base_url: str | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    examples: tuple[dict[str, str], ...] = ()
    max_steps: int | None = None
    timeout_seconds: float | None = None
    headed: bool = False
    approve: Literal["ask", "inbox", "deny"] | None = None
    screenshots: Literal["auto", "always", "never"] | None = None
    files: Mapping[str, str] = field(default_factory=dict)


async def discover(
    settings: Settings,
    order: Order,
    tell_step: Callable[[Step], None] = lambda _step: None,
    tell: Callable[[str], None] = lambda _line: None,
) -> RunResult:
    """Run one discovery to its result. Raises UsageError before anything starts, nothing afterwards."""
    secrets = Secrets(tuple(Secret(name, value) for name, value in order.secrets.items()))
    policy = limited(policy_of(settings, order.policy, order.target, secrets), order)
    model = chosen_model(settings, order.model, order.base_url)
    goal = Goal(text=order.goal, target=order.target, inputs=dict(order.inputs), secrets=secrets.names, examples=order.examples)
    run_id = new_run_id()
    runs = run_store(settings)
    evidence = Evidence(settings.evidence / run_id, partial(runs.set_manifest_head, run_id))
    recorder = RunRecorder(evidence, lambda text: text)
    started = RunStarted(
        run_id=run_id, goal=goal, model=model.name, policy=policy, policy_digest=policy.digest, engine=version("capwright")
    )

    @asynccontextmanager
    async def open_loop() -> AsyncIterator[Loop]:
        async with (
            open_planner(model, recorder.append, lambda path: (evidence.folder / path).read_bytes()) as planner,
            open_place(
                settings, policy, secrets, order.target, evidence.folder / "downloads",
                headed=order.headed, describe=described, files=order.files,
            ) as place,
        ):  # fmt: skip
            observer = PageObserver(
                place.session,
                max_tokens=policy.limits.max_observation_tokens,
                screenshots=order.screenshots or settings.screenshots,
                keep=recorder.keep,
            )
            await place.session.open(order.target)
            yield Loop(
                observer, planner, place.guard, approver, place.actor, recorder, policy, tell_step, files=tuple(order.files)
            )
