"""What every subject owes the core; a new subject is one more entry of SUBJECTS."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.domain.capability import Capability
from engine.store.trees import read_tree
from engine.subjects.browser import BrowserSubject, Start
from engine.subjects.subject import Subject
from tests.capabilities import reading
from tests.subjects.memory import FILE, FROZEN, MemorySubject


def browser(baseline: Capability | None = None) -> BrowserSubject:
    """The browser subject on a target that nobody opens."""
    return BrowserSubject(lambda: Start("http://127.0.0.1:1", "p" * 64, baseline))


SUBJECTS: dict[str, Callable[[], Subject]] = {
    "memory": MemorySubject,
    "browser": browser,
    "browser with a baseline": lambda: browser(reading()),
}
pytestmark = pytest.mark.parametrize("make", SUBJECTS.values(), ids=list(SUBJECTS))


def folder(tmp_path: Path, name: str) -> Path:
    """An empty one."""
    (tmp_path / name).mkdir()
    return tmp_path / name


async def test_the_baseline_is_the_same_every_time(make: Callable[[], Subject], tmp_path: Path) -> None:
    """Two folders, one digest; the hash of the starting point does not move either."""
    first, second = folder(tmp_path, "a"), folder(tmp_path, "b")
    await asyncio.gather(make().materialise(None, first), make().materialise(None, second))
    assert read_tree(first).digest == read_tree(second).digest
    assert await make().verify() == await make().verify()


async def test_with_a_parent_it_starts_from_that_and_never_changes_it(make: Callable[[], Subject], tmp_path: Path) -> None:
    """What is done to the attempt's folder does not reach the parent's."""
    subject = make()
    parent, place = folder(tmp_path, "a"), folder(tmp_path, "b")
    await subject.materialise(None, parent)
    before = read_tree(parent)
    await subject.materialise(parent, place)
    assert read_tree(place).digest == before.digest
    for entry in read_tree(place).files:
        (place / entry.path).write_bytes(b"other")
    assert read_tree(parent).digest == before.digest


async def test_sealing_leaves_what_can_be_sealed_and_passes_the_check(make: Callable[[], Subject], tmp_path: Path) -> None:
    """An untouched baseline is within the rules, before and after."""
    subject = make()
    place = folder(tmp_path, "a")
    await subject.materialise(None, place)
    start = read_tree(place)
    await subject.seal(place)
    assert subject.check(start, read_tree(place)) is None


async def test_what_must_stay_is_checked(make: Callable[[], Subject], tmp_path: Path) -> None:
    """Touching or removing a frozen file is a fault, changing the candidate is not."""
    subject = make()
    if not isinstance(subject, MemorySubject):
        pytest.skip("each subject names its own frozen files")
    place = folder(tmp_path, "a")
    await subject.materialise(None, place)
    start = read_tree(place)
    (place / FILE).write_text("{}")
    assert subject.check(start, read_tree(place)) is None
    (place / FROZEN).unlink()
    fault = subject.check(start, read_tree(place))
    assert fault is not None
    assert fault.state == "policy_violation"
