"""Parents, seeds, what a cell may see, retries, pauses, slots: how the cells of a run are made."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from engine.domain.evaluation import Scoring
from engine.domain.exploration import CellId, Grid, better
from engine.domain.usage import Usage
from engine.explore.clock import SystemClock
from engine.explore.desk import Pace
from engine.explore.orders import Meter, Order, Report
from engine.explore.progress import Progress
from engine.explore.strategies import GridStrategy, HillClimbStrategy
from engine.explore.workshop import Workshop
from engine.score.evaluator import Terms
from tests.explore.kit import PAID, Bench, MemoryEvaluator, request, writes
from tests.store.busy import busy
from tests.subjects.memory import FILE

SCORES = {"r1-b0-a0": 1.0, "r1-b0-a1": 3.0, "r1-b1-a0": 5.0, "r1-b1-a1": "tamper", "r2-b0-a0": 2.0}


async def run(bench: Bench, **changes: object) -> str:
    """Queue and explore one run."""
    run_id = await bench.queue(**changes)
    async with bench.clock.running():
        await Workshop(bench.desk).run(run_id)
    return run_id


def parents(bench: Bench, run_id: str) -> dict[str, str | None]:
    """The parent of every cell."""
    return {cell.cell_id: cell.parent for cell in bench.desk.explorations.cells(run_id)}


@pytest.mark.parametrize(("seed", "roots"), [("baseline", None), ("best", "r1-b1-a0")])
async def test_a_grid_refines_its_branches_and_seeds_its_rounds(tmp_path: Path, seed: str, roots: str | None) -> None:
    """A refinement's parent is the branch's previous cell, never one that cheated; roots start as `round_seed` says."""
    bench = Bench(tmp_path, script=writes(lambda order: SCORES.get(str(order.cell), 0.5)))  # type: ignore[arg-type, return-value]
    run_id = await run(bench, max_rounds=2, refine_count=2, round_seed=seed)
    found = parents(bench, run_id)
    assert found["r1-b0-a0"] is None
    assert (found["r1-b0-a1"], found["r1-b0-a2"]) == ("r1-b0-a0", "r1-b0-a1")
    assert (found["r1-b1-a1"], found["r1-b1-a2"]) == ("r1-b1-a0", "r1-b1-a0")  # not the tampered r1-b1-a1
    assert (found["r2-b0-a0"], found["r2-b1-a0"]) == (roots, roots)
    assert bench.desk.explorations.get(run_id).best_cell_id == "r1-b1-a0"


async def test_a_refinement_gets_its_parents_files_and_feedback(tmp_path: Path) -> None:
    """The folder holds what the parent left; the prompt holds its score and the evaluator's words, and no budget."""
    found: list[dict[str, object]] = []

    async def script(order: Order, meter: Meter) -> Report:
        found.append(json.loads((order.place / FILE).read_text()))
        (order.place / FILE).write_text(json.dumps({"score": 4.0, "feedback": "warmer", "n": len(found)}))
        return Report("done", PAID)

    bench = Bench(tmp_path, script=script)
    await run(bench, branch_count=1)
    root, refinement = bench.runtime.orders
    assert root.prompt.parent is None
    assert found == [{"score": 0.0}, {"score": 4.0, "feedback": "warmer", "n": 1}]
    assert refinement.prompt.parent is not None
    assert (refinement.prompt.parent.score, refinement.prompt.parent.feedback) == (4.0, "warmer")
    told = repr(refinement.prompt)
    assert "usd" not in told
    assert "calls" not in told
    assert str(tmp_path) not in told


async def test_a_hill_climb_builds_on_what_was_accepted(tmp_path: Path) -> None:
    """One at a time in branch 0 of round 1, from the best that beats the baseline by more than the registered delta."""
    scores = iter([0.05, 1.0, 0.2, 1.05, 2.0])
    evaluator = MemoryEvaluator(Terms("memory", "e" * 64, min_delta=0.1))
    bench = Bench(tmp_path, script=writes(lambda _: next(scores)), evaluator=evaluator)
    run_id = await run(bench, strategy="hill_climb", branch_count=1, refine_count=0, max_experiments=5)
    assert parents(bench, run_id) == {
        "r1-b0-a0": None, "r1-b0-a1": None, "r1-b0-a2": "r1-b0-a1", "r1-b0-a3": "r1-b0-a1", "r1-b0-a4": "r1-b0-a1",
    }  # fmt: skip
    assert [str(cell) for cell in bench.subject.accepted] == ["r1-b0-a1", "r1-b0-a4"]
    assert bench.desk.explorations.get(run_id).winner_cell_id == "r1-b0-a4"


async def test_ties_keep_the_first_and_no_better_than_the_baseline_is_still_delivered(tmp_path: Path) -> None:
    """Equal scores: the first stays the best; the result says that nothing improved."""
    bench = Bench(tmp_path, script=writes(lambda _: 0.0))
    found = bench.desk.explorations.get(await run(bench))
    assert (found.best_cell_id, found.winner_cell_id) == ("r1-b0-a0", "r1-b0-a0")
    assert (found.improved, found.status) == (False, "complete")


async def test_smaller_is_better_where_the_evaluator_says_so(tmp_path: Path) -> None:
    """Direction min turns best, target and improvement around."""
    bench = Bench(tmp_path, script=writes(lambda order: 3.0 - order.cell.branch),
                  evaluator=MemoryEvaluator(Terms("memory", "e" * 64, "min")))  # fmt: skip
    bench.subject.start = {"score": 10.0}
    found = bench.desk.explorations.get(await run(bench, branch_count=9, refine_count=0, target=1.0))
    assert (found.best_cell_id, found.best_score) == ("r1-b2-a0", 1.0)
    assert (found.improved, found.stop_detail) == (True, "target_reached")


async def test_a_cell_sees_only_what_had_finished(tmp_path: Path) -> None:
    """Cells of other branches that had finished, earlier rounds, at most eight, the best first."""
    bench = Bench(tmp_path, script=writes(lambda order: float(order.cell.branch)))
    await run(bench, branch_count=12, refine_count=0, max_rounds=2)
    first, second, *_ = bench.runtime.orders
    assert first.prompt.seen == ()
    assert [shown.cell for shown in second.prompt.seen] == ["r1-b0-a0"]
    root_of_two = bench.runtime.orders[12]
    assert [shown.cell for shown in root_of_two.prompt.seen] == [f"r1-b{b}-a0" for b in range(11, 3, -1)]


async def test_a_second_start_of_the_same_request_gives_the_same_seeds(tmp_path: Path) -> None:
    """Seeds depend on the frozen request and the cell alone, and differ from cell to cell."""
    seeds = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        bench = Bench(tmp_path / name)
        await run(bench)
        seeds.append([order.prompt.seed for order in bench.runtime.orders])
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 4


async def test_infrastructure_failures_are_tried_twice_more_with_the_same_prompt(tmp_path: Path) -> None:
    """Back-off 1 s and 2 s, a new call each, an identical prompt, a fresh folder."""
    tries = 0

    async def script(order: Order, meter: Meter) -> Report:
        nonlocal tries
        tries += 1
        assert not (order.place / "left").exists()
        (order.place / "left").write_text("x")
        return await writes(lambda _: 1.0)(order, meter) if tries == 3 else Report("model_error", PAID)

    bench = Bench(tmp_path, script=script)
    run_id = await run(bench, branch_count=1, refine_count=0)
    (cell,) = bench.desk.explorations.cells(run_id)
    assert (cell.state, cell.tries) == ("valid", 3)
    assert len({order.prompt.sha256 for order in bench.runtime.orders}) == 1
    assert bench.desk.ledger.cost(run_id).calls == 3
    assert [seconds for seconds in bench.clock.slept if seconds in (1.0, 2.0)] == [1.0, 2.0]


async def test_a_paused_run_begins_nothing_and_its_time_stands_still(tmp_path: Path) -> None:
    """What is under way ends; an hour of pause does not count; after resume the rest is made."""
    bench = Bench(tmp_path)

    async def script(order: Order, meter: Meter) -> Report:
        if order.cell.branch == 1:
            bench.desk.explorations.pause(order.run_id, True)
        return await writes(lambda _: 1.0)(order, meter)

    bench.runtime.script = script
    run_id = await bench.queue(branch_count=4, refine_count=0, max_wall_secs=600)
    async with bench.clock.running():
        task = asyncio.create_task(Workshop(bench.desk).run(run_id))
        while bench.desk.explorations.get(run_id).state != "paused":
            await bench.clock.sleep(0.1)
        assert len(bench.runtime.orders) == 2
        bench.clock.skip(3600)
        bench.desk.explorations.pause(run_id, False)
        assert await task == "complete"
    assert len(bench.runtime.orders) == 4
    found = bench.desk.explorations.get(run_id)
    assert found.wall_used_ms(0) < 10_000


async def test_a_paused_run_can_be_cancelled(tmp_path: Path) -> None:
    """A cancel reaches a run that waits."""
    bench = Bench(tmp_path)

    async def script(order: Order, meter: Meter) -> Report:
        bench.desk.explorations.pause(order.run_id, True)
        return await writes(lambda _: 1.0)(order, meter)

    bench.runtime.script = script
    run_id = await bench.queue()
    async with bench.clock.running():
        task = asyncio.create_task(Workshop(bench.desk).run(run_id))
        while bench.desk.explorations.get(run_id).state != "paused":
            await bench.clock.sleep(0.1)
        bench.desk.explorations.cancel(run_id, "cancelled_by_user")
        assert await task == "cancelled"
    assert len(bench.runtime.orders) == 1


async def test_four_slots_are_shared_by_all_runs(tmp_path: Path) -> None:
    """Two runs with sixteen parallel cells never have more than four attempts under way; first come, first served."""
    running = most = 0

    async def script(order: Order, meter: Meter) -> Report:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.02)
        running -= 1
        return await writes(lambda _: 1.0)(order, meter)

    bench = Bench(tmp_path, script=script, clock=SystemClock(), options={"pace": Pace(look=0.05, slot_look=0.01)})
    workshop = Workshop(bench.desk)
    changes = {"branch_count": 16, "refine_count": 0, "max_parallelism": 16}
    runs = [await bench.queue(name, **changes) for name in ("run-1", "run-2")]
    assert await asyncio.gather(*(workshop.run(run_id) for run_id in runs)) == ["complete", "complete"]
    assert most == 4
    for name in runs:
        assert [order.cell.branch for order in bench.runtime.orders if order.run_id == name] == list(range(16))


@pytest.mark.parametrize(("timing", "most_at_once"), [(True, 1), (False, 2)])
async def test_where_timing_counts_one_is_scored_at_a_time(tmp_path: Path, timing: bool, most_at_once: int) -> None:
    """In the whole installation, for one evaluator's hash; otherwise scorings overlap."""
    scoring = most = 0

    class Slow(MemoryEvaluator):
        async def score(self, view: Path, task: Mapping[str, object], seconds: float) -> Scoring:
            nonlocal scoring, most
            scoring += 1
            most = max(most, scoring)
            await asyncio.sleep(0.03)
            scoring -= 1
            return await super().score(view, task, seconds)

    evaluator = Slow(Terms("memory", "e" * 64, timing_sensitive=timing))
    bench = Bench(tmp_path, clock=SystemClock(), evaluator=evaluator, options={"pace": Pace(look=0.05, slot_look=0.01)})
    run_id = await bench.queue(refine_count=0, max_parallelism=2)
    assert await Workshop(bench.desk).run(run_id) == "complete"
    assert most == most_at_once


async def test_waiting_for_a_slot_spends_no_call_and_ends_with_a_cancel(tmp_path: Path) -> None:
    """All slots are somebody else's: the cell waits, a cancel ends the waiting, nothing was spent."""
    bench = Bench(tmp_path)
    other = bench.desk.leases.take("run:other")
    assert other is not None
    for number in range(4):
        assert bench.desk.slots.take(other, f"r1-b{number}-a0")
    run_id = await bench.queue()
    async with bench.clock.running():
        task = asyncio.create_task(Workshop(bench.desk).run(run_id))
        while "waiting_slot" not in {cell.state for cell in bench.desk.explorations.cells(run_id)}:
            await bench.clock.sleep(0.1)
        bench.desk.explorations.cancel(run_id, "cancelled_by_user")
        assert await task == "cancelled"
    assert bench.desk.ledger.cost(run_id).calls == 0
    assert {cell.state for cell in bench.desk.explorations.cells(run_id)} == {"cancelled"}


async def test_a_price_bound_is_held_and_overspending_is_topped_up_from_slack(tmp_path: Path) -> None:
    """With a bound the bound is held; a call that reaches it goes on while there is slack."""
    seen: list[tuple[int, int]] = []

    async def script(order: Order, meter: Meter) -> Report:
        seen.append((bench.desk.ledger.cost(order.run_id).pending, int(meter.observe(300_000))))
        seen.append((bench.desk.ledger.cost(order.run_id).pending, int(meter.observe(950_000))))
        await writes(lambda _: 1.0)(order, meter)
        return Report("done", Usage(requests=3, usd_micros=950_000, usd_source="reported"))

    bench = Bench(tmp_path, script=script)
    bench.runtime.bound = 300_000
    run_id = await run(bench, branch_count=1, refine_count=0, max_usd=1)
    assert seen == [(300_000, 1), (600_000, 1)]
    cost = bench.desk.ledger.cost(run_id)
    assert (cost.reported, cost.model_requests, cost.source) == (950_000, 3, "reported")


async def test_a_slow_sibling_does_not_hide_what_is_finished(tmp_path: Path) -> None:
    """The wall ends one branch in its attempt; the other's sealed and scored cell is delivered."""

    async def script(order: Order, meter: Meter) -> Report:
        if order.cell.branch == 0:
            await asyncio.Event().wait()
        return await writes(lambda _: 2.0)(order, meter)

    bench = Bench(tmp_path, script=script)
    run_id = await run(bench, refine_count=0, max_parallelism=2, max_wall_secs=30)
    found = bench.desk.explorations.get(run_id)
    assert (found.status, found.winner_cell_id) == ("budget_exhausted", "r1-b1-a0")
    assert [cell.state for cell in bench.desk.explorations.cells(run_id)] == ["timeout", "valid"]
    assert len(bench.subject.exported) == 1


@pytest.mark.parametrize("text", ["r0-b0-a0", "r01-b0-a0", "r1-b-1-a0", "r1-b0-a+1", "r1-b00-a0", "r1-b0-a٣", "r1-b0-a0\n", ""])
def test_a_cell_id_has_one_spelling(text: str) -> None:
    """No leading zeros, no signs, no other digits, nothing around it."""
    with pytest.raises(ValueError, match="no cell id"):
        CellId.parse(text)


def test_a_cell_id_reads_back() -> None:
    """Text and back."""
    assert CellId.parse(str(CellId(12, 0, 340))) == CellId(12, 0, 340)


def test_the_size_of_a_grid() -> None:
    """cells = branches × (refinements + 1) × rounds."""
    grid = Grid(branches=10, refinements=19, rounds=100)
    assert (grid.cells_per_round, grid.cells, len(grid.round(1))) == (200, 20_000, 200)


def test_strategies_plan_from_what_is_recorded() -> None:
    """The grid gives a round at a time, the hill climb a cell; both end."""
    asked = request(max_rounds=2).discovery
    progress = Progress("max")
    grid = GridStrategy()
    sizes = []
    while hasattr(wave := grid.next(asked, progress), "cells"):
        progress.begin(wave.round, len(wave.cells))  # type: ignore[union-attr]
        sizes.append(len(wave.cells))  # type: ignore[union-attr]
    assert sizes == [4, 4]
    climb = request(strategy="hill_climb", branch_count=1, refine_count=0, max_experiments=2).discovery
    assert HillClimbStrategy().most(climb) == 2


def test_better_is_strict_and_more_than_the_delta() -> None:
    """A tie is no win, nor is a gain within the delta."""
    assert better(1.0, 0.5, "max")
    assert better(0.5, 1.0, "min")
    assert not better(1.0, 1.0, "max")
    assert not better(1.1, 1.0, "max", 0.2)


async def test_serving_runs_what_comes_and_stops_in_order(tmp_path: Path) -> None:
    """Runs that are queued later are made too; a stop interrupts what is under way and leaves nothing open."""
    bench = Bench(tmp_path)

    async def script(order: Order, meter: Meter) -> Report:
        if order.run_id == "slow":
            await asyncio.Event().wait()
        return await writes(lambda _: 1.0)(order, meter)

    bench.runtime.script = script
    async with bench.clock.running():
        task = asyncio.create_task(Workshop(bench.desk).serve())
        for run_id in ("one", "two"):
            await bench.queue(run_id)
            while bench.desk.explorations.get(run_id).status != "complete":
                await bench.clock.sleep(0.1)
        await bench.queue("slow")
        while not any(order.run_id == "slow" for order in bench.runtime.orders):
            await bench.clock.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    found = bench.desk.explorations.get("slow")
    assert (found.status, found.stop_detail) == ("interrupted", "operator_stop")
    assert busy(bench.desk.database) == 0
