import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.domain.action import ValueType
from engine.domain.capability import Capability, Condition, Extractor, Locator
from engine.errors import CapabilityInvalid
from engine.faces import playwright_file, pytest_file
from tests.capabilities import button, field, paying, reading
from tests.faces.conftest import Exported
from tests.faces.site import ACCOUNTS, LOGIN, STEPS, WIDE, WIDE_READ, wide

FACES = {"script": playwright_file.write, "test": pytest_file.write}
PIN = {"CAPWRIGHT_SECRET_PIN": "9876"}
RULES = "E,F,W,I,UP,B,SIM,RUF,RET,PIE,PTH,C90,PL"
IGNORED = "E501,PLR0913,PLR2004"


@pytest.mark.parametrize("face", sorted(FACES))
@pytest.mark.parametrize("capability", [reading, paying, wide])
def test_what_is_written_is_formatted_and_lint_clean(tmp_path: Path, capability: Callable[[], Capability], face: str) -> None:
    """As a formatter and a linter with a wide choice of rules leave it, whatever texts the capability holds."""
    file = tmp_path / "written.py"
    file.write_text(FACES[face](capability()))
    ruff = [sys.executable, "-m", "ruff"]
    formatted = subprocess.run(
        [*ruff, "format", "--isolated", "--diff", str(file)], capture_output=True, text=True, check=False
    )
    assert formatted.returncode == 0, formatted.stdout
    checked = [*ruff, "check", "--isolated", "--target-version", "py311", "--select", RULES, "--ignore", IGNORED, str(file)]
    linted = subprocess.run(checked, capture_output=True, text=True, check=False)
    assert linted.returncode == 0, linted.stdout


def test_no_run_data_and_no_secret_is_in_it() -> None:
    """Examples of inputs stay behind; secrets are known by name alone."""
    text = playwright_file.write(wide())
    assert "990077" not in text
    assert "CAPWRIGHT_SECRET_PIN" in text
    assert "engine" not in text


def test_only_what_is_needed_is_in_it() -> None:
    """No function, import or constant of another capability's needs."""
    text = playwright_file.write(paying())
    for other in ("def cell", "def frame", "def number", "Decimal", "parse_qs", "hashlib", "def choose"):
        assert other not in text
    assert len(text) < len(playwright_file.write(wide()))


def test_what_a_script_cannot_do_is_refused() -> None:
    """Rather than left out."""
    with pytest.raises(CapabilityInvalid, match="s1"):
        playwright_file.write(paying(steps=[{"id": "s1", "action": "wait", "value": "x"}]))
    row = {"by": "row", "value": "Deposit", "column": "Kind"}
    located = {"description": "x", "locators": [{"by": "text", "value": "x", "within": row}], "fingerprint": {"role": "cell"}}
    with pytest.raises(CapabilityInvalid, match="Kind"):
        playwright_file.write(paying(steps=[{"id": "s1", "action": "click", "target": located}]))


def test_inputs_that_are_named_like_options_are_told_apart() -> None:
    """`target` is the base URL's option."""
    schema = {"type": "object", "properties": {"target": {"type": "string"}, "memberId": {"type": "string"}}}
    text = playwright_file.write(paying(inputs=schema))
    assert '"--input-target"' in text
    assert '"--member-id"' in text


@pytest.mark.slow
async def test_a_script_reads_what_the_page_holds(exported: Exported) -> None:
    """By row and column header, in an environment that has Playwright alone."""
    ran = await exported.script(reading(), "--customer", "4711", **PIN)
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.json == {"ending": "ok", "outputs": {"balance": "1,204.55"}}
    assert exported.pages.writes("/find")[0].body == "customer=4711&pin=9876"


@pytest.mark.slow
async def test_a_script_does_everything_a_capability_can(exported: Exported) -> None:
    """Every kind of step, locator, condition and extractor; the effect is on the server exactly once."""
    (exported.folder / "letter.txt").write_text("Dear")
    given = ["--customer", "4711", "--kind", "Deposit", "--branch", "South", "--letter", "letter.txt", "--confirm"]
    ran = await exported.script(wide(), *given, **PIN)
    assert (ran.code, ran.stderr) == (0, ""), ran.stdout
    outputs = ran.json["outputs"]
    assert outputs.pop("link") == f"{exported.pages.url}/next?page=2"
    report = outputs.pop("report")
    assert (report["name"], report["size"], Path(report["path"]).read_text()) == ("report.csv", 4, "a,b\n")
    assert outputs == WIDE_READ
    assert len(exported.pages.writes("/remove")) == 1


def cloned(html: str) -> str:
    """A second button of the same name."""
    return html.replace("<button>Find</button>", "<button>Find</button><button>Find</button>")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "html", "ending", "code"),
    [
        ("/", LOGIN.replace("Find", "Search"), "drift", 10),
        ("/", cloned(LOGIN), "ambiguous", 11),
        ("/", LOGIN.replace("type=password", "type=text"), "drift", 10),
        ("/find", LOGIN, "auth_expired", 16),
        ("/find", ACCOUNTS.replace("Balance", "Owed"), "drift", 10),
    ],
)  # fmt: skip
async def test_a_script_stops_and_says_how(exported: Exported, page: str, html: str, ending: str, code: int) -> None:
    """Renamed, doubled, another kind of field, a login where none belongs, another column: never another value."""
    exported.pages[page] = html
    steps = reading().model_dump(mode="json", by_alias=True)["steps"]
    steps[3]["expect"] = []
    ran = await exported.script(reading(steps=steps), "--customer", "4711", **PIN)
    assert (ran.code, ran.json["ending"]) == (code, ending), ran.stdout


@pytest.mark.slow
async def test_a_form_that_is_sent_elsewhere_is_not_sent(exported: Exported) -> None:
    """The same label with another address is another operation."""
    exported.pages["/"] = "<form method=post action=/refund><label>Amount <input></label><button>Pay</button></form>"
    content = paying().model_dump(mode="json", by_alias=True)
    content["steps"][1]["target"] = field("Amount", formMethod="post", formAction="^/(pay|refund)$")
    ran = await exported.script(Capability.model_validate(content), "--amount", "5", "--confirm")
    assert (ran.code, ran.json["ending"]) == (10, "drift")
    assert exported.pages.writes("/refund") == []


@pytest.mark.slow
async def test_an_effect_whose_outcome_is_not_seen_is_in_doubt(exported: Exported) -> None:
    """The form was sent; what should then be seen was not."""
    exported.pages["/"] = "<form method=post action=/pay><label>Amount <input></label><button>Pay</button></form>"
    content = paying().model_dump(mode="json", by_alias=True)
    content["steps"][2]["expect"] = [{"kind": "text", "value": "Receipt"}]
    ran = await exported.script(Capability.model_validate(content), "--amount", "5", "--confirm")
    assert (ran.code, ran.json["ending"]) == (20, "in_doubt")
    assert len(exported.pages.writes("/pay")) == 1


@pytest.mark.slow
async def test_nothing_starts_without_what_it_needs(exported: Exported) -> None:
    """No secret, no input, no confirmation of what cannot be undone: ended before the site sees anything."""
    assert (await exported.script(reading(), "--customer", "4711")).json["ending"] == "input_invalid"
    assert (await exported.script(reading(), **PIN)).code == 2
    asked = await exported.script(paying(), "--amount", "5")
    assert (asked.code, asked.json["ending"]) == (15, "approval_needed")
    assert exported.pages.hits == []


@pytest.mark.slow
async def test_a_dialog_that_is_not_expected_is_dismissed_and_ends_it(exported: Exported) -> None:
    """The question is answered with no."""
    exported.pages["/"] = "<button onclick=\"if (confirm('Sell?')) fetch('/sell', {method: 'POST'})\">Find</button>"
    steps = [{"id": "s1", "action": "click", "target": button("Find")}]
    ran = await exported.script(reading(steps=steps), "--customer", "4711", **PIN)
    assert (ran.code, ran.json) == (17, {"ending": "dialog_unexpected", "explanation": "confirm: Sell?"})
    assert exported.pages.writes("/sell") == []


@pytest.mark.slow
async def test_a_test_file_is_green_and_then_red(exported: Exported) -> None:
    """With pytest and Playwright alone: green on the site, red on a changed one, skipped where an effect is not confirmed."""
    given = {"CAPWRIGHT_INPUT_CUSTOMER": "4711", **PIN}
    green = await exported.test(reading(), **given)
    assert green.code == 0, green.stdout
    assert "1 passed" in green.stdout
    lacking = await exported.test(reading(), **PIN)
    assert "set CAPWRIGHT_INPUT_CUSTOMER" in lacking.stdout
    skipped = await exported.test(paying(), CAPWRIGHT_INPUT_AMOUNT="5")
    assert "1 skipped" in skipped.stdout
    exported.pages["/"] = cloned(LOGIN)
    red = await exported.test(reading(), **given)
    assert red.code == 1
    assert "elements fit" in red.stdout


def test_the_site_has_one_of_everything() -> None:
    """Every kind of step that a replay can make, of locator, condition, extractor and parser is tried above."""
    text = json.dumps(STEPS)
    tried: dict[str, set[Any]] = {
        "action": {"navigate", "click", "hover", "type", "select", "press", "upload", "switch_tab", "extract"},
        "by": set(get_args(Locator.model_fields["by"].annotation)),
        "kind": {*get_args(Extractor.model_fields["kind"].annotation), *get_args(Condition.model_fields["kind"].annotation)},
        "type": set(get_args(ValueType)) - {"text"},
    }
    for key, words in tried.items():
        assert all(f'"{key}": "{word}"' in text for word in words), key
    assert WIDE
