"""Makes attempts in this process."""

from collections.abc import Mapping

from engine.errors import (
    BrowserMissing,
    CapwrightError,
    HostFault,
    ModelError,
    ModelRateLimited,
    ModelUnavailable,
)
from engine.explore.orders import ENDS, AttemptEnd, Attempter, Meter, Order, Report

_END_OF: tuple[tuple[type[CapwrightError], AttemptEnd], ...] = (
    (ModelRateLimited, "rate_limited"),
    (ModelUnavailable, "no_account"),
    (ModelError, "model_error"),
    (BrowserMissing, "runtime_unsupported"),
)
"""What a runtime's exceptions mean, the first that fits; any other is infrastructure that failed."""


class InProcessDispatcher:
    """Runtimes by their id."""

    def __init__(self, runtimes: Mapping[str, Attempter]) -> None:
        self._runtimes = dict(runtimes)

    def price_bound(self, runtime: str, model: str) -> int | None:
        """What the runtime says; unknown for an unknown one."""
        found = self._runtimes.get(runtime)
        return found.price_bound(model) if found else None

    async def dispatch(self, order: Order, meter: Meter) -> Report:
        """The runtime's report, or what its exception means; runtime_unsupported when there is none of that id."""
        found = self._runtimes.get(order.runtime)
        if found is None:
            return Report("runtime_unsupported", called=False)
        try:
            return await found.attempt(order, meter)
        except (CapwrightError, OSError) as error:
            end = _end(error)
            return Report(end, called=end not in ("no_account", "runtime_unsupported"))

    async def quiesce(self, order: Order) -> bool:
        """What the runtime says; an unknown one left nothing."""
        found = self._runtimes.get(order.runtime)
        return await found.quiesce(order) if found else True


def _end(error: CapwrightError | OSError) -> AttemptEnd:
    if isinstance(error, HostFault):
        return next((end for end in ENDS if end == error.code), "spawn_failed")
    return next((end for kind, end in _END_OF if isinstance(error, kind)), "spawn_failed")
