"""The write gate in a real browser: a write is held before a byte leaves, whatever its button is called."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from starlette.responses import Response

from engine.browser.gate import fields_of
from engine.browser.launch import Browser
from engine.browser.session import Session
from engine.domain.action import Click, Press
from engine.domain.policy import Policy
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy
from engine.guard.writes import WriteGate
from tests.conftest import accept, gated
from tests.pages import Pages

FORM = "<form method=post action=/transfers><input name=amount value=50><button id=go>Show details</button></form>"
SENDS = {
    "form": FORM,
    "form.submit": "<form method=post action=/transfers></form><button id=go onclick='document.forms[0].submit()'>S</button>",
    "fetch": "<button id=go onclick=\"fetch('/transfers',{method:'POST',body:'amount=50'}).catch(()=>0)\">Show</button>",
    "keepalive": "<button id=go onclick=\"fetch('/transfers',{method:'POST',keepalive:true}).catch(()=>0)\">Show</button>",
    "xhr": "<button id=go onclick=\"x=new XMLHttpRequest();x.open('PUT','/transfers');x.send('{}')\">Show</button>",
    "beacon": "<button id=go onclick=\"navigator.sendBeacon('/transfers','amount=50')\">Show</button>",
    "worker": "<button id=go onclick=\"new Worker('/worker.js')\">Show</button>",
    "frame": "<iframe name=f></iframe><form method=post action=/transfers target=f><button id=go>Show</button></form>",
    "popup": "<form method=post action=/transfers target=_blank><button id=go>Show</button></form>",
    "delete": "<button id=go onclick=\"fetch('/transfers',{method:'DELETE'}).catch(()=>0)\">Show</button>",
}


@dataclass
class Person:
    """Answers questions from a list, and remembers them."""

    guard: PolicyGuard
    answers: list[bool] = field(default_factory=list)
    asked: list[ApprovalNeeded] = field(default_factory=list)

    async def ask(self, needed: ApprovalNeeded, _step: int) -> Permit | Refusal:
        self.asked.append(needed)
        if self.answers.pop(0):
            return self.guard.grant(needed, f"approval-{len(self.asked)}")
        return Refusal(action=needed.action, rule=needed.rule, why="A person said no.")


@dataclass
class Place:
    session: Session
    gate: WriteGate
    person: Person

    async def step(self, act: Callable[[], object] | None = None, **facts: object) -> None:
        """One step on the page's button under a permit that no person has given."""
        verdict = self.gate.guard.judge(Click(ref="e1"), Facts.model_validate({"page_url": self.session.url} | facts))
        assert isinstance(verdict, Permit)
        self.gate.begin(verdict, 1)
        await self.session.page.click("#go")
        await self.session.settle(0.5)
        await self.gate.idle()
        await self.session.settle()


@asynccontextmanager
async def place(browser: Browser, folder: Path, policy: Policy, home: str, *answers: bool) -> AsyncIterator[Place]:
    guard = PolicyGuard(policy, home)
    person = Person(guard, list(answers))
    gate = WriteGate(guard, person.ask)
    async with gated(browser, folder, accept, gate) as session:
        yield Place(session, gate, person)


@pytest.fixture
def opened(browser: Browser, pages: Pages, tmp_path: Path) -> Callable[..., object]:
    return lambda *answers: place(browser, tmp_path, default_policy(pages.url), pages.url, *answers)


@pytest.mark.parametrize("way", SENDS)
@pytest.mark.parametrize("yes", [True, False])
async def test_a_write_behind_a_harmless_label_is_held_and_asked_about(way: str, yes: bool, opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """Yes lets exactly that one go; no lets none go and leaves the page usable."""
    pages["/"] = f"<title>Here</title>{SENDS[way]}<button id=other onclick=\"document.title='alive'\">x</button>"
    pages["/transfers"] = "done"
    pages["/worker.js"] = script("fetch('/transfers', {method: 'POST'})")
    async with opened(yes) as here:
        await here.session.open(pages.url + "/")
        await here.step(role="button", name="Show details")
        assert len(pages.writes("/transfers")) == int(yes)
        assert len(here.person.asked) == 1
        if not yes and way != "popup":
            await here.session.page.click("#other")
            assert await here.session.page.title() == "alive"
        if not yes:
            assert here.gate.refused == ["A person said no."]


def script(text: str) -> Response:
    return Response(text, media_type="text/javascript")


async def test_the_question_names_the_request_and_its_fields(opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """A person sees what would be sent, where to, and no password."""
    pages["/"] = FORM.replace("<button", "<input name=password value=hunter2><button")
    async with opened(False) as here:
        await here.session.open(pages.url + "/")
        await here.step(role="button", name="Show details")
        (needed,) = here.person.asked
        assert needed.why == f"The page is about to send POST {pages.url}/transfers with amount=50, password=•••."
        assert (needed.facts.form_method, needed.facts.form_action) == ("post", f"{pages.url}/transfers")


async def test_one_approval_covers_the_click_and_its_one_request(opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """The person is asked at the click; the request it causes is not asked about again, a second one is."""
    pages["/"] = (
        FORM + "<script>document.forms[0].onsubmit = () => { fetch('/other', {method: 'POST', keepalive: true}) }</script>"
    )
    async with opened(False) as here:
        await here.session.open(pages.url + "/")
        place_of = Facts(page_url=here.session.url, submits=True, form_method="post", form_action=f"{pages.url}/transfers")
        needed = here.gate.guard.judge(Click(ref="e1"), place_of)
        assert isinstance(needed, ApprovalNeeded)
        here.gate.begin(here.gate.guard.grant(needed, "a1"), 1)
        await here.session.page.click("#go")
        await here.session.settle(0.5)
        await here.gate.idle()
        assert [len(pages.writes(path)) for path in ("/transfers", "/other")] == [1, 0]
        assert [one.facts.form_action for one in here.person.asked] == [f"{pages.url}/other"]


async def test_an_approved_form_that_sends_elsewhere_is_asked_about_again(opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """The page swaps the form's address between the yes and the click: the yes does not cover the new one."""
    pages["/"] = FORM + "<script>go.onclick = () => { document.forms[0].action = '/everything' }</script>"
    async with opened(False) as here:
        await here.session.open(pages.url + "/")
        place_of = Facts(page_url=here.session.url, submits=True, form_method="post", form_action=f"{pages.url}/transfers")
        needed = here.gate.guard.judge(Click(ref="e1"), place_of)
        assert isinstance(needed, ApprovalNeeded)
        here.gate.begin(here.gate.guard.grant(needed, "a1"), 1)
        await here.session.page.click("#go")
        await here.session.settle(0.5)
        await here.gate.idle()
        assert pages.writes("/everything") == []
        assert len(here.person.asked) == 1


async def test_enter_in_a_field_is_held_too(opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """The keyboard sends a form as the button does."""
    pages["/"] = "<form method=post action=/transfers><input name=amount value=50></form>"
    async with opened(False) as here:
        await here.session.open(pages.url + "/")
        permit = here.gate.guard.judge(Press(key="Enter"), Facts(page_url=here.session.url))
        assert isinstance(permit, Permit)
        here.gate.begin(permit, 1)
        await here.session.page.press("input", "Enter")
        await here.session.settle(0.5)
        await here.gate.idle()
        assert pages.writes("/transfers") == []


LOGIN = "<form method=post action=/login><input name=user><input type=password name=pw><button id=go>Log in</button></form>"


async def test_a_login_form_goes_unasked_three_times_a_run(opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """The default policy's exception is for logging in, not for everything that a page dresses up as a login."""
    pages["/"] = LOGIN
    pages["/login"] = "<a href=/>again</a>"
    async with opened(False) as here:
        for _ in range(4):
            await here.session.open(pages.url + "/")
            action = f"{pages.url}/login"
            await here.step(role="button", submits=True, form_password=True, form_method="post", form_action=action)
        assert len(pages.writes("/login")) == 3
        assert len(here.person.asked) == 1


async def test_a_storm_of_writes_asks_a_bounded_number_of_times(opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """A no answers for the rest of the step."""
    pages["/"] = (
        "<button id=go onclick=\"for (let n = 0; n < 200; n++) fetch('/x' + n, {method: 'POST'}).catch(() => 0)\">Show</button>"
    )
    async with opened(True, False) as here:
        await here.session.open(pages.url + "/")
        await here.step(role="button", name="Show")
        assert len([hit for hit in pages.hits if hit.method == "POST"]) == 1
        assert len(here.person.asked) == 2


async def test_places_outside_the_scope_are_refused_at_this_layer_too(opened, pages: Pages) -> None:  # type: ignore[no-untyped-def]
    """A foreign picture, frame and socket fail quietly; a foreign link leaves the page where it is."""
    pages["/"] = (
        "<title>Here</title><a id=go href='http://127.0.0.1:9/'>x</a><script>new WebSocket('ws://127.0.0.1:9/')</script>"
    )
    async with opened() as here:
        await here.session.open(pages.url + "/")
        await here.step(role="link", name="x")
        assert await here.session.page.title() == "Here"
        assert here.person.asked == []


def test_only_short_named_fields_of_a_body_are_kept() -> None:
    """Forms and JSON objects; nothing of files and other bodies."""
    assert fields_of("a=1&b=" + "x" * 200) == (("a", "1"), ("b", "x" * 80))
    assert fields_of('{"amount": 5, "to": {"iban": "X"}}') == (("amount", "5"), ("to", '{"iban": "X"}'))
    assert fields_of(None) == fields_of("[1]" * 3) == fields_of("{" * 50_000) == ()
