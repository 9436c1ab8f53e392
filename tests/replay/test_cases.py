"""Widgets that are hard to act on, replayed in a real browser: what must be chosen is chosen, or nothing is."""

from pathlib import Path

from starlette.responses import Response

from engine.browser.element import Element
from engine.browser.launch import Browser
from engine.browser.session import Session
from engine.domain.capability import CapabilityStep, Fingerprint, Locator, Target
from tests.pages import Pages
from tests.replay.kit import button, click, element, ended, made, reading, text

COMBO = """<input role=combobox aria-label=City><ul role=listbox aria-label=Cities></ul><script>
const [box, list] = [document.querySelector('input'), document.querySelector('ul')];
const draw = (names) => { list.innerHTML = names.map((name) => `<li role=option>${name}</li>`).join('');
  for (const each of list.children)
    each.onclick = () => { box.value = each.textContent; document.body.append('chose ' + each.textContent) } };
box.oninput = () => { draw(['Bernau', 'Bergen']); setTimeout(() => draw(['Bernau', 'Bern', 'Bergen']), 400) };
</script>"""


def typing(target: Target, value: str, number: str = "s1") -> CapabilityStep:
    """Type a value."""
    return CapabilityStep(id=number, action="type", target=target, value=value)


async def test_an_async_combobox_with_a_wrong_first_option(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """The first suggestion is another city and the right one comes late: the right one is chosen, or none."""
    pages["/"] = COMBO
    steps = (
        typing(element("combobox", "City"), "{{who}}"),
        click(element("option", "{{who}}"), text("chose {{who}}"), id="s2"),
    )
    result = await ended(browser, pages.url, tmp_path, made(*steps), {"who": "Bern"}, step_seconds=3.0)
    assert result.ending == "ok", result
    assert (await ended(browser, pages.url, tmp_path, made(*steps), {"who": "Basel"})).ending == "drift"


async def test_date_pickers(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """A native date field takes its date; a calendar's day is taken in the month that is meant, not in the one beside it."""
    months = "".join(
        f"<div role=group aria-label='{month} 2026'><button onclick=\"document.body.append('{month} ' + this.textContent)\">29"
        "</button></div>"
        for month in ("May", "June")
    )
    pages["/"] = f"<input type=date aria-label=From>{months}"
    day = Target(
        description="29 June",
        locators=(Locator(by="role", role="button", value="29", within=Locator(by="region", role="group", value="{{who}}")),),
        fingerprint=Fingerprint(role="button"),
    )
    steps = (typing(element("textbox", "From"), "2026-05-29"), click(day, text("June 29"), id="s2"))
    assert (await ended(browser, pages.url, tmp_path, made(*steps), {"who": "June 2026"})).ending == "ok"
    bare = day.model_copy(update={"locators": (Locator(by="role", role="button", value="29"),)})
    assert (await ended(browser, pages.url, tmp_path, made(click(bare)))).ending == "ambiguous"


async def test_masked_and_digit_eating_inputs(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """A mask that groups digits is fine; a field that eats one stops the replay before anything is sent."""
    page = '<input aria-label=Card oninput="this.value = {}"><button onclick="document.body.append(\'sent\')">Go</button>'
    steps = (typing(element("textbox", "Card"), "12345678"), click(button("Go"), text("sent"), id="s2"))
    grouped = r"this.value.replace(/\D/g, '').replace(/(\d{4})(?=\d)/g, '$1 ')"
    for made_of_it, ending in ((grouped, "ok"), ("this.value.slice(0, 7)", "drift")):
        pages["/"] = page.format(made_of_it)
        assert (await ended(browser, pages.url, tmp_path, made(*steps))).ending == ending


async def test_a_download_in_a_new_tab(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """A link that opens a tab only to start a download: the file is the output."""
    pages["/"] = "<a href=/file target=_blank>Statement</a>"
    kept = {"content-disposition": "attachment; filename=may.csv"}
    pages["/file"] = Response("a,b", media_type="text/csv", headers=kept)
    steps = (click(element("link", "Statement")), reading("file", "file", None))
    result = await ended(browser, pages.url, tmp_path, made(*steps), step_seconds=4.0)
    assert result.ending == "ok" and result.outputs["file"]["name"] == "may.csv", result


async def test_a_hidden_file_input_behind_a_button(session: Session, pages: Pages, tmp_path: Path) -> None:
    """The button opens the chooser of an input that nobody sees: the file arrives in it."""
    file = tmp_path / "form.txt"
    file.write_text("x")
    field = "<input type=file hidden onchange='document.title = this.files[0].name'>"
    pages["/"] = f"{field}<button onclick='this.previousSibling.click()'>Attach</button>"
    await session.open(pages.url)
    await Element(session.page.get_by_role("button"), "button").upload(str(file))
    assert await session.page.title() == "form.txt"


async def test_right_to_left_labels_are_the_same_words(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """A Hebrew label with marks of direction and a no-break space is the label without them."""
    pages["/"] = "<body dir=rtl><button onclick=\"document.body.append('sent')\">\u200fשמור\u00a0הכל\u200e</button>"
    assert (await ended(browser, pages.url, tmp_path, made(click(button("שמור הכל"), text("sent"))))).ending == "ok"
