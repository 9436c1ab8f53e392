"""Wires one discovery: policy, planner, browser, evidence, distilling and proof."""

import secrets as random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from engine.assembly.approving import Asking, approver_of, redeeming
from engine.assembly.homes import database, run_store
from engine.assembly.planning import Chosen, chosen_model, open_planner
from engine.assembly.policies import limited, named, policy_of
from engine.assembly.proving import Workbench
from engine.assembly.sessions import Bounds, open_bounded_browser, open_place
from engine.browser.element import Element
from engine.browser.locators import describe
from engine.browser.session import Session
from engine.discover.loop import Loop
from engine.discover.stages import Planner
from engine.domain.capability import Capability
from engine.domain.doing import Observer
from engine.domain.run import Goal, RunResult
from engine.domain.secret import Secret, Secrets
from engine.domain.step import Step, TargetSeen
from engine.errors import DistillRefused
from engine.guard.guard import PolicyGuard
from engine.observe.observer import PageObserver
from engine.pipeline import Job, RunStarted
from engine.pipeline import discover as run_job
from engine.record.credentials import take_credentials
from engine.record.evidence import Evidence
from engine.record.leaks import find_leaks, withhold
from engine.record.recorder import RunRecorder
from engine.record.redact import Redactor
from engine.record.redacted import RedactedActor, RedactedApprover, RedactedObserver, redacted
from engine.settings import Settings
from engine.store.effects import RunEffects

Person: TypeAlias = Callable[
    [Session, Observer, Callable[[], tuple[Secret, ...]], Callable[[Secret], None]], tuple[Planner, Observer]
]
"""Makes the planner that a person is, and who looks for it, of the session, its observer, the secrets so far, and what is to be
told of a new one; see `engine.decide.shown`."""


@dataclass(frozen=True)
class Order:
    """What a caller asks of one discovery; None takes the setting or the policy's own value.

    `around` puts something around the planner, `person` makes one that stands in its place; `keep` writes the draft elsewhere
    than into the home.
    """

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
    approve: Asking | None = None
    screenshots: Literal["auto", "always", "never"] | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    run_id: str | None = None
    around: Callable[[Planner], Planner] = lambda planner: planner
    person: Person | None = None
    keep: Callable[[Capability], Path] | None = None


async def discover(
    settings: Settings,
    order: Order,
    tell_step: Callable[[Step], None] = lambda _step: None,
    tell: Callable[[str], None] = lambda _line: None,
) -> RunResult:
    """Run one discovery to its result. Raises UsageError before anything starts; afterwards every end is a result."""
    written = take_credentials(order.goal, tuple(order.secrets))
    secrets = Secrets((*named(order.secrets).entries, *written.secrets))
    policy = limited(policy_of(settings, order.policy, order.target, secrets), order.max_steps, order.timeout_seconds)
    model = Chosen("person", None) if order.person else chosen_model(settings, order.model, order.base_url)
    goal = Goal(
        text=written.goal, target=order.target, inputs=dict(order.inputs), secrets=secrets.names, examples=order.examples
    )
    runs, run_id = run_store(settings), order.run_id or new_run_id()
    evidence = Evidence(settings.evidence / run_id, partial(runs.set_manifest_head, run_id))
    guard, redactor = PolicyGuard(policy, order.target, secrets), Redactor(secrets)
    recorder = RunRecorder(evidence, redactor)
    approver = RedactedApprover(approver_of(settings, order.approve, guard, run_id, tell=tell), redactor)
    bench = Workbench(settings, policy, secrets, goal, run_id, model.name, order.files)
    effects, screenshots = RunEffects(partial(database, settings), run_id), order.screenshots or settings.screenshots

    @asynccontextmanager
    async def open_loop() -> AsyncIterator[Loop]:
        pieces = redactor.pieces if secrets.entries or order.person else None
        downloads, typed = evidence.folder / "downloads", redactor.typed
        bounds = Bounds(
            guard, redeeming(approver), order.target, downloads, described, order.files, typed, False, effects, pieces
        )
        async with (
            open_planner(model, recorder.append, lambda path: (evidence.folder / path).read_bytes(), screenshots) as planner,
            open_bounded_browser(settings, policy, order.headed) as browser,
            open_place(browser, bounds) as place,
        ):
            tokens = policy.limits.max_observation_tokens
            observer = PageObserver(place.session, max_tokens=tokens, screenshots=screenshots, keep=recorder.keep)
            await place.session.start(order.target)
            seen: Observer = RedactedObserver(observer, redactor)
            actor = RedactedActor(place.actor, redactor, evidence.folder)
            decider, files = order.around(planner), tuple(order.files)
            if order.person:
                learn = partial(_learned, (redactor, secrets, guard.secrets))
                decider, seen = order.person(place.session, seen, lambda: secrets.entries, learn)
            yield Loop(seen, decider, guard, approver, actor, recorder, policy, tell_step, files=files)

    digest, engine = policy.digest, version("capwright")
    started = RunStarted(run_id=run_id, goal=goal, model=model.name, policy=policy, policy_digest=digest, engine=engine)
    keep, clean = order.keep or bench.keep, partial(redacted, redactor=redactor)
    job = Job(started, evidence, recorder, runs, open_loop, bench.distill, bench.prove, keep, tell, clean)
    return published(await run_job(job), evidence.folder, redactor)


def _learned(knowing: tuple[Redactor | Secrets, ...], secret: Secret) -> None:
    for known in knowing:
        known.learn(secret)


def published(result: RunResult, folder: Path, redactor: Redactor) -> RunResult:
    """The leak gate: evidence that holds a secret after all is moved out of sight, and the result says which file did."""
    leaks = find_leaks(folder, redactor)
    if not leaks:
        return result
    explanation = f"{result.explanation} {withhold(folder, leaks)}"
    return result.model_copy(update={"explanation": explanation, "evidence": ""})


async def distill_again(
    settings: Settings,
    run_id: str,
    secrets: Mapping[str, str],
    examples: tuple[dict[str, str], ...] = (),
    files: Mapping[str, str] = MappingProxyType({}),
    tell: Callable[[str], None] = lambda _line: None,
) -> Path:
    """Make and prove a draft of a recorded run; its file. Raises NotFound and DistillRefused."""
    folder = Path(run_store(settings).get(run_id).evidence)
    started = RunStarted.model_validate_json((folder / "run.json").read_text())
    steps = tuple(Step.model_validate_json(line) for line in (folder / "steps.jsonl").read_text().splitlines())
    if not steps or steps[-1].decision.action.action != "done":
        raise DistillRefused(f"Run {run_id} did not reach its goal, so there is nothing to make a capability of.")
    goal = started.goal.model_copy(update={"examples": examples or started.goal.examples})
    bench = Workbench(settings, started.policy, named(secrets), goal, run_id, started.model, files)
    tell("Distilling the run into a capability")
    draft = await bench.distill(steps)
    tell("Proving it by replays without a model")
    return bench.keep(await bench.prove(draft))


async def described(element: Element) -> TargetSeen:
    """How the element can be found again."""
    return await describe(element.locator)


def new_run_id() -> str:
    """Sortable by time, and unlike any other: `20261201-101500-1a2b3c`."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{random.token_hex(3)}"
