"""`discover replay` for many rows: each to its own ending, in one table, one JSON object and one JUnit report."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine.cli import values
from engine.cli.junit import write
from engine.domain.capability import Capability, CapabilityStep
from engine.domain.ending import BatchResult, ReplayResult, RowReplayed
from engine.errors import UsageError
from tests.journeys.command import Command
from tests.pages import Pages
from tests.replay.kit import click, element, made, reading, text

GREETER = """<h1>Desk</h1><label>Name <input id=name></label><button onclick="
    document.querySelector('p').textContent = name_.value.trim() ? 'Hello ' + name_.value : 'Who?'">Greet</button>
    <p role=status></p><script>const name_ = document.querySelector('#name')</script>"""


def greeting(url: str, **more: object) -> Capability:
    """Types a name, presses a button and reads what comes of it."""
    typing = CapabilityStep(id="name", action="type", target=element("textbox", "Name"), value="{{who}}")
    flow = made(
        typing,
        click(element("button", "Greet"), text("Hello {{who}}"), id="greet"),
        reading("greeting", "text", element("status", "")),
        checkpoint=text("Hello"),
        outputs={"type": "object", "properties": {"greeting": {"type": "string"}}},
    )
    inputs = {
        "type": "object",
        "properties": {"who": {"type": "string", "minLength": 1}},
        "required": ["who"],
        "additionalProperties": False,
    }
    return flow.model_copy(update={"target": url, "inputs": inputs, **more})


def stored(folder: Path, capability: Capability) -> str:
    """Its file."""
    file = folder / "greeting.json"
    file.write_text(capability.model_dump_json(by_alias=True))
    return str(file)


async def test_every_row_gets_its_own_ending(pages: Pages, tmp_path: Path) -> None:
    """Good rows end ok with their outputs, a bad one is refused by itself, and the report says the same."""
    pages["/"] = GREETER
    rows = tmp_path / "rows.csv"
    rows.write_text("who\nAda\n''\nGrace\n".replace("''", '""'))
    report = tmp_path / "report.xml"
    file = stored(tmp_path, greeting(pages.url))
    ended = await Command(tmp_path / "home")(
        "replay", file, "--allow-draft", "--inputs", str(rows), "--repeat", "2", "--junit", str(report)
    )
    assert ended.code == 2, ended.stderr
    assert [row["result"]["ending"] for row in ended.json["rows"]] == ["ok", "input_invalid", "ok"] * 2
    assert [row["result"]["outputs"].get("greeting") for row in ended.json["rows"][:3]] == ["Hello Ada", None, "Hello Grace"]
    assert "6/6" in ended.stderr
    suite = ElementTree.parse(report).getroot()
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("6", "2", "0")


async def test_a_draft_that_changes_something_is_not_run_for_many(pages: Pages, tmp_path: Path) -> None:
    """One by one drafts may be tried; a batch of effects needs an approval first, and nothing reaches the site."""
    pages["/"] = GREETER
    file = stored(tmp_path, greeting(pages.url, risk_class="irreversible"))
    ended = await Command(tmp_path / "home")("replay", file, "--allow-draft", "--input", "who=Ada", "--repeat", "2")
    assert ended.code == 21
    assert {row["result"]["ending"] for row in ended.json["rows"]} == {"not_approved"}
    assert pages.hits == []


async def test_a_row_in_doubt_stops_what_changes_something(pages: Pages, tmp_path: Path) -> None:
    """An approved version runs for many, one at a time; after a commit that nothing confirmed, no further row is begun."""
    pages["/"] = GREETER
    flow = greeting(pages.url, risk_class="irreversible")
    pages["/greetings"] = ""
    pages["/"] = GREETER.replace('onclick="', "onclick=\"fetch('/greetings', {method: 'POST'});")
    steps = tuple(step.model_copy(update={"effect": "commit"}) if step.id == "greet" else step for step in flow.steps)
    flow = flow.model_copy(update={"steps": steps, "id": "greeting"})
    command = Command(tmp_path / "home")
    file = command.home / "capabilities" / "greeting" / "1.0.0.json"
    file.parent.mkdir(parents=True)
    file.write_text(flow.model_dump_json(by_alias=True))
    approved = await command("review", "approve", "greeting@1.0.0", "--comment", "looked at")
    assert approved.code == 0, approved.stderr
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(json.dumps({"who": who}) + "\n" for who in ("Ada", " ", "Grace")))
    policy = tmp_path / "open.yaml"
    policy.write_text(f"version: 1\nscope: {{navigate: ['{pages.url}']}}\n")
    ended = await command("replay", "greeting", "--inputs", str(rows), "--policy", str(policy))
    assert [row["result"]["ending"] for row in ended.json["rows"]] == ["ok", "in_doubt"], ended
    assert (ended.code, ended.json["total"]) == (20, 3)


def test_rows_are_read_from_csv_and_jsonl(tmp_path: Path) -> None:
    """Numbers and truth values become the text that a person would type; a byte order mark and empty lines do not matter."""
    csv, lines = tmp_path / "a.csv", tmp_path / "a.jsonl"
    csv.write_text('﻿member,amount\n7,"1,204.55"\n')
    lines.write_text('{"member": 7, "active": true}\n\n{"member": "8"}\n')
    assert values.rows(csv) == ({"member": "7", "amount": "1,204.55"},)
    assert values.rows(lines) == ({"member": "7", "active": "true"}, {"member": "8"})


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "a,b\n1\n", "a.csv:2 does not have one value"),
        ("a.csv", "a\n1,2\n", "a.csv:2 does not have one value"),
        ("a.csv", "a,b\n", "has no rows"),
        ("a.jsonl", '{"a": 1}\n[1]\n', "a.jsonl:2 is not an object"),
        ("a.jsonl", "{a}\n", "a.jsonl:1 is not JSON"),
        ("a.jsonl", '{"a": [1]}\n', "a.jsonl:1 does not have one value"),
        ("a.txt", "a\n1\n", "takes a .csv or a .jsonl file"),
    ],
)
def test_a_file_of_rows_that_is_none_is_refused_with_its_line(tmp_path: Path, name: str, content: str, said: str) -> None:
    """Nothing is run for a file of which one row cannot be read."""
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=said):
        values.rows(tmp_path / name)


def test_a_report_says_what_stopped_a_row_and_which_were_not_begun(tmp_path: Path) -> None:
    """Drift is a failure, a site that is down an error, a row that was never begun is skipped; odd characters are no harm."""

    def row(number: int, ending: str, explanation: str = "") -> RowReplayed:
        result = ReplayResult.model_validate(
            {"capability": "a", "version": "1.0.0", "ending": ending, "explanation": explanation, "step": "s1", "seen": "\x00"}
        )
        return RowReplayed(row=number, inputs={"who": "<Ada>"}, result=result)

    rows = (row(1, "ok"), row(2, "drift", "gone & lost"), row(3, "target_error"))
    batch = BatchResult(capability="a", version="1.0.0", total=4, rows=rows)
    write(tmp_path / "report.xml", batch)
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"], ["skipped"]]
    assert suite[1][0].get("message") == "gone & lost"
    assert (batch.exit_code, json.loads(batch.model_dump_json())["total"]) == (10, 4)


async def test_a_batch_without_a_browser_says_so_as_one_replay_does(pages: Pages, tmp_path: Path) -> None:
    """One sentence that names what is missing, and the exit code of a browser that is not there."""
    command = Command(tmp_path / "home", {"CAPWRIGHT_BROWSER": "/nowhere/chrome"})
    file = stored(tmp_path, greeting(pages.url))
    one = await command("replay", file, "--allow-draft", "--input", "who=Ada")
    many = await command("replay", file, "--allow-draft", "--input", "who=Ada", "--repeat", "3")
    assert one.code == many.code == 7 and "/nowhere/chrome does not exist" in many.stderr + str(many.json)
