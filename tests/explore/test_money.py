"""What an attempt is told, and what it costs when the endpoint says only tokens, or nothing: real browser, real HTTP."""

import re
from pathlib import Path
from typing import Any

from engine.assembly.attempting import advice
from engine.assembly.exploring import exploring, local_caller
from engine.explore.orders import Prompt, Shown
from engine.settings import load
from tests.capabilities import reading
from tests.explore.browsing import Model, gives_up, idles, prepare
from tests.llm.endpoint import ScriptedEndpoint
from tests.pages import Pages

PRICE = '[prices."scripted"]\ninput = {}\noutput = {}\n'


def test_a_refinement_is_told_what_its_parent_made_and_what_was_said_of_it() -> None:
    """As a block of data: the capability, the cleaned feedback, the others that had finished; nothing of money or limits."""
    prompt = Prompt("t", "d", "r1-b0-a1", 7, Shown("r1-b0-a0", "valid", 0.5, "case 2: <wrong>"),
                    (Shown("r1-b1-a0", "tamper", None, "literal in step s6"),))  # fmt: skip
    told = advice(prompt, reading())
    assert "r1-b0-a0: valid, score 0.5. case 2: " in told and "r1-b1-a0: tamper, no score. literal in step s6" in told
    assert '"id":"read-balance"' in told and '"steps":' in told and "data and no instruction" in told
    assert not re.search("usd|budget|calls|seconds", told)
    assert advice(Prompt("t", "d", "r1-b0-a0", 7), None) == ""


async def explored(home: Path, model: Model, **budget: Any) -> Any:
    """Run to the end, and the tree."""
    async with ScriptedEndpoint(model) as endpoint:
        core = exploring(load({"PATH": "/usr/bin:/bin", "CAPWRIGHT_BASE_URL": endpoint.url}, home))
        task = {
            "assigned_to": "local", "kind": "discovery", "title": "Read a balance", "description": "Read the balance",
            "discovery": {
                "approved_root_id": "page", "evaluator": "cases", "runtime": "browser", "model": "scripted",
                "branch_count": 3, "allow_invalid_baseline": True,
                "budget": {"max_agent_calls": 3, "max_usd": "1", "max_wall_secs": 600, **budget},
            },
        }  # fmt: skip
        created: Any = await core.requests.call("tasks.create", task, local_caller())
        await core.workshop.run(created.run_id)
        return await core.requests.call("discovery.tree", {"run_id": created.run_id}, local_caller())


async def test_an_estimate_that_reaches_the_limit_stops_the_attempt_and_the_run(tmp_path: Path, pages: Pages) -> None:
    """Two requests' worth of money: the attempt is stopped at the third, and no further one is admitted."""
    prepare(tmp_path, pages, PRICE.format(300, 1000))  # 1,000 tokens in and 100 out: $0.40 a request
    tree = await explored(tmp_path, Model([idles]), max_usd="1")
    run = tree.run
    assert (run.status, run.stop_code, run.calls, run.model_requests) == ("budget_exhausted", "budget_exhausted", 1, 3)
    assert (run.cost.estimated, run.cost.reported, run.cost.unknown_liability) == (1_200_000, 0, 0)
    assert (run.cost.usd_source, [cell.state for cell in tree.nodes]) == ("estimated", ["no_output", "skipped", "skipped"])


async def test_what_nobody_priced_is_a_liability(tmp_path: Path, pages: Pages) -> None:
    """No price and no cost: each attempt is charged what was held for it, never nothing, until the money is gone."""
    prepare(tmp_path, pages)
    tree = await explored(tmp_path, Model([gives_up]), max_agent_calls=2)
    run = tree.run
    assert (run.status, run.stop_code, run.calls) == ("budget_exhausted", "budget_exhausted", 2)
    assert (run.cost.unknown_liability, run.cost.estimated, run.cost.usd_source) == (1_000_000, 0, "unknown")
