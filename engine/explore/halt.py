"""Why a run stops, and how everything that is under way learns of it."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.domain.exploration import PRECEDENCE, STATUS_OF, RunStatus, StopCode, StopDetail
from engine.errors import CapwrightError, HostFault, IllegalTransition, IntegrityChanged, LeaseLost, QuotaExceeded
from engine.explore.clock import Clock, within

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason to stop; `status` is None when stopping so is no fault."""

    code: StopCode | None = None
    detail: StopDetail | None = None
    status: RunStatus | None = None

    @classmethod
    def coded(cls, code: StopCode, detail: StopDetail | None = None) -> "Reason":
        """With the status its code stands for."""
        return cls(code, detail, STATUS_OF[code])

    @classmethod
    def of(cls, error: CapwrightError) -> "Reason":
        """What a fault of the host or the store means for the run."""
        if isinstance(error, HostFault):
            return cls.coded(error.code, error.detail)  # type: ignore[arg-type]
        if isinstance(error, QuotaExceeded):
            return cls.coded("other", "quota_exceeded")
        if isinstance(error, IntegrityChanged):
            return cls.coded("integrity_changed")
        if isinstance(error, IllegalTransition):
            return cls.coded("other")
        return cls.coded("other", "store_unavailable")


class Aborted(Exception):
    """Work under way was stopped; only inside the core."""


class Halt:
    """Collects reasons. Stopping begins no new cell; aborting also ends what is under way."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._aborted = asyncio.Event()
        self._running = asyncio.Event()
        self._running.set()
        self.reasons: list[Reason] = []
        self.lease_lost = False
        self.in_flight = 0

    @property
    def stopping(self) -> bool:
        """No new cell."""
        return bool(self.reasons) or self.lease_lost

    @property
    def aborted(self) -> bool:
        """What is under way ends now."""
        return self._aborted.is_set()

    def stop(self, reason: Reason) -> None:
        """Begin no new cell."""
        self.reasons.append(reason)
        self._running.set()

    def abort(self, reason: Reason) -> None:
        """And end what is under way."""
        self.stop(reason)
        self._aborted.set()

    def fault(self, error: CapwrightError) -> None:
        """Something the run cannot go on with."""
        if isinstance(error, LeaseLost):
            self.lease_lost = True
            self._running.set()
            self._aborted.set()
        else:
            self.stop(Reason.of(error))

    def pause(self, wanted: bool) -> None:
        """Hold new cells back, or let them go."""
        if wanted and not self.stopping:
            self._running.clear()
        else:
            self._running.set()

    async def may_begin(self) -> bool:
        """Wait while paused; False when no new cell may begin."""
        await self._running.wait()
        return not self.stopping

    async def race(self, seconds: float, work: Coroutine[Any, Any, T]) -> T:
        """The result of the work; raises Aborted when the run is, DeadlineExceeded after so many seconds."""
        if self._aborted.is_set():
            work.close()
            raise Aborted
        task = asyncio.ensure_future(within(self._clock, seconds, work))
        stop = asyncio.ensure_future(self._aborted.wait())
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise Aborted
        finally:
            stop.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})


def outcome(reasons: list[Reason], *, has_winner: bool) -> Reason:
    """The status that prevails with its code and detail; without a fault it is complete, or failed for want of a winner."""
    faults = [reason for reason in reasons if reason.status is not None]
    if faults:
        return min(faults, key=lambda reason: PRECEDENCE.index(reason.status or "failed"))
    detail = next((reason.detail for reason in reasons if reason.detail), None)
    return Reason(None, detail, "complete" if has_winner else "failed")
