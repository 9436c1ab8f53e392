"""The slice of the step benchmark that a test run can afford."""

import os
import statistics
from pathlib import Path

import pytest

from tests.benchmarks.replay import console
from tests.benchmarks.step import measure


@pytest.mark.bench
async def test_the_engine_computes_at_most_50_ms_a_step(tmp_path: Path) -> None:
    """Processor time of our process at the median of one discovery's steps, page and planner excluded."""
    async with console() as url:
        meter = await measure(tmp_path, url, {**os.environ, "CAPWRIGHT_HOME": str(tmp_path)})
    assert len(meter.steps) >= 5
    assert statistics.median(meter.steps) <= 0.05
