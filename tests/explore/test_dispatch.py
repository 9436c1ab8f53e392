"""What a runtime's exceptions mean for a run: an attempt that raises is an end like any other, and is settled."""

from pathlib import Path

import pytest

from engine.errors import (
    BrowserGone,
    BrowserMissing,
    HostFault,
    ModelGarbled,
    ModelRateLimited,
    ModelTimeout,
    ModelUnavailable,
)
from engine.explore.orders import Meter, Order, Report
from engine.explore.workshop import Workshop
from tests.explore.kit import Bench


@pytest.mark.parametrize(
    ("error", "status", "code", "calls"),
    [
        (ModelRateLimited("429"), "rate_limited", "rate_limited", 1),
        (ModelUnavailable("no key"), "degraded", "no_account", 0),
        (ModelTimeout("slow"), "degraded", "attempt_failed", 3),
        (ModelGarbled("what"), "degraded", "attempt_failed", 3),
        (BrowserMissing("none"), "degraded", "runtime_unsupported", 0),
        (BrowserGone("crashed"), "degraded", "attempt_failed", 3),
        (OSError("no fork"), "degraded", "attempt_failed", 3),
        (HostFault("isolation_unavailable", "no image"), "degraded", "isolation_unavailable", 1),
        (HostFault("other", "?"), "degraded", "attempt_failed", 3),
    ],
)
async def test_an_attempt_that_raises(tmp_path: Path, error: Exception, status: str, code: str, calls: int) -> None:
    """The run says why it ended; every call is settled, at what is known."""

    async def script(order: Order, meter: Meter) -> Report:
        raise error

    bench = Bench(tmp_path, script=script)
    run_id = await bench.queue(branch_count=1, refine_count=0)
    async with bench.clock.running():
        assert await Workshop(bench.desk).run(run_id) == status
    run, cost = bench.desk.explorations.get(run_id), bench.desk.ledger.cost(run_id)
    assert (run.stop_code, cost.calls, cost.in_flight) == (code, calls, 0)
    assert (cost.unknown > 0) == (calls > 0)
