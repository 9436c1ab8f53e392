import re

import pytest
from playwright.async_api import expect

from engine.domain.capability import Capability
from engine.errors import CapabilityInvalid
from engine.web.edit import edited, input_type
from tests.web.serving import Served
from tests.web.visitors import Visitors


def draft() -> Capability:
    """Two inputs and one output, named in every place where a name may stand."""
    target = {"description": "row {{number}}", "locators": [{"by": "text", "value": "{{number}}"}], "fingerprint": {}}
    steps = [
        {"id": "s1", "action": "type", "target": target, "value": "{{number}} of {{day}}, {{secret.pin}}"},
        {"id": "s2", "action": "extract", "extract": [{"output": "total", "kind": "text", "target": target}]},
    ]
    inputs = {
        "number": {"type": "string", "minLength": 1, "examples": ["100231"], "title": "Number"},
        "day": {"type": "string", "format": "date", "examples": ["2026-01-02"], "description": "When"},
        "pin": {"type": "string", "x-secret": True},
    }
    return Capability.model_validate(
        {
            "id": "one", "version": "1.0.0", "title": "t", "description": "About {{number}}", "target": "http://127.0.0.1:9",
            "inputs": {"type": "object", "properties": inputs, "required": ["number", "day", "pin"]},
            "outputs": {"type": "object", "properties": {"total": {"type": "string"}}, "required": ["total"]},
            "steps": steps, "checkpoint": [{"kind": "url", "value": "/{{number}}"}], "riskClass": "read_only",
            "provenance": {"proof": [{"inputs": {"number": "1"}, "ending": "ok", "outputsSha256": "0", "millis": 1}]},
        }
    )  # fmt: skip


def test_a_name_changes_everywhere_and_two_may_change_places() -> None:
    """Steps, locators, checkpoint, description, proofs and what is required; secrets keep theirs."""
    fields = {"inputs-number-name": "day", "inputs-day-name": "number", "outputs-total-name": "sum"}
    one = edited(draft(), fields, {})
    assert one.steps[0].value == "{{day}} of {{number}}, {{secret.pin}}"
    assert one.steps[0].target and one.steps[0].target.locators[0].value == "{{day}}"
    assert (one.checkpoint[0].value, one.description) == ("/{{day}}", "About {{day}}")
    assert one.inputs["required"] == ["day", "number", "pin"] and set(one.inputs["properties"]) == {"day", "number", "pin"}
    assert one.inputs["properties"]["day"]["title"] == "Number" and one.provenance.proof[0].inputs == {"day": "1"}
    assert one.steps[1].extract[0].output == "sum" and one.outputs["required"] == ["sum"]


def test_a_type_changes_for_the_caller_and_for_the_reading() -> None:
    """The schema takes the new type and keeps its words; the parser reads it."""
    one = edited(draft(), {"inputs-number-type": "integer", "outputs-total-type": "decimal"}, {"total": "1,204.50"})
    number = one.inputs["properties"]["number"]
    assert number == {"type": "integer", "title": "Number", "examples": [100231]} and input_type(number) == "integer"
    assert one.steps[1].extract[0].parser.type == "decimal" and one.outputs["properties"]["total"]["format"] == "decimal"
    assert edited(draft(), {"inputs-day-type": "date"}, {}) == draft()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"inputs-number-name": "day"}, "There are two of the name day."),
        ({"inputs-number-name": "9 lives"}, "“9 lives” is no name"),
        ({"inputs-number-type": "date"}, "Input number: '100231' is not a 'date'"),
        ({"outputs-total-type": "date"}, "total: '1,204.50' is not a date."),
        ({"title": "x" * 201}, "title: String should have at most 200 characters."),
    ],
)
def test_what_does_not_fit_the_run_is_refused(fields: dict[str, str], why: str) -> None:
    """Names that collide, and types that the run's own values are not of."""
    with pytest.raises(CapabilityInvalid, match=re.escape(why)):
        edited(draft(), fields, {"total": "1,204.50"})


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_names_and_types_are_edited_by_keyboard(stocked: tuple[Served, str, str], visitors: Visitors) -> None:
    """A new major version whose page still finds what the run read; what does not fit is said, and what was written stays."""
    served, reading, _ = stocked
    page = await visitors.page(served, "rick")
    await page.goto(f"{served.url}/admin/capabilities/{reading}/1.0.0")
    await page.get_by_text("Change words, names, types").focus()
    await page.keyboard.press("Enter")
    for group, name, kind in (("Input memberNumber", "member", "integer"), ("Output savingsBalance", "savings", "date")):
        box = page.get_by_role("group", name=group)
        await box.get_by_label("Name").focus()
        await page.keyboard.press("Control+A")
        await page.keyboard.type(name)
        await page.keyboard.press("Tab")
        await page.keyboard.type({"integer": "whole", "date": "date"}[kind])
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Make a new draft").press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("is not a date")
    box = page.get_by_role("group", name="Output savingsBalance")
    assert await box.get_by_label("Name").input_value() == "savings"
    await box.get_by_label("Type").focus()
    await page.keyboard.type("amount")
    await page.get_by_role("button", name="Make a new draft").press("Enter")
    await page.wait_for_url(re.compile(r"/2\.0\.0$"))
    await expect(page.get_by_role("heading", name="Nothing stands out")).to_be_visible()
    assert await page.locator("#review-steps svg.shot .tag").all_text_contents() == ["savings", "checkingBalance"]
    await expect(page.locator("section[aria-labelledby=outputs] tbody tr", has_text="savings").first).to_contain_text("$")
    assert served.admin.reviewing.store.load(f"{reading}@2.0.0").inputs["properties"]["member"]["type"] == "integer"
