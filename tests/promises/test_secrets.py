"""Promise: no secret in any evidence, prompt, log, artifact or result, whatever the page does with it."""

import base64
import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from starlette.responses import Response

from engine.assembly.discovering import Order, discover
from engine.domain.run import RunResult
from engine.settings import Settings
from tests.llm.endpoint import Reply, Request, ScriptedEndpoint, completion
from tests.pages import Pages

CANARY = "Zq7!kappa-Änd&9"
SHORT = "7391"


class Script:
    """A model that obeys: takes one step after the other, finding the element by its name in what it is shown."""

    def __init__(self, *steps: tuple[str, str, str]) -> None:
        self.steps = list(steps)

    def __call__(self, request: Request) -> Reply:
        if not self.steps:
            return decision({"action": "done", "summary": "done"})
        action, name, text = self.steps.pop(0)
        found = re.findall(rf'^\W*((?:f\d+)?e\d+) \w+ "?{re.escape(name)}', request.prompt, re.MULTILINE)
        if not found:
            return decision({"action": "stuck", "problem": f"no {name} in: {request.prompt[-1900:]}"})
        more = {"text": text} if action == "type" else {}
        return decision({"action": action, "ref": found[-1], **more})


def decision(action: dict[str, object]) -> Reply:
    return completion({"reason": "as told", "action": action})


def forms(value: str) -> set[bytes]:
    """The value in every usual encoding, made without the code under test."""
    raw = value.encode()
    texts = {
        value, quote(value, safe=""), quote(value), quote_plus(value), html.escape(value), json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1], base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(),
        raw.hex(),
    }  # fmt: skip
    return {text.encode() for text in texts} | {value.encode("utf-16-le")}


def written(home: Path, *others: bytes) -> dict[str, bytes]:
    """Every byte that is left: all files of the home, their names, and what went elsewhere."""
    files = {str(file): file.read_bytes() + str(file).encode() for file in home.rglob("*") if file.is_file()}
    return files | {f"other {number}": content for number, content in enumerate(others)}


def echoing(pages: Pages, secret: str) -> None:
    """A site that logs in and shows the password wherever it can."""
    shown = html.escape(secret)
    pages["/"] = (
        "<form method=post action=/login><label>User <input name=user></label>"
        "<label>Password <input type=password name=password></label><button>Log in</button></form>"
    )
    pages["/login"] = Response(status_code=303, headers={"location": f"/home?password={quote(secret)}"})
    encoded = base64.b64encode(f"x:{secret}".encode()).decode()
    pages["/home"] = (
        f"<title>Hello {shown}</title><h1>Welcome {shown}</h1><p>Your password is {shown}.</p><p>Basic {encoded}</p>"
        f"<a href='/home?p={quote(secret)}'>again</a><input aria-label=Echo value=\"{shown}\">"
        f"<a download='{shown}.txt' href='/file'>Statement</a>"
        f"<script>console.log({json.dumps(secret)})</script>"
        f"<button onclick='alert({html.escape(json.dumps(secret))})'>Say it</button>"
    )
    disposition = {"content-disposition": f"attachment; filename*=UTF-8''{quote(secret)}.txt"}
    pages["/file"] = Response(f"password: {secret}\n".encode(), headers=disposition, media_type="text/plain")


STEPS = (
    ("type", "User", "{{secret.user}}"),
    ("type", "Password", "{{secret.password}}"),
    ("click", "Log in", ""),
    ("click", "Say it", ""),
    ("click", "Statement", ""),
)


async def run(pages: Pages, home: Path, secret: str, goal: str, given: bool) -> tuple[RunResult, list[Request], list[str]]:
    told: list[str] = []
    async with ScriptedEndpoint(Script(*STEPS)) as endpoint:
        order = Order(
            goal=goal,
            target=pages.url,
            model="scripted",
            base_url=endpoint.url,
            secrets={"user": "alice@bank.test", "password": secret} if given else {},
            screenshots="always",
            approve="deny",
        )
        settings = Settings(home=home, environment={"PATH": "/usr/bin:/bin"})
        result = await discover(settings, order, lambda step: told.append(step.model_dump_json()), told.append)
        return result, endpoint.requests, told


@pytest.mark.slow
@pytest.mark.parametrize(("secret", "given"), [(CANARY, True), (CANARY, False), (SHORT, True)])
async def test_a_password_that_the_page_echoes_everywhere_is_written_nowhere(
    secret: str, given: bool, pages: Pages, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Text, title, URL, base64, field, dialog, console, a download's name and content; given as a secret or in the goal."""
    echoing(pages, secret)
    goal = "Log in" if given else f'Log in as "alice@bank.test" with password "{secret}"'
    result, requests, told = await run(pages, tmp_path / "home", secret, goal, given)
    assert result.stop_reason == "done", result.explanation
    assert any(secret in hit.body or quote_plus(secret) in hit.body for hit in pages.writes("/login"))
    prompts = json.dumps([request.body for request in requests], ensure_ascii=False).encode()
    output = capfd.readouterr()
    others = (prompts, "\n".join(told).encode(), result.model_dump_json().encode(), output.out.encode(), output.err.encode())
    for form in forms(secret):
        if len(form) < 6 and form != secret.encode():
            continue
        boundary = re.compile(rb"(?<![\w.+/=-])" + re.escape(form) + rb"(?![\w.+/=-])") if secret == SHORT else None
        found: Callable[[bytes], bool] = (lambda c, b=boundary: bool(b.search(c))) if boundary else (lambda c, f=form: f in c)
        hits = [
            name
            for name, content in written(tmp_path / "home", *others).items()
            if not name.endswith(".jpg") and found(content)
        ]
        assert hits == [], form
