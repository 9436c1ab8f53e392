"""Makes attempts in this process."""

from collections.abc import Mapping

from engine.explore.orders import Attempter, Meter, Order, Report


class InProcessDispatcher:
    """Runtimes by their id."""

    def __init__(self, runtimes: Mapping[str, Attempter]) -> None:
        self._runtimes = dict(runtimes)

    def price_bound(self, runtime: str, model: str) -> int | None:
        """What the runtime says; unknown for an unknown one."""
        found = self._runtimes.get(runtime)
        return found.price_bound(model) if found else None

    async def dispatch(self, order: Order, meter: Meter) -> Report:
        """The runtime's report, or runtime_unsupported when there is none of that id."""
        found = self._runtimes.get(order.runtime)
        if found is None:
            return Report("runtime_unsupported", called=False)
        return await found.attempt(order, meter)

    async def quiesce(self, order: Order) -> bool:
        """What the runtime says; an unknown one left nothing."""
        found = self._runtimes.get(order.runtime)
        return await found.quiesce(order) if found else True
