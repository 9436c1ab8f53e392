"""A whole run scored by a registered program in child processes."""

from pathlib import Path
from typing import Any

import pytest

from engine.errors import RequestRefused
from engine.explore.catalog import Agent, Caller, Catalog
from engine.explore.clock import SystemClock
from engine.explore.orders import Meter, Order, Report
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from tests.explore.house import asking
from tests.explore.kit import Bench, writes
from tests.score.kit import HONEST, evaluator

BOSS = Caller(user_id="boss", roles=frozenset({"manager"}))
BODY = HONEST.replace("answer.json", "candidate.json").replace('found["value"]', 'found["score"]')
SCORES = {0: 1.0, 1: "invalid_solution", 2: 4.0, 3: 2.0}


async def explored(tmp_path: Path, spoil: Any = None, before: Any = None) -> Any:
    """Register the program, ask for a run as a manager, run it, and read its summary and tree."""
    folder = evaluator(tmp_path / "judge", BODY)
    for name, content in {"good": '{"score": 2.5}', "cheat": '{"hardcoded": true}'}.items():
        (folder / "fixtures" / name / "candidate.json").write_text(content)
    bench = Bench(tmp_path, clock=SystemClock())

    async def script(order: Order, meter: Meter) -> Report:
        if spoil and order.cell.branch == 2:
            spoil(folder)
        made = await writes(lambda o: SCORES[o.cell.branch])(order, meter)  # type: ignore[arg-type, return-value]
        if order.cell.branch == 1:
            (order.place / "candidate.json").write_text('{"hardcoded": true, "score": 99}')
        return made

    bench.runtime.script = script
    tested = await bench.registry.register("judge", folder, "ops")
    assert tested.problems == ()
    agent = Agent(agent_id="agent", managers=frozenset({"boss"}), roots=frozenset({"root"}), evaluators=frozenset({"judge"}),
                  runtimes=frozenset({"scripted"}))  # fmt: skip
    requests = Requests(bench.desk, Catalog(agents=(agent,)))
    if before:
        before(folder)
    created: Any = await requests.call("tasks.create", asking(evaluator="judge", branch_count=4, refine_count=0), BOSS)
    await Workshop(bench.desk).run_due()
    return await requests.call("discovery.tree", {"run_id": created.run_id}, BOSS)


async def test_the_good_one_is_kept_and_the_cheat_is_named(tmp_path: Path) -> None:
    """Scores come from the program, the cheat is a tamper, the winner passes a second scoring."""
    tree = await explored(tmp_path)
    assert [(node.state, node.score) for node in tree.nodes] == [
        ("valid", 1.0),
        ("tamper", None),
        ("valid", 4.0),
        ("valid", 2.0),
    ]
    assert tree.nodes[1].feedback == "a literal where an input belongs"
    assert (tree.run.status, tree.run.winner_cell_id, tree.run.improved) == ("complete", "r1-b2-a0", True)
    assert (tree.run.isolation_degraded, tree.run.degraded) == (True, True)  # a bench isolates nothing, and the run says so


async def test_a_changed_program_is_refused_at_creation(tmp_path: Path) -> None:
    """Before anybody is asked to approve anything: the operator must register it again."""
    with pytest.raises(RequestRefused) as caught:
        await explored(tmp_path, before=lambda folder: (folder / "new.txt").write_text("x"))
    assert (caught.value.code, caught.value.field) == ("evaluator_stale", "evaluator")


@pytest.mark.parametrize("change", ["judge.py", "fixtures/good/candidate.json", "new.txt"])
async def test_a_program_that_changes_mid_run_ends_it(tmp_path: Path, change: str) -> None:
    """What was scored before is kept and delivered; nothing is scored after."""

    def spoil(folder: Path) -> None:
        with (folder / change).open("a") as file:
            file.write("\n")

    tree = await explored(tmp_path, spoil)
    assert [node.state for node in tree.nodes] == ["valid", "tamper", "not_evaluated", "skipped"]
    run = tree.run
    assert (run.status, run.stop_code, run.stop_detail) == ("degraded", "integrity_changed", "evaluator_changed")
    assert (run.winner_cell_id, run.best_score, run.artifact_verified) == ("r1-b0-a0", 1.0, True)
