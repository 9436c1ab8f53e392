"""The story: a goal goes in, a proved draft capability comes out, and all of it is evidence."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.discover.loop import Loop
from engine.discover.stops import Stop
from engine.discover.walk import uncancel, walk
from engine.domain.capability import Capability
from engine.domain.frozen import Frozen
from engine.domain.policy import Policy
from engine.domain.run import STATUS_OF, Goal, RunResult
from engine.domain.step import Step, Value
from engine.domain.usage import Usage
from engine.errors import BrowserError, CapabilityInvalid, DeadlineExceeded, DistillRefused
from engine.record.evidence import Evidence
from engine.record.recorder import RunRecorder


class RunStarted(Frozen):
    """run.json: what was asked, before anything happened."""

    run_id: str
    goal: Goal
    model: str
    policy: Policy
    policy_digest: str
    engine: str


class Runs(Protocol):
    """Where runs are remembered beside their evidence."""

    def start(self, run_id: str, goal: Goal, *, model: str, evidence: str) -> None:
        """A run begins."""
        ...

    def finish(self, result: RunResult) -> None:
        """It ended."""
        ...


@dataclass(frozen=True)
class Job:
    """One discovery with everything it needs, put together by the assembly."""

    started: RunStarted
    evidence: Evidence
    recorder: RunRecorder
    runs: Runs
    open_loop: Callable[[], AbstractAsyncContextManager[Loop]]
    distill: Callable[[tuple[Step, ...]], Awaitable[Capability]]
    prove: Callable[[Capability], Awaitable[Capability]]
    keep: Callable[[Capability], Path]
    tell: Callable[[str], None] = lambda _line: None
    clean: Callable[[RunResult], RunResult] = lambda result: result


async def discover(job: Job) -> RunResult:
    """Explore, then distil and prove what worked. Always ends with a result that is written down."""
    asked = job.started
    job.runs.start(asked.run_id, asked.goal, model=asked.model, evidence=str(job.evidence.folder))
    job.recorder.begin(job.started)
    seconds = job.started.policy.limits.discovery_timeout_ms / 1000
    stop, loop = await walk(job.open_loop, job.started.goal, seconds)
    steps = tuple(loop.steps) if loop else ()
    capability: Path | None = None
    if stop.reason == "done":
        stop, capability = await crystallise(job, steps, stop)
    result = job.clean(ended(job, stop, steps, loop.planner.usage if loop else Usage(), capability))
    job.recorder.finish(result)
    job.runs.finish(result)
    return result


async def crystallise(job: Job, steps: tuple[Step, ...], stop: Stop) -> tuple[Stop, Path | None]:
    """Trajectory → draft → proof → file. A refusal keeps the run: `discover distill RUN` tries again."""
    try:
        job.tell("Distilling the run into a capability")
        draft = await job.distill(steps)
        job.tell("Proving it by replays without a model")
        proved = await job.prove(draft)
        return stop, job.keep(proved)
    except asyncio.CancelledError:
        uncancel()
        return Stop(
            "interrupted", f"Interrupted before the draft was proved; `discover distill {job.started.run_id}` goes on."
        ), None
    except (DistillRefused, CapabilityInvalid, BrowserError, DeadlineExceeded) as error:
        return Stop("done", f"{stop.explanation} No capability was drafted: {error}"), None


def ended(job: Job, stop: Stop, steps: tuple[Step, ...], usage: Usage, capability: Path | None) -> RunResult:
    """The result as it is printed, stored and recorded."""
    status = STATUS_OF[stop.reason]
    return RunResult(
        run_id=job.started.run_id,
        status="not_distilled" if status == "done" and capability is None else status,
        stop_reason=stop.reason,
        explanation=stop.explanation,
        capability=str(capability) if capability else None,
        outputs=outputs(steps),
        steps=len(steps),
        model=job.started.model,
        usage=usage,
        evidence=str(job.evidence.folder),
    )


def outputs(steps: tuple[Step, ...]) -> tuple[Value, ...]:
    """What was extracted, the last reading of each name."""
    values = {value.name: value for step in steps for value in step.outcome.values}
    return tuple(values.values())
