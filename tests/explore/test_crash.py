"""kill -9 of a real controller at every commit of a run, before and after it: the next start reaches a legal end."""

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from engine.domain.exploration import OPEN_STATES
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from engine.store.database import Database
from tests.explore.controller_process import bench
from tests.explore.house import CATALOG, EYE
from tests.explore.kit import Bench
from tests.store.busy import busy

ROOT = Path(__file__).parents[2]


def check(found: Bench, run_id: str, seen: Counter[str]) -> None:
    """What must hold after recovery, wherever the controller died."""
    desk = found.desk
    run = desk.explorations.get(run_id)
    cost = desk.ledger.cost(run_id)
    cells = desk.explorations.cells(run_id)
    desk.explorations.verify(run_id)
    assert run.state == "terminal"
    assert cost.in_flight == 0
    assert cost.calls <= 4
    assert busy(desk.database) == 0
    assert not {cell.state for cell in cells} & set(OPEN_STATES)
    attempted = [cell for cell in cells if cell.tries]
    assert cost.calls == len(attempted)
    for cell in cells:
        if cell.state == "valid":
            assert desk.artifacts.find(run_id, cell.cell_id).digest == cell.digest
            assert desk.artifacts.verified(run_id, cell.cell_id)
    if run.status == "interrupted":
        assert run.stop_detail in ("lease_lost", "attempt_uncertain")
        assert (run.stop_detail == "attempt_uncertain") == (cost.unknown > 0)
        assert run.winner_cell_id == run.best_cell_id
    else:
        assert run.status == "complete"
    assert not (found.home / "work" / run_id).exists()
    assert not list((found.home / "artifacts" / run_id).glob("*.part"))
    seen.update([run.status or "", run.stop_detail or "", *(cell.state for cell in cells)])


FATES = {
    "planned": ("skipped", "lease_lost"),
    "waiting_slot": ("skipped", "lease_lost"),
    "preparing": ("void", "attempt_uncertain"),
    "running": ("void", "attempt_uncertain"),
    "sealing": ("void", "lease_lost"),
    "evaluating": ("not_evaluated", "lease_lost"),
}
"""State of the first cell at the death of its controller → what becomes of it, and what is said of the run."""


def start(home: Path) -> subprocess.Popen[str]:
    """The process that forks controllers."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.explore.controller_process", str(home)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def dies(server: subprocess.Popen[str], line: str) -> str:
    """Let a controller die so; how it ended."""
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(f"{line}\n")
    server.stdin.flush()
    return server.stdout.readline().strip()


async def test_a_killed_controller_leaves_a_run_that_others_can_end(tmp_path: Path) -> None:
    """kill -9 in every state of a cell: the next start says what is lost, charges what is uncertain, and keeps no slot."""
    found, server = bench(tmp_path, Database.open(tmp_path / "state.db")), start(tmp_path)
    requests = Requests(found.desk, CATALOG)
    for state, (fate, detail) in FATES.items():
        run_id = await found.queue(f"run-{state}")
        assert dies(server, f"at {state} {run_id}") == "killed"
        assert Workshop(found.desk).recover() == (run_id,)
        check(found, run_id, Counter())
        tree: Any = await requests.call("discovery.tree", {"run_id": run_id}, EYE)
        assert (tree.run.status, tree.run.stop_code, tree.run.stop_detail) == ("interrupted", None, detail)
        assert [cell.state for cell in tree.nodes] == [fate, *["skipped"] * 3]
        assert (tree.run.cost.usd_source == "unknown") == (detail == "attempt_uncertain")
    server.communicate(timeout=30)


async def test_kill_at_every_persistence_point(tmp_path: Path) -> None:
    """No recorded evidence is lost, nothing is done twice, and what was under way is void or a liability."""
    found = bench(tmp_path, Database.open(tmp_path / "state.db"))
    server = start(tmp_path)
    seen: Counter[str] = Counter()
    ended = {"before": 0, "after": 0}
    for number in range(1, 200):
        for when in ended:
            if ended[when]:
                continue
            run_id = await found.queue(f"run-{number}-{when}")
            answer = dies(server, f"{number} {when} {run_id}")
            workshop = Workshop(found.desk)
            assert run_id in workshop.recover() or answer == "ended" or found.desk.explorations.get(run_id).state in (
                "queued", "terminal",
            )  # fmt: skip
            if found.desk.explorations.get(run_id).state == "queued":
                assert await workshop.run(run_id) == "complete"  # it died before it began: nothing is lost by beginning now
            check(found, run_id, seen)
            ended[when] = number if answer == "ended" else 0
        if all(ended.values()):
            break
    server.communicate(timeout=30)
    assert all(number > 35 for number in ended.values())
    assert {"interrupted", "complete", "lease_lost", "attempt_uncertain"} <= set(seen)
    assert {"void", "skipped", "not_evaluated", "valid"} <= set(seen)
