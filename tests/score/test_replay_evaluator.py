"""The replay evaluator at work: real replays of a held-out case table, on the page as it was and on a drifted copy."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.assembly.exploring import registry
from engine.domain.capability import Capability
from engine.domain.evaluation import Scoring
from engine.settings import load
from engine.store.capabilities import written
from engine.subjects.browser import FILE
from tests.capabilities import button, field, reading
from tests.faces.site import target
from tests.pages import Pages, serve

SHOW = """<script>function show() {{
const balance = {{4711: '10.50', 4712: '20.50'}}[document.querySelector('input').value];
document.querySelector('output').innerHTML = {table}; }}</script>"""
BEFORE = """<title>Bank</title><h1>Bank</h1><label>Customer <input id=customer></label>
<button id=find onclick="show()">Find</button><output></output>
<form method=post action=/pay><button>Pay</button></form>""" + SHOW.format(
    table="`<table><tr><th>Kind</th><th>Balance</th></tr><tr><td>Deposit</td><td>${balance}</td></tr></table>`"
)
AFTER = """<title>Bank 2</title><header><p>Now even better!</p></header><main><h2>Bank</h2><div><div>
<label>Customer <input id=f1></label></div><div><button id=b1 onclick="show()"><b>Find</b></button></div></div><output></output>
</main>""" + SHOW.format(
    table="`<table><tr><th>Balance</th><th>Since</th><th>Kind</th></tr><tr><td>7.00</td><td>2019</td><td>Loan</td></tr>"
    "<tr><td>${balance}</td><td>2020</td><td>Deposit</td></tr></table>`"
)
"""Renamed ids, another layout, a column and a row more, columns in another order; it means the same."""
FIRST = {"inputs": {"customer": "4711"}, "outputs": {"balance": "10.50"}}
KEPT = reading().steps[-1].model_dump(mode="json", by_alias=True)


FLOW: list[dict[str, Any]] = [
    {"id": "s1", "action": "type", "target": field("Customer"), "value": "{{customer}}"},
    {"id": "s2", "action": "click", "target": button("Find")},
]


def candidate(*steps: dict[str, Any], last: dict[str, Any] = KEPT, **changed: Any) -> Capability:
    """Type the customer's number, press Find, read the balance; or other steps before reading it."""
    inputs = {"type": "object", "properties": {"customer": {"type": "string"}}, "required": ["customer"]}
    checkpoint = [{"kind": "text", "value": "Deposit"}]
    return reading(**{"inputs": inputs, "steps": [*(steps or FLOW), last], "checkpoint": checkpoint, **changed})


@dataclass
class Court:
    """A home with one table of two cases, the second on the drifted page."""

    home: Path
    page: Pages
    drifted: Pages

    def hold(self, *cases: dict[str, Any], **more: Any) -> None:
        """Another table."""
        (self.home / "cases.json").write_text(json.dumps({"cases": cases, **more}))

    async def score(self, tried: Capability) -> Scoring:
        """Score it as a sealed candidate is."""
        at = self.home / "view"
        at.mkdir(exist_ok=True)
        (at / FILE).write_text(written(tried))
        held = registry(load({"PATH": "/usr/bin:/bin"}, self.home))
        return await held.evaluator("held-out", held.verify("held-out").hash).score(at, {}, 120)


@pytest.fixture
async def court(pages: Pages, tmp_path: Path) -> AsyncIterator[Court]:
    """Both pages served, the table written."""
    async with serve() as drifted:
        pages["/"], drifted["/"] = BEFORE, AFTER
        (tmp_path / "config.toml").write_text(
            f'[[targets]]\nid = "bank"\nurl = "{pages.url}"\n'
            '[[evaluators]]\nname = "held-out"\ntarget = "bank"\ncases = "cases.json"\n'
        )
        held = Court(tmp_path, pages, drifted)
        held.hold(FIRST, {"inputs": {"customer": "4712"}, "outputs": {"balance": "20.50"}, "target": drifted.url})
        yield held


async def test_what_survives_drift_scores_more_than_what_does_not(court: Court) -> None:
    """By row and column: right on both pages. The only cell that looks like an amount: right where it is the only one, half."""
    assert await court.score(candidate()) == Scoring("ok", 1.0, "2 of 2 cases right, 2 of 2 stable")
    amount = target("role", "cell", r"^\d+\.\d\d$", match="pattern")
    fragile = await court.score(candidate(last={**KEPT, "extract": [{**KEPT["extract"][0], "target": amount}]}))
    assert (fragile.fail_class, fragile.score) == ("ok", 0.5)
    assert fragile.feedback == "1 of 2 cases right, 2 of 2 stable; case 2: ended ambiguous at step s5"


async def test_a_wrong_effect_is_invalid_and_does_not_happen(court: Court) -> None:
    """A candidate that calls itself read-only and presses Pay: nothing is sent, and nothing it reads counts."""
    court.hold(FIRST, replays=1)
    pays = {"id": "s3", "action": "click", "target": button("Pay", formMethod="post", formAction="^/pay$")}
    scoring = await court.score(candidate(*FLOW, pays))
    assert scoring == Scoring("invalid_solution", None, "wrong effect: a step needs a person's approval, at step s3")
    assert court.page.writes("/pay") == []
    declared = await court.score(candidate(riskClass="irreversible"))
    assert declared.feedback == "wrong effect: the capability is irreversible, at most read_only is asked for"


async def test_a_step_out_of_scope_is_tampering(court: Court) -> None:
    """However right it is on the way."""
    court.hold(FIRST, replays=1)
    leaves = {"id": "s3", "action": "navigate", "value": "http://elsewhere.example/"}
    scoring = await court.score(candidate(*FLOW, leaves))
    assert scoring == Scoring("tamper", None, "out-of-scope step, at step s3")


async def test_a_checkpoint_that_proves_nothing_is_tampering(court: Court) -> None:
    """It is true before anything was done."""
    scoring = await court.score(candidate(checkpoint=[{"kind": "text", "value": "Bank"}]))
    assert scoring == Scoring("tamper", None, "checkpoint true on the start page")


async def test_a_literal_is_tampering_and_is_not_even_replayed(court: Court) -> None:
    """A held-out value inside a step."""
    literal = {"id": "s1", "action": "type", "target": field("Customer"), "value": "4712"}
    scoring = await court.score(candidate(literal, FLOW[1]))
    assert scoring == Scoring("tamper", None, "literal where an input belongs, in step s1")
    assert court.page.hits == court.drifted.hits == []


async def test_reading_the_start_page_is_no_cheat(court: Court) -> None:
    """Where there is nothing to do but to read, the checkpoint holds at the start, and that is all right."""
    court.page["/"] = court.drifted["/"] = "<h1>Rates</h1><dl><dt>Rate</dt><dd>10.50</dd></dl>"
    court.hold({"outputs": {"rate": "10.50"}}, replays=1)
    read = {
        "output": "rate",
        "kind": "after_label",
        "target": target("after", "definition", "Rate"),
        "parser": {"type": "text"},
    }
    opens = {"id": "s1", "action": "navigate", "value": "/"}
    checkpoint = [{"kind": "text", "value": "Rates"}]
    steps = [opens, {"id": "s2", "action": "extract", "extract": [read]}]
    scoring = await court.score(
        reading(inputs={"type": "object", "properties": {}}, steps=steps, checkpoint=checkpoint, outputs={"type": "object"})
    )
    assert scoring == Scoring("ok", 1.0, "1 of 1 cases right, 1 of 1 stable")
