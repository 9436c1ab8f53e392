"""`discover heal`: what moved on a page is found again by a planner, proved, and proposed as a patch; nothing else happens."""

import json
from pathlib import Path

import pytest

from engine.domain.capability import Capability, Condition
from tests.cli.test_batch import GREETER, greeting
from tests.journeys.command import Command
from tests.pages import Pages
from tests.replay.kit import click, element, text


def drafted(home: Path, capability: Capability) -> None:
    """Put a draft into the home."""
    file = home / "capabilities" / capability.id / f"{capability.version}.json"
    file.parent.mkdir(parents=True)
    file.write_text(capability.model_dump_json(by_alias=True))


@pytest.mark.slow
async def test_a_moved_element_is_found_again_and_proposed(pages: Pages, command: Command) -> None:
    """The button became a link in another place: healing drafts 1.0.1, and that replays."""
    pages["/"] = GREETER.replace("<button", "<a href='#' role=link").replace("</button>", "</a>")
    drafted(command.home, greeting(pages.url))
    healed = await command("heal", "by-hand", "--allow-draft", "--model", "embedded", "--input", "who=Ada")
    assert (healed.code, healed.json["healed"]) == (0, ["greet"]), healed
    patch = json.loads(Path(healed.json["capability"]).read_text())
    assert (patch["version"], patch["reviewed"], patch["provenance"]["parentVersion"]) == ("1.0.1", False, "1.0.0")
    assert len(patch["provenance"]["proof"]) == 2
    assert "Ada" not in json.dumps(patch["steps"])
    after = await command("replay", "by-hand@1.0.1", "--allow-draft", "--input", "who=Grace")
    assert after.json["outputs"] == {"greeting": "Hello Grace"}


@pytest.mark.slow
async def test_nothing_is_proposed_for_what_is_not_found(pages: Pages, command: Command) -> None:
    """An element that is gone stays gone: the ending is the replay's, with what the planner said, and no file is written."""
    pages["/"] = GREETER.replace("<button", "<button disabled hidden")
    drafted(command.home, greeting(pages.url))
    healed = await command("heal", "by-hand", "--allow-draft", "--model", "embedded", "--input", "who=Ada")
    assert (healed.code, healed.json["capability"], healed.json["healed"]) == (10, None, [])
    assert "planner does not find it" in healed.json["replay"]["explanation"]
    assert [file.name for file in (command.home / "capabilities" / "by-hand").iterdir()] == ["1.0.0.json"]


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False])
async def test_a_commit_is_never_crossed(pages: Pages, command: Command, whole: bool) -> None:
    """What is broken after the first commit, or is the commit itself, is left alone, and the commit is not sent."""
    pages["/"] = "<form method=post action=/pay><button>Pay now</button></form><p>ready</p>"
    pages["/pay"] = "<a href=/>Receipt of payment</a>"
    name = "Pay now" if whole else "Pay"
    pay = click(element("button", name), Condition(kind="url", value="/pay"), id="pay", effect="commit")
    last = click(element("link", "Receipt"), text("ready"), id="receipt")
    paying = greeting(
        pages.url, steps=(click(element("form", ""), id="none", optional=True), pay, last), risk_class="irreversible"
    )
    drafted(command.home, paying.model_copy(update={"outputs": {"type": "object"}}))
    healed = await command("heal", "by-hand", "--allow-draft", "--model", "embedded", "--input", "who=Ada")
    assert healed.json["capability"] is None
    assert pages.writes("/pay") == []
