"""Approve, reject, revoke; what state a version is in, and whether it may run."""

from datetime import UTC, datetime
from typing import Literal, Protocol

import semver

from engine.domain.capability import Capability, Review
from engine.domain.ending import Ending
from engine.domain.review import FOLLOWS, Decision, ReviewRow, ReviewState
from engine.errors import IllegalTransition, UsageError


class Book(Protocol):
    """Where decisions are kept; see `engine.store.reviews`."""

    def add(self, *rows: ReviewRow) -> None:
        """Write decisions, all or none; raises IllegalTransition."""
        ...

    def last(self, capability: str, version: str) -> ReviewRow | None:
        """The decision that counts for a version."""
        ...

    def approved(self, capability: str) -> ReviewRow | None:
        """The decision that makes the one approved version."""
        ...


class Lifecycle:
    """The states of versions. The book is the authority: a review in a file can only take away, never give."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def state(self, capability: Capability) -> ReviewState:
        """The state of exactly this content under this id and version."""
        row = self._book.last(capability.id, capability.version)
        claimed = capability.review.digest if capability.review else capability.digest
        if claimed != capability.digest or (row is not None and row.digest != capability.digest):
            return "tampered"
        return "draft" if row is None else row.decision

    def may_run(self, capability: Capability, allow_draft: bool = False) -> Ending | None:
        """None when it may be replayed, else the ending to answer with. Only a draft can be allowed."""
        state = self.state(capability)
        if state == "tampered":
            return "tampered"
        return None if state == "approved" or (state == "draft" and allow_draft) else "not_approved"

    def approve(self, capability: Capability, *, by: str, comment: str = "", digest: str | None = None) -> Capability:
        """Approve this content; the version approved so far is superseded. The capability with its review, to be stored.

        `digest` is what the person saw; another content is refused. Raises IllegalTransition, UsageError.
        """
        current = self._book.approved(capability.id)
        if current and semver.Version.parse(current.version) > semver.Version.parse(capability.version):
            raise IllegalTransition(
                f"{capability.id}@{current.version} is newer and approved; revoke it before an older version is approved."
            )
        row = self._decided(capability, "approved", by, comment, digest)
        if current is None:
            self._book.add(row)
        else:
            why = f"{capability.version} was approved"
            self._book.add(current.model_copy(update={"decision": "superseded", "by": by, "at": row.at, "comment": why}), row)
        return _with_review(capability, row, "approved")

    def reject(self, capability: Capability, *, by: str, comment: str = "", digest: str | None = None) -> Capability:
        """Reject this content for good. Raises IllegalTransition."""
        row = self._decided(capability, "rejected", by, comment, digest)
        self._book.add(row)
        return _with_review(capability, row, "rejected")

    def revoke(self, capability: Capability, *, by: str, comment: str = "") -> Capability:
        """Take an approval back, also when the file was changed since. Raises IllegalTransition."""
        last = self._book.last(capability.id, capability.version)
        if last is None or last.decision != "approved":
            what = last.decision if last else "a draft"
            raise IllegalTransition(f"{capability.id}@{capability.version} is {what}; only an approved version can be revoked.")
        row = last.model_copy(update={"decision": "revoked", "by": _named(by), "at": _now(), "comment": comment})
        self._book.add(row)
        return capability if capability.digest != last.digest else _with_review(capability, row, "revoked")

    def _decided(self, capability: Capability, decision: Decision, by: str, comment: str, digest: str | None) -> ReviewRow:
        state = self.state(capability)
        if decision not in FOLLOWS[state]:
            raise IllegalTransition(
                f"{capability.id}@{capability.version} is {state}, so it cannot be {decision}; an edit makes a new version."
            )
        if digest is not None and digest != capability.digest:
            raise IllegalTransition(f"{capability.id}@{capability.version} is no longer what was looked at; look again.")
        return ReviewRow(
            capability=capability.id, version=capability.version, digest=capability.digest,
            decision=decision, by=_named(by), at=_now(), comment=comment,
        )  # fmt: skip


def _with_review(capability: Capability, row: ReviewRow, decision: Literal["approved", "rejected", "revoked"]) -> Capability:
    review = Review(decision=decision, by=row.by, at=row.at, digest=row.digest, comment=row.comment)
    return capability.model_copy(update={"reviewed": decision == "approved", "review": review})


def _named(by: str) -> str:
    if not by.strip():
        raise UsageError("A review needs the name of who decides: --by NAME.")
    return by.strip()


def _now() -> datetime:
    return datetime.now(UTC)
