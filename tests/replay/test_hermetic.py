"""`--hermetic`: a site's answers are recorded once, and played back while the site is off."""

from dataclasses import replace
from pathlib import Path

import pytest
from starlette.responses import Response

from engine.assembly.replaying import Order, replay
from engine.domain.capability import CapabilityStep, Fingerprint, Locator, Target
from engine.settings import Settings
from tests.pages import Pages
from tests.replay.kit import button, click, element, made, reading, text

SECRET = "Zq7!kappa-tape"
HOME = f"""<link rel=stylesheet href=/style.css><p>Signed in with {SECRET}.</p><h1 id=said></h1>
<script>fetch('/balance?at=' + Date.now()).then(a => a.text()).then(t => {{ said.textContent = t }})</script>"""


def site(pages: Pages, secret: str) -> None:
    """A login that sets a cookie, a page with a style and data that is fetched under an address of its own each time."""
    pages["/"] = (
        "<form method=post action=/login><label>Password <input type=password name=p></label><button>Log in</button></form>"
    )
    pages["/login"] = Response(status_code=303, headers={"location": "/home", "set-cookie": "session=abc123; HttpOnly; Path=/"})
    pages["/home"], pages["/balance"] = HOME.replace(SECRET, secret), "$12.40"
    pages["/style.css"] = Response("h1 {color: green}", media_type="text/css")


def flow(folder: Path, url: str) -> str:
    """Its file: log in, read the balance."""
    form = {"form_method": "post", "form_action": "/.*"}
    said = Target(description="balance", locators=(Locator(by="id", value="said"),), fingerprint=Fingerprint(role="heading"))
    password = element("textbox", "Password", input_type="password", **form)
    capability = made(
        CapabilityStep(id="p", action="type", target=password, value="{{secret.password}}"),
        click(button("Log in", **form), text("$"), id="l"),
        reading("balance", "text", said),
        checkpoint=text("Signed in"),
        outputs={"type": "object", "properties": {"balance": {"type": "string"}}},
    )
    secret = {"type": "string", "x-secret": True}
    inputs = {"type": "object", "properties": {"password": secret}, "required": ["password"], "additionalProperties": False}
    file = folder / "balance.json"
    file.write_text(capability.model_copy(update={"target": url, "inputs": inputs}).model_dump_json(by_alias=True))
    return str(file)


@pytest.mark.parametrize("secret", [SECRET, "7391"])
async def test_a_tape_plays_what_was_recorded_with_the_site_off(secret: str, pages: Pages, tmp_path: Path) -> None:
    """The same outputs and not one request; no secret and no cookie's value is on the tape."""
    site(pages, secret)
    tape = tmp_path / "tape.jsonl"
    settings = Settings(home=tmp_path / "home", environment={"PATH": "/usr/bin:/bin"})
    order = Order(flow(tmp_path, pages.url), secrets={"password": secret}, allow_draft=True, approve="deny", hermetic=tape)
    recorded = await replay(settings, order)
    assert (recorded.ending, recorded.outputs) == ("ok", {"balance": "$12.40"}), recorded
    assert {"/", "/login", "/home", "/style.css"} <= {hit.path for hit in pages.hits}
    assert secret not in tape.read_text() and "abc123" not in tape.read_text()
    pages.content.clear()
    pages.hits.clear()
    played = await replay(settings, order)
    assert (played.ending, played.outputs) == ("ok", {"balance": "$12.40"}), played
    assert pages.hits == []
    tape.write_text("".join(line for line in tape.read_text().splitlines(True) if "/balance" not in line))
    lacking = await replay(settings, replace(order, timeout_seconds=6))
    assert lacking.ending != "ok" and f"no answer to GET {pages.url}/balance" in lacking.explanation
    assert pages.hits == []


async def test_a_replay_that_fails_records_nothing(pages: Pages, tmp_path: Path) -> None:
    """What ended otherwise is no tape to test with, and the result says so."""
    pages["/"] = "<p>Closed.</p>"
    tape = tmp_path / "tape.jsonl"
    settings = Settings(home=tmp_path / "home", environment={"PATH": "/usr/bin:/bin"})
    order = Order(flow(tmp_path, pages.url), secrets={"password": SECRET}, allow_draft=True, timeout_seconds=4, hermetic=tape)
    ended = await replay(settings, order)
    assert ended.ending != "ok" and "Nothing was recorded" in ended.explanation and not tape.exists()
