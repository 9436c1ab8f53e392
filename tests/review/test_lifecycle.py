import sqlite3
from pathlib import Path

import pytest

from engine.domain.capability import Capability
from engine.domain.review import FOLLOWS
from engine.errors import IllegalTransition, UsageError
from engine.review.lifecycle import Lifecycle
from engine.store.database import Database
from engine.store.reviews import ReviewStore
from tests.capabilities import reading


@pytest.fixture
def book(tmp_path: Path) -> ReviewStore:
    """A fresh book of decisions."""
    return ReviewStore(Database.open(tmp_path / "state.sqlite"))


@pytest.fixture
def life(book: ReviewStore) -> Lifecycle:
    """The life of versions over it."""
    return Lifecycle(book)


def edited(one: Capability) -> Capability:
    """The same version with one locator changed, as an editor on disk would leave it."""
    step = one.steps[3]
    assert step.target
    moved = step.target.model_copy(update={"description": "another button"})
    steps = (*one.steps[:3], step.model_copy(update={"target": moved}), *one.steps[4:])
    return one.model_copy(update={"steps": steps})


def test_a_version_nobody_decided_about_is_a_draft_and_runs_only_when_drafts_may(life: Lifecycle) -> None:
    """not_approved without leave, nothing against it with."""
    assert life.state(reading()) == "draft"
    assert life.may_run(reading()) == "not_approved"
    assert life.may_run(reading(), allow_draft=True) is None


def test_an_approved_version_runs(life: Lifecycle) -> None:
    """And its review carries who, why and the digest."""
    marked = life.approve(reading(), by="Ada", comment="looked at it")
    assert marked.reviewed and marked.review
    assert (marked.review.by, marked.review.comment, marked.review.digest) == ("Ada", "looked at it", reading().digest)
    assert life.state(marked) == "approved"
    assert life.may_run(marked) is None


def test_a_file_cannot_approve_itself(life: Lifecycle, tmp_path: Path) -> None:
    """The same approval in another home is a draft there: the book is the authority."""
    marked = Lifecycle(ReviewStore(Database.open(tmp_path / "other.sqlite"))).approve(reading(), by="Ada")
    assert marked.reviewed
    assert life.state(marked) == "draft"
    assert life.may_run(marked) == "not_approved"


@pytest.mark.parametrize("allow_draft", [False, True])
def test_an_edited_file_is_tampered_whatever_its_review_says(life: Lifecycle, allow_draft: bool) -> None:
    """With the old review, without one, and with one made to fit: never a run."""
    marked = life.approve(reading(), by="Ada")
    assert marked.review
    changed = edited(marked)
    fitted = changed.model_copy(update={"review": marked.review.model_copy(update={"digest": changed.digest})})
    bare = changed.model_copy(update={"review": None, "reviewed": False})
    assert [life.may_run(each, allow_draft) for each in (changed, fitted, bare)] == ["tampered"] * 3


def test_a_review_of_other_content_is_tampered_also_where_the_book_is_empty(life: Lifecycle, tmp_path: Path) -> None:
    """A capability edited on its way from another home."""
    marked = Lifecycle(ReviewStore(Database.open(tmp_path / "other.sqlite"))).approve(reading(), by="Ada")
    assert life.may_run(edited(marked), allow_draft=True) == "tampered"


def test_a_newer_approval_supersedes_the_one_before(life: Lifecycle) -> None:
    """At most one version of a capability is approved."""
    old, new = reading(), reading(version="1.0.1", title="Read one balance")
    life.approve(old, by="Ada")
    life.approve(new, by="Bob")
    assert (life.state(old), life.state(new)) == ("superseded", "approved")
    assert life.may_run(old, allow_draft=True) == "not_approved"


def test_an_older_version_is_not_approved_over_a_newer_one(life: Lifecycle) -> None:
    """Going back is a decision of its own: revoke first."""
    life.approve(reading(version="1.1.0"), by="Ada")
    with pytest.raises(IllegalTransition, match="revoke it"):
        life.approve(reading(), by="Ada")
    life.revoke(reading(version="1.1.0"), by="Ada")
    life.approve(reading(), by="Ada")
    assert life.state(reading()) == "approved"


def test_ended_versions_stay_ended(life: Lifecycle) -> None:
    """Rejected, superseded and revoked ones are never approved, rejected or revoked again, and never run."""
    rejected, revoked, superseded = reading(id="a"), reading(id="b"), reading(id="c")
    life.reject(rejected, by="Ada")
    life.approve(revoked, by="Ada")
    life.revoke(revoked, by="Ada")
    life.approve(superseded, by="Ada")
    life.approve(reading(id="c", version="2.0.0"), by="Ada")
    for one in (rejected, revoked, superseded):
        assert FOLLOWS[life.state(one)] == frozenset()
        assert life.may_run(one, allow_draft=True) == "not_approved"
        for decide in (life.approve, life.reject, life.revoke):
            with pytest.raises(IllegalTransition):
                decide(one, by="Ada")


def test_what_was_approved_can_be_revoked_after_its_file_was_changed(life: Lifecycle) -> None:
    """Revoking is about the version, so a changed file cannot prevent it."""
    marked = life.approve(reading(), by="Ada")
    life.revoke(edited(marked), by="Ada")
    assert life.state(reading()) == "revoked"


def test_only_what_was_looked_at_is_decided_about(life: Lifecycle) -> None:
    """A digest given with the decision must be the content's."""
    with pytest.raises(IllegalTransition, match="look again"):
        life.approve(reading(title="Swapped meanwhile"), by="Ada", digest=reading().digest)
    assert life.state(reading()) == "draft"


def test_a_decision_has_somebodys_name(life: Lifecycle) -> None:
    """Nobody is no reviewer."""
    with pytest.raises(UsageError):
        life.approve(reading(), by="  ")


def test_the_book_cannot_be_rewritten(book: ReviewStore, life: Lifecycle, tmp_path: Path) -> None:
    """Rows stay as they are, and the schema itself refuses edges that the table does not hold."""
    life.approve(reading(), by="Ada")
    with sqlite3.connect(tmp_path / "state.sqlite") as raw:
        for statement in (
            "UPDATE reviews SET decision = 'revoked'",
            "UPDATE reviews SET digest = hex(zeroblob(32))",
            "DELETE FROM reviews",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="illegal"):
                raw.execute(statement)
    raw.close()
    row = book.last("read-balance", "1.0.0")
    assert row
    for decision in ("approved", "rejected"):
        with pytest.raises(IllegalTransition):
            book.add(row.model_copy(update={"decision": decision}))
    with pytest.raises(IllegalTransition, match="other content"):
        book.add(row.model_copy(update={"decision": "revoked", "digest": "0" * 64}))
    with pytest.raises(IllegalTransition, match="second approved"):
        book.add(row.model_copy(update={"version": "2.0.0"}))


def test_superseding_and_approving_are_one_decision(book: ReviewStore, life: Lifecycle) -> None:
    """When the new approval cannot be written, the old one stands."""
    life.approve(reading(), by="Ada")
    last = book.approved("read-balance")
    assert last
    with pytest.raises(IllegalTransition):
        book.add(last.model_copy(update={"decision": "superseded"}), last)
    assert life.state(reading()) == "approved"
