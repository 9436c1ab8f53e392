from typing import Any

import pytest

from engine.domain.capability import Capability
from engine.review.diff import Diff, diff
from tests.capabilities import button, paying, reading


def with_step(one: Capability, number: int, **changed: Any) -> Capability:
    """The capability with fields of one step changed."""
    content = one.model_dump(mode="json", by_alias=True)
    content["steps"][number - 1].update(changed)
    return Capability.model_validate(content)


def with_inputs(properties: dict[str, Any], required: list[str]) -> Capability:
    """Other inputs."""
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return reading(inputs=schema)


CUSTOMER = {"customer": {"type": "string"}, "pin": {"type": "string", "x-secret": True}}
REQUIRED = ["customer", "pin"]


def told(found: Diff) -> list[tuple[str, str, str]]:
    """Side, area and bump of each change."""
    return [(change.side, change.area, change.bump) for change in found.changes]


def test_a_version_does_not_differ_from_itself() -> None:
    """Also when only its review and its provenance are others."""
    other = reading(reviewed=True, provenance={"why": "tried again"})
    assert diff(reading(), other) == Diff(before="read-balance@1.0.0", after="read-balance@1.0.0", changes=())
    assert diff(reading(), other).bump is None
    assert "no new version" in diff(reading(), other).text()


@pytest.mark.parametrize(
    ("after", "bump", "what"),
    [
        (with_inputs({**CUSTOMER, "branch": {"type": "string"}}, REQUIRED), "minor", "added, optional"),
        (with_inputs({**CUSTOMER, "branch": {"type": "string"}}, [*REQUIRED, "branch"]), "major", "added, required"),
        (with_inputs({"customer": {"type": "string"}}, ["customer"]), "major", "removed"),
        (with_inputs({**CUSTOMER, "customer": {"type": "integer"}}, REQUIRED), "major", "type changed"),
        (with_inputs({**CUSTOMER, "pin": {"type": "string"}}, REQUIRED), "major", "x-secret changed"),
        (with_inputs({**CUSTOMER, "customer": {"type": "string", "examples": ["7"]}}, REQUIRED), "patch", "examples changed"),
        (with_inputs(CUSTOMER, ["customer"]), "minor", "is no longer required"),
    ],
)
def test_inputs_are_compared_as_a_caller_meets_them(after: Capability, bump: str, what: str) -> None:
    """What breaks a call is major, what a call may use is minor, what only explains is a patch."""
    (change,) = diff(reading(), after).changes
    assert (change.side, change.area, change.bump, change.what) == ("caller", "inputs", bump, what)


@pytest.mark.parametrize(
    ("properties", "required", "bump"),
    [
        ({"balance": {"type": "string"}, "currency": {"type": "string"}}, ["balance"], "minor"),
        ({}, [], "major"),
        ({"balance": {"type": "number"}}, ["balance"], "major"),
        ({"balance": {"type": "string"}}, [], "major"),
    ],
)
def test_outputs_are_compared_as_a_caller_meets_them(properties: dict[str, Any], required: list[str], bump: str) -> None:
    """A new output is minor; one that is gone, other, or not promised any more is major."""
    found = diff(reading(), reading(outputs={"type": "object", "properties": properties, "required": required}))
    assert found.bump == bump
    assert {change.area for change in found.changes} == {"outputs"}


def test_what_moved_on_the_page_is_told_apart_from_what_a_caller_sees() -> None:
    """Another locator, fingerprint, condition and checkpoint: all on the page, all together a patch."""
    moved = with_step(reading(), 4, target=button("Find", {"by": "test_id", "value": "find"}, region="form search"), expect=[])
    after = moved.model_copy(update={"checkpoint": reading(checkpoint=[{"kind": "url", "value": "^/x$"}]).checkpoint})
    found = diff(reading(), after)
    assert found.on("caller") == ()
    assert [change.area for change in found.on("page")] == ["locators", "fingerprint", "conditions", "conditions"]
    assert found.bump == "patch"
    text = found.text()
    assert "For whoever calls it\n  nothing" in text
    assert 'button "Find"; test id "find"' in text


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"effect": "idempotent"}, "effect"),
        ({"target": button("Pay", formMethod="post", formAction="^/refund$")}, "where its form is sent"),
        ({"dialog": {"type": "confirm", "message": "^Sure", "answer": "accept"}}, "answer to a dialog"),
    ],
)
def test_another_effect_is_for_the_caller_and_major(changed: dict[str, Any], what: str) -> None:
    """The effect's class, the address its form is sent to, the answer to a confirmation."""
    found = diff(paying(), with_step(paying(), 3, **changed)).on("caller")
    assert [(change.area, change.bump) for change in found] == [("effects", "major")]
    assert found[0].what == what


def test_a_constant_that_is_typed_is_what_is_done() -> None:
    """From the caller's amount to a fixed one: nothing of the inputs' schema changed, and yet all of the meaning."""
    found = diff(paying(), with_step(paying(), 2, value="1000"))
    assert told(found) == [("caller", "effects", "major")]
    assert found.changes[0].sentence == 'step s2 (textbox "Amount"): what is put in: {{amount}} → 1000'


def test_steps_that_came_or_went_are_told_by_what_they_do() -> None:
    """A new commit is major for the caller; a click on the way is the page's own affair."""
    commit = {"id": "s4", "action": "click", "target": button("Confirm"), "effect": "commit"}
    click = {"id": "s9", "action": "click", "target": button("Close banner"), "optional": True}
    steps = paying().model_dump(mode="json", by_alias=True)["steps"]
    assert told(diff(paying(), paying(steps=[*steps, commit]))) == [("caller", "effects", "major")]
    assert told(diff(paying(steps=[*steps, commit]), paying())) == [("caller", "effects", "major")]
    assert told(diff(paying(), paying(steps=[steps[0], click, *steps[1:]]))) == [("page", "steps", "patch")]


def test_numbering_steps_anew_changes_nothing() -> None:
    """Steps are paired by what they do, not by their ids."""
    steps = paying().model_dump(mode="json", by_alias=True)["steps"]
    renamed = paying(steps=[{**step, "id": f"x{number}"} for number, step in enumerate(steps)])
    assert diff(paying(), renamed).changes == ()


def test_reading_a_value_otherwise_is_for_the_caller_and_elsewhere_is_for_the_page() -> None:
    """The parser makes the value; the cell's address does not."""
    extract = reading().model_dump(mode="json", by_alias=True)["steps"][4]["extract"][0]
    locale = {**extract, "parser": {"type": "text", "locale": "de_DE"}}
    target = {**extract["target"], "locators": [{"by": "cell", "value": "Deposit", "column": "Available"}]}
    assert told(diff(reading(), with_step(reading(), 5, extract=[locale]))) == [("caller", "outputs", "major")]
    assert told(diff(reading(), with_step(reading(), 5, extract=[{**extract, "target": target}]))) == [
        ("page", "locators", "patch")
    ]


@pytest.mark.parametrize(
    ("changed", "area", "bump"),
    [
        ({"riskClass": "reversible"}, "risk", "major"),
        ({"target": "http://127.0.0.1:2"}, "target", "major"),
        ({"title": "Read one balance"}, "text", "patch"),
    ],
)
def test_risk_target_and_words_are_for_the_caller(changed: dict[str, Any], area: str, bump: str) -> None:
    """Each named, each with its weight."""
    assert told(diff(reading(), reading(**changed))) == [("caller", area, bump)]


def test_every_field_of_a_version_is_compared() -> None:
    """Nothing that the digest covers can change without a change in the diff; only names of steps and records of origin may."""
    ignored = {"schemaVersion", "id", "version", "provenance", "reviewed", "review"}
    compared = {"title", "description", "target", "inputs", "outputs", "steps", "checkpoint", "riskClass"}
    assert set(reading().model_dump(by_alias=True)) == ignored | compared
    step = {"id", "action", "target", "value", "match", "effect", "expect", "dialog", "optional", "extract"}
    assert set(reading().steps[0].model_dump(by_alias=True)) == step
