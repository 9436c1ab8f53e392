from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from engine.browser.launch import Browser
from engine.domain.capability import CapabilityStep, Condition, DialogExpected, Fingerprint, Locator, Parser, Target
from engine.domain.ending import EXIT_OF_ENDING, ReplayResult
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy
from tests.pages import Pages
from tests.replay.kit import button, click, element, ended, made, reading, text

Run = Callable[..., Awaitable[ReplayResult]]


class Busy(Response):
    """Answers 503 the first time, and then what it has."""

    def __init__(self, html: str) -> None:
        super().__init__(html, media_type="text/html")
        self.asked = False

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        answer = super().__call__ if self.asked else Response("busy", status_code=503)
        self.asked = True
        await answer(scope, receive, send)


@pytest.fixture
def run(browser: Browser, pages: Pages, tmp_path: Path) -> Run:
    """Replays a capability on the served pages."""

    async def replay(*steps: CapabilityStep, **more: Any) -> ReplayResult:
        made_of = {name: more.pop(name) for name in ("checkpoint", "outputs") if name in more}
        return await ended(browser, pages.url, tmp_path, made(*steps, **made_of), **more)

    return replay


async def test_ok_with_outputs(run: Run, pages: Pages) -> None:
    """Click, land, read a typed value: ok, with which locator matched."""
    pages["/"] = "<a href=/two>Go</a>"
    pages["/two"] = "<h1>There</h1><table><tr><th>Kind<th>Sum<tr><td>A<td>$1,204.55<tr><td>B<td>$2</table>"
    cell = Target(
        description="Sum of A",
        locators=(Locator(by="cell", value="{{who}}", column="Sum"),),
        fingerprint=Fingerprint(role="cell"),
    )
    result = await run(
        click(element("link", "Go"), Condition(kind="url", value="/two")),
        reading("sum", "cell", cell, parser=Parser(type="currency")),
        values={"who": "A"},
        checkpoint=text("There"),
    )
    assert result.ending == "ok", result
    assert result.outputs == {"sum": {"amount": "1204.55", "currency": "USD"}}
    assert result.steps[0].locator == 0


async def test_a_target_that_is_gone_is_drift(run: Run, pages: Pages) -> None:
    """What was expected and what was seen is said; nothing is clicked."""
    pages["/"] = "<button>Other</button>"
    result = await run(click(button("Save")))
    assert (result.ending, result.step, result.expected) == ("drift", "s1", 'button "Save"')


async def test_same_label_other_form_is_drift(run: Run, pages: Pages) -> None:
    """A button with the right name that would send another form is not clicked."""
    pages["/"] = "<form method=post action=/delete><button>Save</button></form>"
    result = await run(click(button("Save", form_method="post", form_action="/save")))
    assert result.ending == "drift" and "form action" in result.seen
    assert not pages.writes("/delete")


async def test_two_that_fit_are_ambiguous(run: Run, pages: Pages) -> None:
    """Nothing is chosen by position."""
    pages["/"] = "<button>Save</button><button>Save</button>"
    assert (await run(click(button("Save")))).ending == "ambiguous"


async def test_another_end_is_checkpoint_failed(run: Run, pages: Pages) -> None:
    """All steps worked, and yet the flow ended elsewhere."""
    pages["/"] = "<button>Go</button>"
    assert (await run(click(button("Go")), checkpoint=text("Arrived"))).ending == "checkpoint_failed"


async def test_a_value_of_another_type_is_output_invalid(run: Run, pages: Pages) -> None:
    """Text where an amount belongs is refused, not returned."""
    pages["/"] = "<h1>n/a</h1>"
    heading = Target(description="h", locators=(Locator(by="text", value="n/a"),), fingerprint=Fingerprint(role="heading"))
    assert (await run(reading("sum", "text", heading, parser=Parser(type="currency")))).ending == "output_invalid"


async def test_a_write_that_nobody_approves_is_approval_needed(run: Run, pages: Pages) -> None:
    """The form is not sent."""
    pages["/"] = "<form method=post action=/do><button>Send</button></form>"
    result = await run(click(button("Send", form_method="post", form_action="^/do$"), effect="commit"))
    assert result.ending == "approval_needed"
    assert not pages.writes("/do")


async def test_what_the_policy_forbids_ends_with_policy(run: Run, pages: Pages) -> None:
    """A link out of the scope is not followed."""
    pages["/"] = "<a href=http://example.com/>Out</a>"
    assert (await run(click(element("link", "Out")))).ending == "policy"


async def test_a_login_where_none_was_expected_is_auth_expired(run: Run, pages: Pages) -> None:
    """The session is over: the form is seen, nothing is typed into it."""
    pages["/"] = "<a href=/two>Go</a>"
    pages["/two"] = "<form method=post action=/login><input name=u aria-label=Name><input type=password></form>"
    result = await run(
        click(element("link", "Go")), CapabilityStep(id="s2", action="type", target=element("textbox", "Amount"), value="5")
    )
    assert result.ending == "auth_expired"
    assert not pages.writes("/login")


async def test_an_unexpected_dialog_is_dismissed_and_ends_it(run: Run, pages: Pages) -> None:
    """A confirm that the capability does not know is not accepted."""
    pages["/"] = "<button onclick=\"document.title = confirm('Delete all?') ? 'yes' : 'no'\">Go</button>"
    result = await run(click(button("Go")))
    assert result.ending == "dialog_unexpected" and "Delete all?" in result.explanation


async def test_an_expected_dialog_is_answered_as_recorded(run: Run, pages: Pages) -> None:
    """An alert of the step, with the input in its message, is accepted."""
    pages["/"] = "<button onclick=\"alert('Hello Ada'); document.body.append('greeted')\">Go</button>"
    step = click(button("Go"), text("greeted"), dialog=DialogExpected(type="alert", message="^Hello {{who}}$", answer="accept"))
    assert (await run(step, values={"who": "Ada"})).ending == "ok"
    assert (await run(step, values={"who": "Bob"})).ending == "dialog_unexpected"


async def test_a_site_that_is_down_is_target_error(browser: Browser, tmp_path: Path) -> None:
    """Nobody listens, or it answers 500."""
    result = await ended(browser, "http://127.0.0.1:9", tmp_path, made(click(button("Go"))))
    assert result.ending == "target_error"


async def test_a_server_error_is_target_error(run: Run, pages: Pages) -> None:
    """500 at the start, and 503 on the way."""
    pages["/"] = Response("no", status_code=500)
    assert (await run(click(button("Go")))).ending == "target_error"
    pages["/"] = "<a href=/two>Go</a>"
    pages["/two"] = Response("busy", status_code=503)
    assert (await run(click(element("link", "Go"), text("There")))).ending == "target_error"


async def test_the_deadline_is_a_timeout(run: Run, pages: Pages) -> None:
    """A page that never comes ends in time."""
    pages["/"] = "<button>Go</button>"
    pages.delay["/"] = 3.0
    assert (await run(click(button("Go")), seconds=0.5)).ending == "timeout"


class Yes:
    """A person who approves everything, by the guard of the place."""

    def __init__(self, url: str) -> None:
        self.guard = PolicyGuard(default_policy(url), url)
        self.asked = 0

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        self.asked += 1
        return self.guard.grant(needed, f"a{self.asked}")

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        return None


async def test_an_approved_commit_happens_once(run: Run, pages: Pages) -> None:
    """One question covers the click and its request; the server counts one."""
    pages["/"] = "<form method=post action=/do><button>Send</button></form>"
    pages["/do"] = "<h1>Done</h1>"
    yes = Yes(pages.url)
    result = await run(
        click(button("Send", form_method="post", form_action="^/do$"), text("Done"), effect="commit"), approver=yes
    )
    assert result.ending == "ok" and yes.asked == 1
    assert len(pages.writes("/do")) == 1


async def test_a_commit_without_its_sign_is_in_doubt(run: Run, pages: Pages) -> None:
    """The request left and the confirmation did not come: nobody may say that it failed, and it is not sent again."""
    pages["/"] = "<form method=post action=/do><button>Send</button></form>"
    pages["/do"] = Response("oops", status_code=500)
    result = await run(
        click(button("Send", form_method="post", form_action="^/do$"), text("Done"), effect="commit"), approver=Yes(pages.url)
    )
    assert result.ending == "in_doubt"
    assert len(pages.writes("/do")) == 1


async def test_an_optional_step_is_skipped_when_there_is_nothing_to_do(run: Run, pages: Pages) -> None:
    """A banner that does not show this time does not stop the flow."""
    pages["/"] = "<button onclick=\"document.body.append('went')\">Go</button>"
    result = await run(click(button("Dismiss"), optional=True), click(button("Go"), text("went"), id="s2"))
    assert result.ending == "ok"
    assert [step.skipped for step in result.steps] == [True, False]


async def test_options_are_told_apart_by_the_input(run: Run, pages: Pages) -> None:
    """An option is found by a word of its label; two that fit are ambiguous, none is drift."""
    pages["/"] = "<select aria-label=From><option>A 11 ($5)<option>B 12 ($6)<option>B 13 ($7)</select>"
    step = CapabilityStep(id="s1", action="select", target=element("combobox", "From"), value="{{who}}", match="word")
    assert (await run(step, values={"who": "A"})).ending == "ok"
    assert (await run(step, values={"who": "B"})).ending == "ambiguous"
    assert (await run(step, values={"who": "C"})).ending == "drift"


def test_every_ending_has_an_exit_code_of_its_own() -> None:
    """A caller can tell all endings apart by the code."""
    assert len(set(EXIT_OF_ENDING.values())) == len(EXIT_OF_ENDING)


async def test_a_notice_that_comes_late_is_put_away_all_the_same(run: Run, pages: Pages) -> None:
    """Skipped when its step came, shown a moment later over the page: it is dismissed, and the flow goes on."""
    inside = "<button onclick='n.remove()'>Got it</button>"
    veil = f"<div id=n role=dialog aria-label=News style='position:fixed;inset:0'>{inside}</div>"
    pages["/"] = (
        "<button onclick=\"document.body.append('went')\">Go</button>"
        f"<script>onload = () => setTimeout(() => document.body.insertAdjacentHTML('beforeend', `{veil}`), 600)</script>"
    )
    got_it = click(button("Got it"), optional=True)
    result = await run(got_it, click(button("Go"), text("went"), id="s2"), checkpoint=text("went"))
    assert result.ending == "ok", result


async def test_a_page_that_is_busy_for_a_moment_is_asked_once_more(run: Run, pages: Pages) -> None:
    """503 at the start and on the way: one more GET each, and the flow goes on."""
    pages["/"] = Busy("<a href=/two>Go</a>")
    pages["/two"] = Busy("<h1>There</h1><button onclick=\"document.body.append('went')\">On</button>")
    there = Condition(kind="url", value="/two")
    result = await run(click(element("link", "Go"), there), click(button("On"), text("went"), id="s2"), checkpoint=text("went"))
    assert result.ending == "ok", result
    assert [hit.path for hit in pages.hits] == ["/", "/", "/two", "/two"]


async def test_what_was_written_is_not_sent_again_to_a_busy_site(run: Run, pages: Pages) -> None:
    """503 as the answer to a commit: in doubt, and the server saw one write and no second question."""
    pages["/"] = "<form method=post action=/do><button>Send</button></form>"
    pages["/do"] = Busy("<h1>Done</h1>")
    send = click(button("Send", form_method="post", form_action="^/do$"), text("Done"), effect="commit")
    result = await run(send, approver=Yes(pages.url))
    assert result.ending == "in_doubt" and [hit.path for hit in pages.hits] == ["/", "/do"]


async def test_a_list_that_draws_only_what_is_in_view_is_scrolled(run: Run, pages: Pages) -> None:
    """The row comes into the document when its list is scrolled, and is clicked."""
    pages["/"] = (
        "<div id=box style='height:100px;overflow:auto'><div id=list style='position:sticky;top:0'></div>"
        "<div style='height:1500px'></div></div><script>"
        "const draw = () => { const at = Math.floor(box.scrollTop / 30); list.innerHTML = [0, 1, 2, 3].map((n) => at + n)"
        ".map((n) => `<button onclick=\"document.body.append('went ${n}')\">Row ${n}</button>`).join('') };"
        "box.onscroll = draw; draw()</script>"
    )
    read = reading("row", "text", button("Row 45"))
    result = await run(click(button("Row 30"), text("went 30")), read, checkpoint=text("went 30"), step_seconds=8.0)
    assert result.ending == "ok" and result.outputs == {"row": "Row 45"}, result


FIELD = CapabilityStep(id="s1", action="type", target=element("textbox", "Amount"), value="25.00")


@pytest.mark.parametrize(("made_of_it", "ending"), [("250.00", "drift"), ("", "drift"), ("$25.00", "ok")])
async def test_a_field_that_was_changed_after_typing_stops_the_click(
    run: Run, pages: Pages, made_of_it: str, ending: str
) -> None:
    """The page writes the amount otherwise: fine. It makes another amount of it: nothing is sent."""
    pages["/"] = (
        f"<input aria-label=Amount oninput=\"setTimeout(() => {{ this.value = '{made_of_it}' }}, 15)\">"
        "<input aria-label=Memo>"
        "<button onclick=\"document.body.append('sent')\">Send</button>"
    )
    memo = CapabilityStep(id="s2", action="type", target=element("textbox", "Memo"), value="rent")
    result = await run(FIELD, memo, click(button("Send"), text("sent"), id="s3"), checkpoint=text("sent"))
    assert result.ending == ending, result


async def test_a_renamed_sign_in_button_is_drift_and_not_a_lost_session(run: Run, pages: Pages) -> None:
    """The secret was just typed into this very form: that it asks for a login is no surprise."""
    page = "<form method=post action=/login><input type=password aria-label=Password><button>{}</button></form>"
    password = element("textbox", "Password", input_type="password", form_method="post", form_action="^/login$")
    typed = CapabilityStep(id="s1", action="type", target=password, value="{{secret.pass1}}")
    for inside, ending in (("Enter", "drift"), ("Log in</button><button>Log in", "ambiguous")):
        pages["/"] = page.format(inside)
        result = await run(typed, click(button("Log in", form_method="post", form_action="^/login$"), id="s2"))
        assert result.ending == ending, result


async def test_a_commit_that_sent_nothing_is_not_in_doubt(run: Run, pages: Pages) -> None:
    """A question or a required field came between: no request left, so nothing can have happened."""
    pages["/"] = "<form method=post action=/do onsubmit='return false'><button>Send</button></form>"
    send = click(button("Send", form_method="post", form_action="^/do$"), text("Done"), effect="commit")
    result = await run(send, approver=Yes(pages.url))
    assert result.ending == "drift" and not pages.writes("/do")
