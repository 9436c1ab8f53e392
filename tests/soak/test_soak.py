"""A short slice of the soak: `make soak` does a thousand."""

from collections import Counter

import pytest

from tests.soak.__main__ import Sample, Soaked, soak


async def test_replays_end_alike_and_leave_nothing_behind() -> None:
    """Ten on one site: all the same, and no process more than at the fifth."""
    soaked = await soak(10, ("harbor",))
    assert soaked.endings == {"ok": 10} and soaked.different == 0
    assert soaked.samples[-1].processes <= soaked.samples[0].processes + 2


@pytest.mark.parametrize("grown", [(200, 300, 30, 9, 5), (100, 400, 30, 9, 5), (100, 300, 60, 9, 5), (100, 300, 30, 30, 5)])
def test_growth_is_noticed(grown: tuple[float, float, int, int, int]) -> None:
    """Memory of ours or of the browsers, open files, processes."""
    even, more = Sample(100, 300, 30, 9, 5), Sample(*grown)
    endings = Counter({"ok": 8})
    assert Soaked(endings, 0, (even,) * 8, 1.0).flat
    assert not Soaked(endings, 0, (*(even,) * 6, more, more), 1.0).flat
