"""The loop's edge: deadlines, interruption and every error become one Stop, and what was done is kept."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from traceback import format_tb

import structlog

from engine.discover.loop import Loop
from engine.discover.stops import Stop
from engine.domain.run import Goal, StopReason
from engine.errors import (
    BrowserError,
    CapwrightError,
    DeadlineExceeded,
    EvidenceUnwritable,
    ModelError,
    ModelGarbled,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
    TargetUnreachable,
)

log = structlog.get_logger()

REASON_OF: tuple[tuple[type[CapwrightError], StopReason], ...] = (
    (ModelRateLimited, "model_rate_limited"),
    (ModelTimeout, "model_timeout"),
    (ModelGarbled, "model_garbled"),
    (ModelUnavailable, "model_unavailable"),
    (ModelError, "model_unavailable"),
    (EvidenceUnwritable, "evidence"),
    (TargetUnreachable, "target"),
    (BrowserError, "browser"),
    (DeadlineExceeded, "browser"),
)
"""Most special first."""


async def walk(
    open_loop: Callable[[], AbstractAsyncContextManager[Loop]], goal: Goal, seconds: float
) -> tuple[Stop, Loop | None]:
    """Run a loop to its end; the deadline also ends what is in flight. The loop is None when none could start."""
    loop: Loop | None = None
    try:
        async with asyncio.timeout(seconds), open_loop() as loop:
            return await loop.run(goal), loop
    except TimeoutError:
        return Stop("timeout", f"{seconds:g} s were not enough; allow more with --timeout, or ask for less."), loop
    except asyncio.CancelledError:
        uncancel()
        return Stop("interrupted", "Interrupted; the evidence so far is kept."), loop
    except CapwrightError as error:
        return Stop(reason_of(error), str(error)), loop
    except Exception as error:  # noqa: BLE001 - the loop's edge: a surprise ends the run with its evidence, not without
        # The trace goes without variables and without the error's own words: both may hold secrets.
        trace = "".join(format_tb(error.__traceback__))
        log.error("a fault of the engine ended the run", error=type(error).__name__, trace=trace)  # noqa: TRY400
        return Stop(
            "fault", f"A fault of the engine: {type(error).__name__}: {error}. Please report it with the evidence."
        ), loop


def reason_of(error: CapwrightError) -> StopReason:
    """The closed word for an error."""
    return next((reason for kind, reason in REASON_OF if isinstance(error, kind)), "fault")


def uncancel() -> None:
    """The interruption is answered: what comes next (closing, writing the result) may await again."""
    task = asyncio.current_task()
    if task is not None:
        while task.cancelling():
            task.uncancel()
