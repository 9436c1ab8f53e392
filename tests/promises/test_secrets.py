"""Promise: no secret in any evidence, prompt, log, artifact or result, whatever the page does with it."""

import asyncio
import base64
import html
import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest
from starlette.responses import Response

from engine.assembly import replaying
from engine.assembly.discovering import Order, discover
from engine.assembly.homes import approval_store
from engine.assembly.sessions import BoundedBrowser
from engine.browser.gate import route_layer
from engine.browser.launch import Browser
from engine.browser.session import Session
from engine.domain.capability import Capability, CapabilityStep, Fingerprint, Locator, Target
from engine.domain.ending import ReplayResult
from engine.domain.run import RunResult
from engine.domain.secret import Secret, Secrets
from engine.guard.passes import Passes
from engine.guard.policy_file import default_policy
from engine.settings import Settings
from tests.llm.endpoint import Reply, Request, ScriptedEndpoint, completion
from tests.pages import Pages
from tests.pixels import magenta
from tests.replay.kit import button, click, element, made, reading, text
from tests.waiting import until

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
        "<style>h1, p, input {color: #f0f; font: 24px sans-serif}</style>"
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
    secret: str, given: bool, session: Session, pages: Pages, tmp_path: Path, capfd: pytest.CaptureFixture[str]
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
        boundary = standing(secret) if secret == SHORT else None
        found: Callable[[bytes], bool] = (lambda c, b=boundary: bool(b.search(c))) if boundary else (lambda c, f=form: f in c)
        hits = [
            name
            for name, content in written(tmp_path / "home", *others).items()
            if not name.endswith(".jpg") and found(content)
        ]
        assert hits == [], form
    shots = sorted((tmp_path / "home").rglob("*.jpg"))
    dots = {shot.name: await magenta(session.page, shot.read_bytes()) for shot in shots}
    assert len(dots) >= 4 and max(dots.values()) == 0, dots


@pytest.mark.parametrize("secret", [CANARY, "ok"])
async def test_a_replay_neither_asks_nor_answers_with_a_secret(
    secret: str, browser: Browser, pages: Pages, tmp_path: Path
) -> None:
    """The page echoes it in a heading that is read, in a button that needs a person, and in the request that is held."""
    echoing(pages, secret)
    pages["/login"] = Response(status_code=303, headers={"location": "/home"})
    shown = html.escape(secret)
    pages["/home"] = (
        f"<h1 id=said>Hello {shown}</h1><form method=post action=/pay><input name=p value='{shown}'><button>Pay</button>"
    )
    said = Target(description="greeting", locators=(Locator(by="id", value="said"),), fingerprint=Fingerprint(role="heading"))
    form = {"form_method": "post", "form_action": "/.*"}
    log_in = (
        CapabilityStep(id="u", action="type", target=element("textbox", "User", input_type="text", **form), value="ann"),
        CapabilityStep(
            id="p",
            action="type",
            target=element("textbox", "Password", input_type="password", **form),
            value="{{secret.password}}",
        ),
        click(button("Log in", **form), text("Hello"), id="l"),
        reading("said", "text", said),
    )
    settings = Settings(home=tmp_path / "home", environment={"PATH": "/usr/bin:/bin"})
    secrets = Secrets((Secret("password", secret),))
    policy = default_policy(pages.url, secrets)

    async def replayed(capability: Capability, order: replaying.Order) -> ReplayResult:
        async with route_layer(browser.playwright) as routes:
            bounded = BoundedBrowser(browser, Passes(policy), routes)
            return await replaying.replay_in(settings, bounded, capability, order, policy, secrets)

    ended = []
    for pay in (False, True):
        steps = (*log_in, click(button("Pay", **form), id="pay", effect="commit")) if pay else log_in
        outputs = {"type": "object", "properties": {"said": {"type": "string"}}}
        order = replaying.Order("by-hand", target=pages.url, approve="inbox" if pay else "deny")
        run = asyncio.ensure_future(replayed(made(*steps, outputs=outputs), order))
        store = approval_store(settings)
        if pay:
            assert await until(lambda store=store: store.pending(time.time()), 20)
            (asked,) = store.pending(time.time())
            store.decide(asked.id, approve=False, by="ann", process="test", now=time.time())
        ended.append(await run)
        assert ended[-1].ending == ("approval_needed" if pay else "ok"), ended
    assert ended[0].outputs == {"said": "Hello {{secret.password}}"}
    others = "".join(one.model_dump_json(exclude={"ending"}) for one in ended).encode()
    found = {name for name, content in written(tmp_path / "home", others).items() if standing(secret).search(content)}
    assert found == set()


def standing(secret: str) -> re.Pattern[bytes]:
    """The secret on its own, not as a part of other words and numbers."""
    return re.compile(rb"(?<![\w.+/=-])" + re.escape(secret.encode()) + rb"(?![\w.+/=-])")
