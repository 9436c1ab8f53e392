import pytest

from engine.errors import CapabilityInvalid
from engine.review.diff import Bump
from engine.review.publish import arrive, new_draft, next_version
from tests.capabilities import paying, reading


@pytest.mark.parametrize(("bump", "version"), [("patch", "1.4.3"), ("minor", "1.5.0"), ("major", "2.0.0")])
def test_the_number_follows_from_the_change(bump: Bump, version: str) -> None:
    """Semantic versions."""
    assert next_version("1.4.2", bump) == version


def test_a_number_is_never_given_twice() -> None:
    """Numbers that are taken are passed over."""
    assert next_version("1.4.2", "patch", ["1.4.3", "1.4.4", "2.0.0"]) == "1.4.5"


def test_an_edit_becomes_a_draft_with_its_parent_named() -> None:
    """Whatever the review of the edited text says."""
    draft = new_draft(reading(), reading(riskClass="reversible", reviewed=True), "the button changes a flag")
    assert (draft.version, draft.reviewed, draft.review) == ("2.0.0", False, None)
    assert (draft.provenance.parent_version, draft.provenance.why) == ("1.0.0", "the button changes a flag")


def test_an_edit_that_changes_nothing_is_refused() -> None:
    """There would be nothing to review."""
    with pytest.raises(CapabilityInvalid, match="Nothing differs"):
        new_draft(reading(), reading(), "no reason")
    with pytest.raises(CapabilityInvalid, match="no version of"):
        new_draft(reading(), paying(), "another capability")


def test_what_is_imported_is_a_draft_beside_what_is_here() -> None:
    """A new capability keeps its number, the same content is here already, other content gets the next number."""
    coming = reading(reviewed=True)
    fresh = arrive(coming, [], "imported")
    assert fresh and (fresh.version, fresh.reviewed) == ("1.0.0", False)
    assert arrive(coming, [reading()], "imported") is None
    other = arrive(reading(title="Other words"), [reading(), reading(version="1.2.0", riskClass="reversible")], "imported")
    assert other and (other.version, other.provenance.parent_version) == ("2.0.0", "1.2.0")


def test_a_number_that_was_decided_about_is_not_given_to_other_content() -> None:
    """Also when the file of that version is gone."""
    found = arrive(reading(), [], "imported", ["1.0.0"])
    assert found and found.version == "1.0.1"
