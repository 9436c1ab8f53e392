"""Elements are described by what stays, found again wherever they went, and never mistaken for another."""

import time
from collections.abc import Mapping
from typing import Any

import pytest
from playwright.async_api import Locator as Found

from engine.browser.locators import Resolved, Unresolved, describe, resolve
from engine.browser.session import Session
from engine.distill.inputs import Input, Inputs
from engine.distill.locate import Finder
from engine.domain.capability import Target
from engine.domain.run import Goal
from engine.domain.step import TargetSeen
from engine.errors import DistillRefused
from tests.pages import Pages


class Stage:
    """One page: describe an element on it, change it, find the element again."""

    def __init__(self, session: Session, pages: Pages) -> None:
        self.session, self.pages = session, pages

    async def show(self, html: str) -> None:
        """Serve and open it."""
        self.pages["/page"] = f"<!doctype html><html lang=en><body>{html}</body></html>"
        await self.session.open(f"{self.pages.url}/page")

    async def seen(self, locator: str | Found) -> TargetSeen:
        """What is known of an element."""
        page = self.session.page
        return await describe(page.locator(locator) if isinstance(locator, str) else locator)

    async def found(
        self, target: Target, inputs: Mapping[str, str] | None = None, seconds: float = 1.0
    ) -> Resolved | Unresolved:
        """Where it is now."""
        return await resolve(self.session.page, target, inputs or {}, time.monotonic() + seconds)

    async def mark(self, target: Target, inputs: Mapping[str, str] | None = None) -> str:
        """The data-mark of what is found, or why nothing is."""
        found = await self.found(target, inputs)
        if isinstance(found, Unresolved):
            return found.kind
        return await found.locator.get_attribute("data-mark") or ""


@pytest.fixture
def stage(session: Session, pages: Pages) -> Stage:
    """A page to play on."""
    return Stage(session, pages)


def finder(text: str = "Do it", **values: str) -> Finder:
    """A distiller's finder whose goal and inputs are these."""
    inputs = Inputs(tuple(Input(name, value, {"type": "string"}) for name, value in values.items()))
    return Finder(inputs, Goal(text=text, target="http://127.0.0.1"))


def acting(seen: TargetSeen, text: str = "Do it", **values: str) -> Target:
    """The target of an action."""
    return finder(text, **values).acting(seen)


ROWS = "<table><tr><th>Number<th>Name<th></tr>{}</table>"


def row(number: str, name: str) -> str:
    """A row whose button says nothing of its own."""
    return f"<tr><td>{number}<td>{name}<td><button data-mark={number}>Open</button></tr>"


async def test_the_input_chooses_the_row_wherever_it_stands(stage: Stage) -> None:
    """Identical buttons in rows: the row that holds the input is meant, in any order and for other inputs."""
    rows = [row("1001", "Ann"), row("1002", "Bob"), row("1003", "Cy")]
    await stage.show(ROWS.format("".join(rows)))
    target = acting(await stage.seen("button >> nth=1"), memberId="1002")
    await stage.show(ROWS.format("".join(reversed(rows))))
    assert await stage.mark(target, {"memberId": "1002"}) == "1002"
    assert await stage.mark(target, {"memberId": "1003"}) == "1003"
    assert await stage.mark(target, {"memberId": "1009"}) == "drift"


async def test_one_row_at_discovery_is_still_chosen_by_the_input(stage: Stage) -> None:
    """A search that found one row: the plain button is unique, but another row's button must not pass for it."""
    await stage.show(ROWS.format(row("1002", "Bob")))
    target = acting(await stage.seen("button"), memberId="1002")
    await stage.show(ROWS.format(row("1003", "Cy")))
    assert await stage.mark(target, {"memberId": "1002"}) == "drift"


async def test_a_word_beside_the_rows_key_does_not_matter(stage: Stage) -> None:
    """The link in a cell says the key; a badge before it is new. A row that only mentions the key is another."""
    rows = "<table>{}<tr><td>Ann<td><button data-mark=ann>Open</button></tr></table>"
    await stage.show(rows.format("<tr><td><a href=/1>1002</a><td><button data-mark=it>Open</button></tr>"))
    target = acting(await stage.seen("button >> nth=0"), memberId="1002")
    badge = "<tr><td>About 1002<td><button>Open</button></tr>"
    await stage.show(rows.format(badge + "<tr><td><b>New</b> <a href=/1>1002</a><td><button data-mark=it>Open</button></tr>"))
    assert await stage.mark(target, {"memberId": "1002"}) == "it"


async def test_a_row_that_only_run_data_tells_apart_is_refused(stage: Stage) -> None:
    """Nothing of the goal or the inputs is in the row: no locator would be safe, so there is no target."""
    await stage.show(ROWS.format(row("1001", "Ann") + row("1002", "Bob")))
    with pytest.raises(DistillRefused, match="data of this run"):
        acting(await stage.seen("button >> nth=1"))


@pytest.mark.parametrize(
    ("before", "after"),
    [("Cart (3)", "Cart (12)"), ("Pay $12.40", "Pay $1,310.00"), ("Due May 29, 2026", "Due June 3, 2027")],
)
async def test_numbers_in_a_name_are_left_open(stage: Stage, before: str, after: str) -> None:
    """A count, a price or a date in a button's name is the run's, its words are the button's."""
    page = "<button data-mark=it>{}</button><button>Other 7</button>"
    await stage.show(page.format(before))
    target = acting(await stage.seen("button >> nth=0"))
    assert before not in target.model_dump_json()
    await stage.show(page.format(after))
    assert await stage.mark(target) == "it"


async def test_generated_ids_and_classes_are_not_kept(stage: Stage) -> None:
    """Ids and classes that are new at every load are no locator; the element is found by what it says."""
    page = '<form><label>Name <input id="{0}" name="{0}" class="css-{0}" data-mark=it></label></form>'
    await stage.show(page.format("ember482"))
    target = acting(await stage.seen("input"))
    assert "ember" not in target.model_dump_json() and "css" not in target.model_dump_json()
    await stage.show(page.format("lk-3f9a12b7"))
    assert await stage.mark(target) == "it"


async def test_save_and_delete_swapped_follows_the_label(stage: Stage) -> None:
    """The same ids and places with their labels swapped: the label is followed, never the place."""
    page = "<button id=first data-mark={0}>{0}</button><button id=second data-mark={1}>{1}</button>"
    await stage.show(page.format("Save", "Delete"))
    target = acting(await stage.seen("#first"))
    await stage.show(page.format("Delete", "Save"))
    assert await stage.mark(target) == "Save"


async def test_same_place_other_meaning_is_drift(stage: Stage) -> None:
    """The id is there but the button says something else now: that is not the button."""
    await stage.show("<button id=go>Save</button>")
    target = acting(await stage.seen("#go"))
    await stage.show("<button id=go>Delete</button>")
    found = await stage.found(target)
    assert isinstance(found, Unresolved) and found.kind == "drift" and "Delete" in found.seen


async def test_one_match_that_became_two_is_ambiguous(stage: Stage) -> None:
    """A weaker locator would still find one of them: it is not asked."""
    await stage.show("<button id=go>Save</button>")
    target = acting(await stage.seen("button"))
    await stage.show("<button id=go>Save</button><button>Save</button>")
    assert await stage.mark(target) == "ambiguous"


async def test_a_hidden_twin_does_not_count(stage: Stage) -> None:
    """Only what a person can see and use is a match."""
    await stage.show("<button data-mark=it>Save</button>")
    target = acting(await stage.seen("button"))
    await stage.show(
        "<button hidden>Save</button><button style='visibility:hidden'>Save</button><button data-mark=it>Save</button>"
    )
    assert await stage.mark(target) == "it"


@pytest.mark.parametrize(
    "name",
    ["Save\u00a0changes", "save  CHANGES", "Sa\u200bve cha\u00adnges", "\ue001 Save changes", "\u2066Save changes\u2069"],
)
async def test_white_space_case_and_invisible_characters_do_not_matter(stage: Stage, name: str) -> None:
    """No-break spaces, zero-width, bidi and icon-font characters: the same words are the same name."""
    await stage.show("<button data-mark=it>Save changes</button>")
    target = acting(await stage.seen("button"))
    await stage.show(f"<button data-mark=it>{name}</button><button>Save</button>")
    assert await stage.mark(target) == "it"


async def test_a_longer_name_is_another_name(stage: Stage) -> None:
    """`Save` is not `Save as`: exactness is decided by us, not by a substring."""
    await stage.show("<button>Save</button>")
    target = acting(await stage.seen("button"))
    await stage.show("<button>Save as</button>")
    assert await stage.mark(target) == "drift"


async def test_another_form_action_is_drift(stage: Stage) -> None:
    """The same label that now posts somewhere else is not the same button."""
    page = "<form method=post action=/{}><button data-mark=it>Send</button></form>"
    await stage.show(page.format("transfer"))
    target = acting(await stage.seen("button"))
    await stage.show(page.format("close-account"))
    assert await stage.mark(target) == "drift"


async def test_a_password_field_is_never_a_text_field(stage: Stage) -> None:
    """A field of the same label that became a password field is not typed into."""
    await stage.show("<label>Code <input name=code></label>")
    target = acting(await stage.seen("input"))
    await stage.show("<label>Code <input name=code type=password></label>")
    found = await stage.found(target)
    assert isinstance(found, Unresolved) and found.login


@pytest.mark.parametrize("kind", ["tel", "email", "search", "url"])
async def test_text_like_types_are_one_kind_of_field(stage: Stage, kind: str) -> None:
    """text, tel, email and search fields with the same label are the same field."""
    await stage.show("<label>Contact <input data-mark=it></label>")
    target = acting(await stage.seen("input"))
    await stage.show(f"<label>Contact <input type={kind} data-mark=it></label>")
    assert await stage.mark(target) == "it"


CELLS = "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>"


async def test_a_cell_is_found_by_its_headers_after_columns_moved(stage: Stage) -> None:
    """Row by the goal's word, column by its header: the amount itself is in no locator."""
    head = "<th>Type<th>Opened<th>Balance"
    await stage.show(CELLS.format(head, "<tr><td>Savings<td>2020<td>$12.00</tr><tr><td>Checking<td>2021<td>$7.00</tr>"))
    seen = await stage.seen("td >> nth=2")
    target = finder("Read the savings balance").reading(seen)
    assert "12" not in target.model_dump_json()
    moved = "<tr><td data-mark=it>$99.00<td>Checking<td>2021</tr><tr><td data-mark=yes>$5.50<td>Savings<td>2020</tr>"
    await stage.show(CELLS.format("<th>Balance<th>Type<th>Opened", moved))
    assert await stage.mark(target) == "yes"


async def test_aria_tables_and_key_value_tables_are_tables(stage: Stage) -> None:
    """Cells are found in role=table markup, and beside a row header where there are no columns."""
    grid = "<div role=table><div role=row><b role=columnheader>Kind</b><b role=columnheader>Sum</b></div>{}</div>"
    await stage.show(grid.format("<div role=row><i role=cell>Gold</i><i role=cell data-mark=it>4</i></div>"))
    target = finder("Read the gold sum").reading(await stage.seen("[data-mark=it]"))
    assert target.locators[0].by == "cell" and await stage.mark(target) == "it"
    await stage.show("<table><tr><th scope=row>Phone<td data-mark=it>555</tr><tr><th scope=row>Fax<td>666</tr></table>")
    target = finder().reading(await stage.seen("td >> nth=0"))
    assert target.locators[0].value == "Phone" and await stage.mark(target) == "it"


async def test_a_value_is_found_after_its_label(stage: Stage) -> None:
    """A term and its description, or two spans: the label finds the value, the value does not."""
    await stage.show("<dl><dt>Reference</dt><dd data-mark=it>TR-20931</dd><dt>Memo</dt><dd>x</dd></dl>")
    target = finder().reading(await stage.seen("dd >> nth=0"))
    assert "20931" not in target.model_dump_json()
    await stage.show(
        "<div><p><span>Memo</span> <span>y</span></p><p><span>Reference:</span> <span data-mark=it>TR-1</span></p></div>"
    )
    assert await stage.mark(target) == "it"


async def test_nested_frames_are_part_of_the_place(stage: Stage) -> None:
    """A button in a frame in a frame is found there, and the same button outside is not taken for it."""
    stage.pages["/inner"] = "<button data-mark=deep>Go</button>"
    stage.pages["/outer"] = "<button data-mark=mid>Go</button><iframe title=Inner src=/inner></iframe>"
    await stage.show("<button data-mark=top>Go</button><iframe name=outer src=/outer></iframe>")
    inner = stage.session.page.frame_locator("iframe").frame_locator("iframe").locator("button")
    target = acting(await stage.seen(inner))
    assert target.fingerprint.frames == ("name=outer", "title=Inner")
    assert await stage.mark(target) == "deep"
    await stage.show("<button data-mark=top>Go</button>")
    assert await stage.mark(target) == "drift"


async def test_a_slow_frame_is_waited_for(stage: Stage) -> None:
    """A frame whose document comes late is not gone."""
    stage.pages["/late"] = "<button data-mark=it>Go</button>"
    await stage.show("<iframe name=side src=/late></iframe>")
    target = acting(await stage.seen(stage.session.page.frame_locator("iframe").locator("button")))
    stage.pages.delay["/late"] = 1.0
    stage.pages["/page"] = "<iframe name=side src=/late></iframe>"
    await stage.session.page.goto(f"{stage.pages.url}/page", wait_until="commit")
    found = await stage.found(target, seconds=8)
    assert isinstance(found, Resolved)


async def test_open_shadow_roots_are_looked_into(stage: Stage) -> None:
    """A field and a button in nested open shadow roots are described and found; outside the same words are found too."""
    field = "<label>City <input data-mark=it></label>"
    root = "<x-{0}><template shadowrootmode=open>{1}</template></x-{0}>"
    await stage.show(root.format("a", root.format("b", field)))
    target = acting(await stage.seen("input"))
    assert await stage.mark(target) == "it"
    await stage.show("<label>City <input data-mark=light></label>")
    assert await stage.mark(target) == "light"


async def test_what_is_drawn_late_is_waited_for(stage: Stage) -> None:
    """An element that appears after a while is found when it is there, and enabled."""
    await stage.show("<button data-mark=it>Go</button>")
    target = acting(await stage.seen("button"))
    await stage.show(
        "<p id=p></p><script>setTimeout(() => { p.innerHTML = '<button disabled>Go</button>' }, 150);"
        "setTimeout(() => { p.firstChild.disabled = false; p.firstChild.dataset.mark = 'it' }, 400)</script>"
    )
    assert await stage.mark(target) == "it"


async def test_a_replaced_node_is_found_again_when_acting(stage: Stage) -> None:
    """Between finding and clicking the node was made anew: the locator holds the conditions and finds the new one."""
    await stage.show("<div id=d><button>Go</button></div>")
    found = await stage.found(acting(await stage.seen("button")))
    assert isinstance(found, Resolved)
    await stage.session.page.evaluate("d.innerHTML = '<button onclick=\"document.title = 1\">Go</button>'")
    await found.locator.click()
    assert await stage.session.page.title() == "1"


async def test_what_turned_into_something_else_is_not_clicked(stage: Stage) -> None:
    """Between finding and clicking the button became another: the click does not happen."""
    await stage.show("<div id=d><button>Go</button></div>")
    found = await stage.found(acting(await stage.seen("button")))
    assert isinstance(found, Resolved)
    await stage.session.page.evaluate("d.innerHTML = '<button onclick=\"document.title = 1\">Delete</button>'")
    assert await found.locator.count() == 0


async def test_a_click_waits_for_the_pages_own_scripts(stage: Stage) -> None:
    """A button whose handler comes with a deferred script is not clicked before that script ran."""
    from starlette.responses import Response

    stage.pages["/late.js"] = Response(
        "document.querySelector('button').onclick = () => { document.title = 'asked' }", media_type="text/javascript"
    )
    stage.pages.delay["/late.js"] = 0.7
    await stage.show("<button>Go</button><script src=/late.js defer></script>")
    target = acting(await stage.seen("button"))
    await stage.session.page.goto(f"{stage.pages.url}/page", wait_until="commit")
    found = await stage.found(target, seconds=8)
    assert isinstance(found, Resolved)
    await found.locator.click()
    assert await stage.session.page.title() == "asked"


CHANGES: dict[str, Any] = {
    "wrapped": "<div><div><span><button data-mark=it>Send</button></span></div></div>",
    "sibling inserted": "<p>New</p><button>Help</button><button data-mark=it>Send</button>",
    "banner on top": "<div role=alert>Hello</div><button data-mark=it>Send</button>",
    "id and class gone": "<button data-mark=it>Send</button>",
    "tag swapped, same role": "<div role=button tabindex=0 data-mark=it>Send</div>",
    "icon inside": "<button data-mark=it><svg aria-hidden=true width=5 height=5></svg> Send</button>",
    "case and quotes": "<button data-mark=it>SEND</button>",
}


@pytest.mark.parametrize("change", CHANGES)
async def test_changes_that_keep_the_meaning_are_survived(stage: Stage, change: str) -> None:
    """What only moved, was wrapped or was made otherwise is still found."""
    await stage.show("<button id=send class=primary data-testid=send>Send</button><button>Help</button>")
    target = acting(await stage.seen("#send"))
    await stage.show(CHANGES[change])
    assert await stage.mark(target) == "it"
