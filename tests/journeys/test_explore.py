"""The core on the practice bank: it keeps the good candidate, marks the cheats with their class, and says what it cost."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.assembly.exploring import Exploring, exploring, local_caller
from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole
from engine.settings import load
from engine.store.capabilities import read
from tests.llm.endpoint import Reply, Request, ScriptedEndpoint, completion

MEMBER, HELD_OUT = "100231", "100245"
GOAL = f"Log in and read member {MEMBER}'s savings balance"
COST = 250
"""Micro-dollars that the endpoint reports for each request."""

Move = Callable[[str], dict[str, Any]]


def found(prompt: str, what: str, otherwise: str = "e1") -> str:
    """The ref of the line that was shown last with this text."""
    refs: list[str] = re.findall(rf"(?m)\b(e\d+)[:|]? {what}", prompt)
    return refs[-1] if refs else otherwise


def types(label: str, text: str) -> Move:
    """Type into a field."""
    return lambda prompt: {"action": "type", "ref": found(prompt, f"textbox {label}"), "text": text}


def clicks(what: str) -> Move:
    """Click."""
    return lambda prompt: {"action": "click", "ref": found(prompt, what)}


def reads(name: str, what: str, at: int = 0) -> Move:
    """Read one of the amounts in a row."""

    def move(prompt: str) -> dict[str, Any]:
        row = re.findall(rf"(?m){what}.*$", prompt)[-1]
        value = re.findall(r"\$[\d,.]+", row)[at]
        reading = {"name": name, "ref": found(prompt, what), "type": "currency", "value": value}
        return {"action": "extract", "readings": [reading]}

    return move


def claims(prompt: str) -> dict[str, Any]:
    """Say that it is done."""
    return {"action": "done", "summary": "read"}


def flow(member: str, at: int = 0) -> list[Move]:
    """Log in, find a member, read the first amount of an account, or another."""
    return [
        types("User ID", "{{secret.user}}"), types("Password", "{{secret.password}}"), clicks("button Sign in"),
        clicks("link Member search"), types("Member number", member), clicks("button Search"), clicks(f"link {member}"),
        reads("savingsBalance", r"Savings \|", at), claims,
    ]  # fmt: skip


BAD = flow(MEMBER, 1)
GOOD = flow(MEMBER)


def stays(typed: str) -> list[Move]:
    """Type something where the flow begins, and read what stands there."""
    reading = {"name": "savingsBalance", "value": "Tellerline 8.2"}
    return [
        types("User ID", typed),
        lambda prompt: {"action": "extract", "readings": [{**reading, "ref": found(prompt, "Tellerline")}]},
        claims,
    ]


LITERAL = stays(HELD_OUT)
"""It knows a held-out case, and has that member's number as a constant."""
IDLE = stays(MEMBER)
"""Its checkpoint was true before it began."""


class Model:
    """One list of moves an attempt, in the order in which attempts come; remembers what each attempt was first shown."""

    def __init__(self, *attempts: list[Move]) -> None:
        self._attempts = iter(attempts)
        self._moves = iter(())  # type: ignore[var-annotated]
        self.first: list[str] = []

    def __call__(self, request: Request) -> Reply:
        if "Done so far:" not in request.prompt:
            self.first.append(request.prompt)
            self._moves = iter(next(self._attempts))
        move = next(self._moves, lambda _prompt: {"action": "stuck", "problem": "out of moves"})
        return completion({"reason": "scripted", "action": move(request.prompt)})


def opened(console: TellerConsole, home: Path, **environment: str) -> Exploring:
    """Explorations of a home whose config.toml approves the console and a case table."""
    (account,) = [account for account in console.records.accounts(HELD_OUT) if account.type == "Savings"]
    case = {"inputs": {"memberNumber": HELD_OUT}, "outputs": {"savingsBalance": str(account.balance)}}
    (home / "cases.json").write_text(json.dumps({"cases": [case], "replays": 1}))
    (home / "config.toml").write_text(f"""
        [[targets]]
        id = "console"
        url = "{console.url}"
        secrets = ["user", "password"]
        inputs = {{ memberNumber = "{MEMBER}" }}
        [[evaluators]]
        name = "balances"
        target = "console"
        cases = "cases.json"
    """)
    secrets = {"CAPWRIGHT_SECRET_USER": DEMO_USER, "CAPWRIGHT_SECRET_PASSWORD": DEMO_PASSWORD}
    return exploring(load({"CAPWRIGHT_HOME": str(home), "PATH": "/usr/bin:/bin", **secrets, **environment}, home))


async def explored(opened: Exploring, model: str, **discovery: Any) -> Any:
    """Ask, run to the end, and the tree."""
    budget = {"max_agent_calls": 1, "max_usd": "1", "max_wall_secs": 600, **discovery.pop("budget", {})}
    task = {
        "assigned_to": "local", "kind": "discovery", "title": "Read a balance", "description": GOAL,
        "discovery": {
            "approved_root_id": "console", "evaluator": "balances", "runtime": "browser", "model": model,
            "allow_invalid_baseline": True, **discovery, "budget": budget,
        },
    }  # fmt: skip
    created: Any = await opened.requests.call("tasks.create", task, local_caller())
    await opened.workshop.run(created.run_id)
    return await opened.requests.call("discovery.tree", {"run_id": created.run_id}, local_caller())


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_the_good_candidate_is_kept_and_the_cheats_are_marked(tmp_path: Path) -> None:
    """A wrong reading, a literal and a checkpoint that proves nothing lose to the one that works, at the limit on calls."""
    model = Model(BAD, LITERAL, GOOD, IDLE)
    async with TellerConsole() as console, ScriptedEndpoint(model) as endpoint:
        core = opened(console, tmp_path, CAPWRIGHT_BASE_URL=endpoint.url)
        tree = await explored(core, "scripted", branch_count=2, refine_count=1, budget={"max_agent_calls": 4, "max_rounds": 2})
        run, marked = tree.run, {cell.cell_id: cell for cell in tree.nodes if cell.tries}
        assert [cell.state for cell in marked.values()] == ["invalid_solution", "valid", "tamper", "tamper"], marked
        assert marked["r1-b1-a0"].feedback.startswith("literal where an input belongs")
        assert marked["r1-b1-a1"].feedback == "checkpoint true on the start page"
        assert "savingsBalance is not as expected" in marked["r1-b0-a0"].feedback
        assert marked["r1-b0-a0"].feedback in model.first[2] and "EARLIER" in model.first[2]
        assert (run.status, run.stop_code, run.winner_cell_id, run.best_score) == (
            "budget_exhausted", "budget_exhausted", "r1-b0-a1", 1.0,
        )  # fmt: skip
        assert (run.calls, run.model_requests) == (4, len(endpoint.requests))
        assert (run.cost.reported, run.cost.usd_source) == (COST * len(endpoint.requests), "reported")
    (draft,) = (read(file) for file in tmp_path.glob("capabilities/*/*.json"))
    assert draft.provenance.explored is not None
    assert (draft.reviewed, draft.provenance.score, draft.provenance.explored.cell) == (False, 1.0, "r1-b0-a1")
    assert draft.provenance.explored.evaluator_hash == core.desk.registry.verify("balances").hash


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_the_embedded_planner_finds_one_for_nothing(tmp_path: Path) -> None:
    """No key, no model: one attempt, valid, delivered, and zero dollars is what was spent."""
    async with TellerConsole() as console:
        tree = await explored(opened(console, tmp_path), "embedded")
    run = tree.run
    assert (run.status, run.winner_cell_id, run.best_score, run.improved) == ("complete", "r1-b0-a0", 1.0, True), tree
    assert (run.calls, run.model_requests, run.cost.reported, run.cost.usd_source) == (1, 0, 0, "reported")
    assert len(list(tmp_path.glob("capabilities/*/1.0.0.json"))) == 1
