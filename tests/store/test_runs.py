"""The list of runs."""

from pathlib import Path

import pytest

from engine.domain.run import Goal, RunResult
from engine.errors import NotFound, StoreError
from engine.store.database import Database
from engine.store.effects import EffectStore
from engine.store.leases import LeaseStore
from engine.store.runs import RunStore

GOAL = Goal(text="look up the balance", target="http://127.0.0.1:9/")


@pytest.fixture
def runs(tmp_path: Path) -> RunStore:
    """An empty store."""
    return RunStore(Database.open(tmp_path / "runs.db"))


def result(run_id: str) -> RunResult:
    """A run that reached its goal."""
    return RunResult(run_id=run_id, status="done", stop_reason="done", explanation="Done.", model="m")


def test_a_run_is_listed_while_it_runs_and_after(runs: RunStore) -> None:
    """Started, finished, read back whole."""
    runs.start("r1", GOAL, model="asked", evidence="evidence/r1")
    assert runs.get("r1").status == "running"
    runs.finish(result("r1"))
    runs.set_manifest_head("r1", "ab" * 32)
    row = runs.get("r1")
    assert (row.status, row.stop_reason, row.model, row.manifest_head) == ("done", "done", "m", "ab" * 32)
    assert row.result == result("r1")


def test_a_run_ends_once(runs: RunStore) -> None:
    """A second ending is refused, so a late report cannot overwrite the first."""
    runs.start("r1", GOAL, model="", evidence="")
    runs.finish(result("r1"))
    with pytest.raises(StoreError):
        runs.finish(result("r1"))


def test_unknown_runs_are_not_found(runs: RunStore) -> None:
    """Every door says NotFound."""
    for ask in (lambda: runs.get("x"), lambda: runs.finish(result("x")), lambda: runs.set_manifest_head("x", "h")):
        with pytest.raises(NotFound):
            ask()


def test_the_list_is_newest_first_and_pages(runs: RunStore) -> None:
    """`before` continues where a page ended."""
    for number in range(5):
        runs.start(f"r{number}", GOAL, model="", evidence="")
    first = runs.list(limit=2)
    assert [row.run_id for row in first] == ["r4", "r3"]
    assert [row.run_id for row in runs.list(limit=9, before=first[-1].started_at)] == ["r2", "r1", "r0"]


def test_only_what_is_open_is_held_by_a_process(tmp_path: Path) -> None:
    """A run, or a replay with an effect, is somebody's until it has ended; then nothing is kept of who ran it."""
    database = Database.open(tmp_path / "runs.db")
    runs, effects, leases = RunStore(database), EffectStore(database), LeaseStore(database, lambda: 0)
    runs.start("r1", GOAL, model="", evidence="")
    effects.intend("r1", 1, "commit", 1.0)
    effects.intend("r2", 1, "commit", 1.0, "pay@1.0.0")
    assert leases.held("run:") == ("r1", "r2")
    effects.end("r1", "done", 2.0)
    effects.end("r2", "done", 2.0)
    assert leases.held("run:") == ("r1",)
    runs.finish(result("r1"))
    assert leases.held("run:") == leases.held("port:") == ()
