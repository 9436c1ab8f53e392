"""The browser subject's own rules, and what becomes of the winner."""

from pathlib import Path

import pytest

from engine.domain.exploration import CellId
from engine.errors import HostFault, NotFound
from engine.store.capabilities import CapabilityStore, read, written
from engine.store.trees import read_tree
from engine.subjects.browser import FILE, BrowserSubject, DraftDelivery, Start
from engine.subjects.subject import Winner
from tests.capabilities import reading

WINNER = Winner("run-1", CellId(1, 2, 0), 0.75, "cases", "e" * 64, "d" * 64, True)


async def test_another_file_beside_the_capability_is_a_violation(tmp_path: Path) -> None:
    """A candidate is that one file and nothing else."""
    subject = BrowserSubject(lambda: Start("http://127.0.0.1:1", "p"))
    start = read_tree(tmp_path)
    (tmp_path / FILE).write_text(written(reading()))
    assert subject.check(start, read_tree(tmp_path)) is None
    (tmp_path / "hook.py").write_text("")
    fault = subject.check(start, read_tree(tmp_path))
    assert fault is not None
    assert fault.state == "policy_violation"


async def test_another_policy_or_baseline_is_another_starting_point() -> None:
    """So an approval does not reach further than what was approved."""
    starts = [Start("u", "p"), Start("u", "q"), Start("v", "p"), Start("u", "p", reading())]
    assert len({await BrowserSubject(lambda start=start: start).verify() for start in starts}) == 4


async def test_a_baseline_that_is_gone_is_the_hosts_fault() -> None:
    """Said as a changed root."""

    def gone() -> Start:
        raise NotFound("no capability")

    with pytest.raises(HostFault) as fault:
        await BrowserSubject(gone).verify()
    assert fault.value.detail == "root_changed"


async def test_the_winner_is_the_next_draft_with_score_evaluator_and_cell(tmp_path: Path) -> None:
    """Unreviewed, whatever the sealed file says, and never over a version that is there."""
    store = CapabilityStore(tmp_path / "capabilities")
    store.keep(reading())
    (tmp_path / FILE).write_text(written(reading(reviewed=True)))
    await DraftDelivery(store).export(tmp_path, WINNER)
    kept = read(store.path("read-balance", "1.1.0"))
    told = kept.provenance
    assert kept.reviewed is False
    assert told.explored is not None
    assert (told.score, told.evaluator) == (0.75, "cases")
    assert (told.explored.cell, told.explored.evaluator_hash) == ("r1-b2-a0", "e" * 64)


def test_a_version_without_an_exploration_keeps_its_digest() -> None:
    """The new field is not part of what was reviewed before there were explorations."""
    assert "explored" not in reading().canonical()
