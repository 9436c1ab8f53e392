import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole
from engine.domain.capability import Capability
from tests.web.serving import Served, serve
from tests.web.visitors import Visitors

Stocked = tuple[Served, str, str]
Content = dict[str, Any]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def at(content: Content, action: str, which: int = 0) -> Content:
    """A step of the draft by its action."""
    found: Content = [step for step in content["steps"] if step["action"] == action][which]
    return found


def typed(content: Content) -> Content:
    """The step that types the member's number."""
    return next(step for step in content["steps"] if step["value"] == "{{memberNumber}}")


def wrong_row(content: Content) -> None:
    for extractor in at(content, "extract")["extract"]:
        if extractor["output"] == "savingsBalance":
            for locator in extractor["target"]["locators"]:
                locator["value"] = "Checking"


def literal(content: Content) -> None:
    typed(content)["value"] = "100231"


def everywhere(content: Content) -> None:
    content["checkpoint"] = [{"kind": "url", "value": "/.*"}]


def understated(content: Content) -> None:
    content["riskClass"] = "read_only"
    at(content, "click", -1)["effect"] = "idempotent"


def out_of_place(content: Content) -> None:
    steps = content["steps"]
    place = steps.index(typed(content))
    steps[place], steps[place + 1] = steps[place + 1], steps[place]


PLANTED: list[tuple[Callable[[Content], None], bool, str]] = [
    (wrong_row, False, "“savingsBalance” is read from"),
    (literal, False, "“100231” is fixed here, although it is the example of the input memberNumber"),
    (everywhere, False, "The checkpoint is true on every page that the run saw, so it proves nothing."),
    (understated, True, "The risk class says “reads only”, but in the discovery run step"),
    (out_of_place, False, "Out of place: the discovery run did this as its step"),
]


def planted(served: Served, name: str, plant: Callable[[Content], None]) -> str:
    """A draft with a fault, as a further version; its address."""
    store = served.admin.reviewing.store
    content = store.load(f"{name}@1.0.0").model_dump(mode="json", by_alias=True)
    plant(content)
    draft = Capability.model_validate({**content, "version": "1.0.1"})
    store.keep(draft)
    return f"{served.url}/admin/capabilities/{name}/{draft.version}"


@pytest.mark.parametrize(("plant", "moves", "sentence"), PLANTED, ids=[each[0].__name__ for each in PLANTED])
async def test_a_planted_fault_is_plain(
    stocked: Stocked, visitors: Visitors, plant: Callable[[Content], None], moves: bool, sentence: str
) -> None:
    """Said at the top of the page in a sentence, without raw JSON; the diff shows it too."""
    served, reading, moving = stocked
    page = await visitors.page(served, "mona")
    await page.goto(planted(served, moving if moves else reading, plant))
    top = page.locator("section[aria-labelledby=doubts]")
    await expect(top.locator("li.grave", has_text=sentence).first).to_be_visible()
    assert await page.locator("table.diff tbody tr").count() > 0


async def test_a_right_draft_raises_no_false_alarm(stocked: Stocked, visitors: Visitors) -> None:
    """The draft that reads has nothing grave; its picture outlines what each step acts on."""
    served, reading, _ = stocked
    page = await visitors.page(served, "mona")
    await page.goto(f"{served.url}/admin/capabilities/{reading}/1.0.0")
    await expect(page.get_by_role("heading", name="Nothing stands out")).to_be_visible()
    assert await page.locator("#review-steps svg.shot .box").count() >= 8
    assert await page.locator("#review-steps svg.shot .tag").all_text_contents() == ["savingsBalance", "checkingBalance"]
    width = await page.locator("#review-steps svg.shot image").first.evaluate("(image) => image.getBBox().width")
    assert width == 1280


async def test_all_of_it_by_keyboard(stocked: Stocked, visitors: Visitors) -> None:
    """Skip link, steps by j and k, the comment and the decision, without a pointer."""
    served, reading, _ = stocked
    page = await visitors.page(served, "mona")
    await page.goto(f"{served.url}/admin/capabilities/{reading}/1.0.0")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    await page.keyboard.press("Enter")
    steps = page.locator("#review-steps > li")
    await page.locator("#review-steps a.number").first.focus()
    await page.keyboard.press("j")
    await expect(steps.nth(1)).to_be_focused()
    await page.keyboard.press("j")
    await page.keyboard.press("k")
    await expect(steps.nth(1)).to_be_focused()
    for _ in range(200):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.name === 'comment'"):
            break
    await page.keyboard.type("by keyboard alone, j and k included")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_text("“by keyboard alone, j and k included”").first).to_be_visible()
    assert served.admin.reviewing.meant(reading).reviewed


async def test_of_two_who_decide_one_wins(stocked: Stocked) -> None:
    """The other gets 409 and the page as it is now."""
    served, reading, _ = stocked
    digest = served.admin.reviewing.store.load(reading).digest
    path = f"/admin/capabilities/{reading}/1.0.0/decide"
    async with served.signed_in("mona") as mona, served.signed_in("max") as other:
        first = await mona.post(path, data=served.form(mona, {"answer": "approve", "digest": digest}))
        second = await other.post(path, data=served.form(other, {"answer": "reject", "digest": digest}))
        assert (first.status_code, second.status_code) == (303, 409)
        assert "by mona" in second.text


async def test_a_decision_is_about_what_was_seen(stocked: Stocked) -> None:
    """Another digest than the content's own is refused, and nothing is approved."""
    served, reading, _ = stocked
    path = f"/admin/capabilities/{reading}/1.0.0/decide"
    async with served.signed_in("mona") as mona:
        for digest in ("0" * 64, ""):
            response = await mona.post(path, data=served.form(mona, {"answer": "approve", "digest": digest}))
            assert response.status_code == 409 and "no longer what was looked at" in response.text
    assert served.admin.reviewing.approved() == ()


async def test_locators_are_counted_on_a_live_target(sample: tuple[Path, str, str], tmp_path: Path, visitors: Visitors) -> None:
    """One click: how many elements each way finds now, up to the first effect, and nothing is done by it."""
    shutil.copytree(sample[0], tmp_path / "home")
    secrets = {"CAPWRIGHT_SECRET_USER": DEMO_USER, "CAPWRIGHT_SECRET_PASSWORD": DEMO_PASSWORD}
    async with serve(tmp_path / "home", environment=secrets) as served, TellerConsole() as console:
        page = await visitors.page(served, "rick")
        await page.goto(f"{served.url}/admin/capabilities/{sample[2]}/1.0.0")
        await page.get_by_role("textbox", name="Where").fill(console.url)
        await page.get_by_role("button", name="Count what every way finds").click()
        await expect(page.locator("#tried").get_by_text("ok", exact=True)).to_be_visible(timeout=60_000)
        counts = await page.locator(".locators .state").all_inner_texts()
        assert len(counts) > 20 and set(counts) == {"found now: 1"}
        assert "transfer" not in {each.kind for each in console.operations()}


async def test_a_changed_file_is_neither_replayed_nor_counted(stocked: Stocked) -> None:
    """What was decided about and changed since is shown as such, and does not run."""
    served, reading, _ = stocked
    store = served.admin.reviewing.store
    served.admin.reviewing.approve(reading, by="mona", comment="")
    file = store.path(reading, "1.0.0")
    file.write_text(file.read_text().replace("Savings", "Checking"))
    path = f"/admin/capabilities/{reading}/1.0.0"
    async with served.signed_in("mona") as client:
        assert "The file is not what was decided about." in (await client.get(path)).text
        for way in ("", "count"):
            fields = served.form(client, {"way": way, "input-memberNumber": "100231", "target": "http://127.0.0.1:9"})
            assert "the file is not what was reviewed" in (await client.post(f"{path}/try", data=fields)).text
