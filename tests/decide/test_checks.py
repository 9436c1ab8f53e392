"""A decision that parses is still held against the page, the files, the secrets and the tabs."""

import json

import pytest

from engine.decide.checks import checker, refs_of
from engine.decide.vocabulary import KINDS
from engine.domain.action import (
    Action,
    Click,
    Decision,
    Extract,
    GoBack,
    Navigate,
    Press,
    Reading,
    SwitchTab,
    Type,
    Upload,
    Widen,
)
from engine.domain.observation import Tab
from tests.decide.briefs import brief, observation

BRIEF = brief(files=("claim",), observation=observation(tabs=(Tab(index=0, url="http://shop.test", title="Shop"),)))


@pytest.mark.parametrize(
    ("action", "about"),
    [
        (Click(ref="e3"), None),
        (Click(ref="e4"), "e4"),
        (Click(ref="f1e3"), "f1e3"),
        (Widen(ref="@s1"), "@s1"),
        (Press(key="Enter"), None),
        (Press(ref="e9", key="Enter"), "e9"),
        (Extract(readings=(Reading(name="a", ref="e1"), Reading(name="b", ref="e8"))), "e8"),
        (Type(ref="e2", text="77"), None),
        (Type(ref="e2", text="{{secret.shopPassword}}"), None),
        (Type(ref="e2", text="{{secret.other}}"), "other.*shopPassword"),
        (Upload(ref="e2", file="claim"), None),
        (Upload(ref="e2", file="passwd"), "passwd.*claim"),
        (SwitchTab(tab=0), None),
        (SwitchTab(tab=1), "tab 1"),
        (Navigate(url="/x"), None),
        (GoBack(), None),
    ],
)
def test_what_must_be_there_is_there(action: Action, about: str | None) -> None:
    """The objection names what is missing; what is there passes."""
    objection = checker(BRIEF)(Decision(reason="x", action=action))
    if about is None:
        assert objection is None
    else:
        first, *rest = about.split(".*")
        assert objection is not None
        assert all(word in objection for word in (first, *rest))


def test_no_action_hides_its_refs() -> None:
    """A new action with a ref in a field of another name, or deeper down, must be taught to the check."""
    pattern = Click.model_json_schema()["properties"]["ref"]["pattern"]
    for kind in KINDS:
        fields = kind.model_json_schema()["properties"]
        assert {name for name, field in fields.items() if pattern in json.dumps(field).replace("\\\\", "\\")} <= {"ref"}
        assert kind is Extract or pattern not in json.dumps(kind.model_json_schema().get("$defs", {})).replace("\\\\", "\\")
    assert refs_of(Extract(readings=(Reading(name="a", ref="e1"), Reading(name="b", ref="e8")))) == ("e1", "e8")
    assert refs_of(Press(key="Enter")) == ()
