from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.responses import Response

from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.element import Element
from engine.browser.launch import Browser
from engine.browser.locators import describe
from engine.browser.session import Session, SessionSettings, open_session
from engine.domain.action import (
    Action,
    Click,
    Extract,
    GoBack,
    Hover,
    Navigate,
    Press,
    Reading,
    Scroll,
    Select,
    SwitchTab,
    Type,
    Upload,
    Wait,
)
from engine.domain.observation import Observation
from engine.domain.policy import DialogHandling
from engine.domain.secret import Secret, Secrets
from engine.domain.step import Outcome, TargetSeen
from engine.domain.verdict import ApprovalNeeded, Permit
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy
from tests.pages import Pages

ALL = ("navigate", "click", "type", "select", "press", "wait", "extract", "hover", "upload", "scroll", "switch_tab", "go_back")


@dataclass
class Hands:
    """A page, its actor and a guard that permits every action on it."""

    session: Session
    actor: PageActor
    pages: Pages
    approved: bool = False

    async def show(self, html: str, path: str = "/") -> None:
        """Open a page with this HTML."""
        self.pages[path] = html
        await self.session.open(self.pages.url + path)

    async def do(self, make: Callable[[str], Action], name: str = "", role: str | None = None) -> Outcome:
        """Act on the element called `name` as the loop would: look, find, judge, act."""
        seen = await self.session.look()
        ref = (
            next((n.ref for n in seen.root.walk() if n.ref and n.name == name and role in (None, n.role)), None)
            if name
            else "e1"
        )
        assert ref, seen.yaml
        action = make(ref)
        observation = Observation(url=seen.url, title=seen.title, root=seen.root, text="", fingerprint="")
        policy = default_policy(self.pages.url)
        guard = PolicyGuard(
            policy.model_copy(update={"actions": policy.actions.model_copy(update={"allow": ALL})}), self.pages.url, SECRETS
        )
        verdict = guard.judge(action, await self.actor.facts(action, observation))
        if self.approved and isinstance(verdict, ApprovalNeeded | Permit):
            needed = ApprovalNeeded(action=verdict.action, facts=verdict.facts, rule="test", why="")
            verdict = guard.grant(needed, "yes")
        assert isinstance(verdict, Permit), verdict
        return await self.actor.act(verdict)


SECRETS = Secrets((Secret("pass1", "s3cret-value"), Secret("word", "open sesame")))


@pytest.fixture
async def hands(browser: Browser, pages: Pages, tmp_path: Path) -> AsyncIterator[Hands]:
    """An actor on a fresh session; confirm dialogs need a person."""
    desk = DialogDesk(DialogHandling())
    (tmp_path / "form.pdf").write_text("pdf")
    async with open_session(browser, SessionSettings(tmp_path / "downloads", desk.answer)) as session:
        bound = PolicyGuard(default_policy(pages.url), pages.url, SECRETS).secrets
        actor = PageActor(session, desk, bound, pages.url, files={"form": str(tmp_path / "form.pdf")})
        yield Hands(session, actor, pages)


async def test_types_and_reads_back(hands: Hands) -> None:
    """What was typed is in the field; what was in it before is gone."""
    await hands.show("<label>Name <input value=old></label>")
    assert (await hands.do(lambda ref: Type(ref=ref, text="Ada"), "Name")).ok
    assert await hands.session.page.get_by_label("Name").input_value() == "Ada"


async def test_a_field_that_formats_has_taken_the_text(hands: Hands) -> None:
    """A phone mask adds brackets: letters and digits agree, so it counts."""
    mask = "this.value = this.value.replace(/\\D/g, '').replace(/(\\d{3})(\\d{3})(\\d{4})/, '($1) $2-$3')"
    await hands.show(f'<input aria-label=Phone oninput="{mask}">')
    assert (await hands.do(lambda ref: Type(ref=ref, text="5551234567"), "Phone")).ok


async def test_a_field_that_eats_characters_is_noticed(hands: Hands) -> None:
    """A field that drops digits is a failure that says what it holds."""
    await hands.show("<input aria-label=Code oninput=\"this.value = this.value.replace(/[0-9]/g, '')\">")
    outcome = await hands.do(lambda ref: Type(ref=ref, text="A1B2"), "Code")
    assert not outcome.ok
    assert "'AB'" in outcome.problem


async def test_a_secret_goes_into_a_password_field_by_name_only(hands: Hands) -> None:
    """The placeholder becomes the value in the browser, and nowhere in the outcome."""
    await hands.show("<form><input type=password aria-label=Password></form>")
    outcome = await hands.do(lambda ref: Type(ref=ref, text="{{secret.pass1}}"), "Password")
    assert outcome.ok
    assert "s3cret-value" not in outcome.model_dump_json()
    assert await hands.session.page.get_by_label("Password").input_value() == "s3cret-value"


async def test_selects_by_label_and_reads_back(hands: Hands) -> None:
    """The option with that label is chosen; an option that is not there is a failure."""
    await hands.show("<select aria-label=State><option>Illinois<option>Iowa</select>")
    assert (await hands.do(lambda ref: Select(ref=ref, options=("Iowa",)), "State")).ok
    assert await hands.session.page.get_by_label("State").input_value() == "Iowa"
    outcome = await hands.do(lambda ref: Select(ref=ref, options=("Utah",)), "State")
    assert not outcome.ok


async def test_a_confirm_that_needs_a_person_is_dismissed_and_said(hands: Hands) -> None:
    """Without approval the dialog is dismissed and named; with it, the same click goes through."""
    await hands.show("<button onclick=\"if (confirm('Sure?')) document.title = 'done'\">Send</button>")
    outcome = await hands.do(lambda ref: Click(ref=ref), "Send")
    assert outcome.held == "confirm dialog: Sure?"
    assert await hands.session.page.title() == ""
    hands.approved = True
    outcome = await hands.do(lambda ref: Click(ref=ref), "Send")
    assert outcome.ok and outcome.dialogs[0].answer == "accepted"
    assert await hands.session.page.title() == "done"


async def test_says_what_appeared(hands: Hands) -> None:
    """A new alert and a new heading are part of the outcome, what was there before is not."""
    late = "setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p role=alert>Saved</p><h2>Next</h2>'), 30)"
    await hands.show(f'<h1>Form</h1><button onclick="{late}">Save</button>')
    assert (await hands.do(lambda ref: Click(ref=ref), "Save")).appeared == ("Saved", "Next")


async def test_an_extract_must_agree_with_the_page(hands: Hands) -> None:
    """A value that does not stand where the planner says is not extracted."""
    await hands.show("<p>Balance <b>$12.40</b></p><table aria-label=T><tr><th>A<th>B<tr><td>1<td>2</table>")
    seen = await hands.session.look()
    cell = next(n for n in seen.root.walk() if n.name == "2" or n.text == "2")
    wrong = await hands.do(lambda _: Extract(readings=(Reading(name="x", ref=cell.ref or "", value="3"),)))
    assert not wrong.ok and not wrong.values
    seen = await hands.session.look()
    table = next(n.ref for n in seen.root.walk() if n.role == "table")
    right = await hands.do(
        lambda _: Extract(
            readings=(Reading(name="x", ref=cell.ref or "", value="2"), Reading(name="all", ref=table or "", what="table"))
        )
    )
    assert [value.parsed for value in right.values] == ["2", [["A", "B"], ["1", "2"]]]


async def test_waits_for_a_text_and_says_when_it_does_not_come(hands: Hands) -> None:
    """A text that appears ends the wait; one that does not is a failure within its seconds."""
    await hands.show("<p></p><script>setTimeout(() => document.querySelector('p').textContent = 'Ready', 300)</script>")
    assert (await hands.do(lambda _: Wait(text="Ready", seconds=5))).ok
    outcome = await hands.do(lambda _: Wait(text="Never", seconds=0.3))
    assert "not there after 0.3 s" in outcome.problem


async def test_the_extensions_work(hands: Hands) -> None:
    """Hover, upload, scroll, back and tabs do what they say."""
    await hands.show(
        "<button onmouseover=\"this.title='over'\">H</button><input type=file aria-label=F>"
        "<div tabindex=0 role=region aria-label=R style='height:100px;overflow:auto'><div style='height:900px'></div></div>"
        "<a href=/two>Two</a><a href=/three target=_blank>Three</a>"
    )
    hands.pages["/two"] = "<h1>Two</h1>"
    hands.pages["/three"] = "<h1>Three</h1>"
    page = hands.session.page
    assert (await hands.do(lambda ref: Hover(ref=ref), "H")).ok
    assert await page.get_by_role("button", name="H").get_attribute("title") == "over"
    assert (await hands.do(lambda ref: Upload(ref=ref, file="form"), "F")).ok
    assert not (await hands.do(lambda ref: Upload(ref=ref, file="passwd"), "F")).ok
    assert (await hands.do(lambda ref: Scroll(ref=ref), "R")).ok
    assert await page.get_by_role("region").evaluate("e => e.scrollTop") == 90
    assert (await hands.do(lambda ref: Click(ref=ref), "Two")).url_after.endswith("/two")
    assert (await hands.do(lambda _: GoBack())).url_after == hands.pages.url + "/"
    assert (await hands.do(lambda ref: Click(ref=ref), "Three")).new_tab
    assert hands.session.url.endswith("/three")
    assert (await hands.do(lambda _: SwitchTab(tab=0))).ok
    assert hands.session.url == hands.pages.url + "/"
    assert not (await hands.do(lambda _: SwitchTab(tab=7))).ok


async def test_keys_go_where_they_are_sent(hands: Hands) -> None:
    """Enter in a field; an unknown key is a failure, not a crash."""
    await hands.show("<input aria-label=Q onkeydown=\"if (event.key === 'Enter') document.title = 'sent'\">")
    assert (await hands.do(lambda ref: Press(ref=ref, key="Enter"), "Q")).ok
    assert await hands.session.page.title() == "sent"
    assert not (await hands.do(lambda ref: Press(ref=ref, key="Nonsense"), "Q")).ok


async def test_a_page_that_answers_an_error_is_a_failed_navigation(hands: Hands) -> None:
    """A 503 is said with its number; the run can go on."""
    await hands.show("<h1>Home</h1>")
    hands.pages["/down"] = Response("no", status_code=503)
    outcome = await hands.do(lambda _: Navigate(url="/down"))
    assert not outcome.ok and "503" in outcome.problem
    assert (await hands.do(lambda _: Navigate(url="/"))).ok


async def test_a_download_is_part_of_the_outcome(hands: Hands) -> None:
    """The click that starts a download says its name and size."""
    hands.pages["/s.csv"] = Response("a,b\n", headers={"content-disposition": "attachment"}, media_type="text/csv")
    await hands.show("<a href=/s.csv>Get</a>")
    outcome = await hands.do(lambda ref: Click(ref=ref), "Get")
    assert [(file.name, file.size) for file in outcome.downloads] == [("s.csv", 4)]


async def test_what_covers_the_element_is_said(hands: Hands) -> None:
    """The planner hears what intercepts its click."""
    await hands.show("<button>Go</button><div role=dialog aria-label=Cookies style='position:fixed;inset:0'>Cookies</div>")
    outcome = await hands.do(lambda ref: Click(ref=ref), "Go")
    assert not outcome.ok and "intercepts pointer events" in outcome.problem


@pytest.mark.parametrize(
    "make", [lambda ref: Click(ref=ref), lambda ref: Extract(readings=(Reading(name="go", ref=ref),))], ids=["click", "extract"]
)
async def test_an_element_that_goes_while_it_is_described_is_a_problem_and_no_fault(
    hands: Hands, make: Callable[[str], Action]
) -> None:
    """What went away between the look and the act is told to the planner; the run goes on."""

    async def vanishing(element: Element) -> TargetSeen:
        await hands.session.page.evaluate("document.querySelector('button').remove()")
        return await describe(element.locator)

    await hands.show("<p>Desk</p><button>Go</button>")
    desk = DialogDesk(DialogHandling())
    hands.actor = PageActor(hands.session, desk, Secrets(), hands.pages.url, vanishing)
    outcome = await hands.do(make, "Go")
    assert not outcome.ok
    assert "went away" in outcome.problem
