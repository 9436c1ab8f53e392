"""Decisions about versions of capabilities, and the table of what may follow what."""

from datetime import datetime
from typing import Literal, TypeAlias

from engine.domain.frozen import Frozen

Decision: TypeAlias = Literal["approved", "rejected", "superseded", "revoked"]
ReviewState: TypeAlias = Literal["draft", "approved", "rejected", "superseded", "revoked", "tampered"]
"""`tampered`: the content is not the one that was decided about, or not the one its own review names."""

FOLLOWS: dict[ReviewState, frozenset[Decision]] = {
    "draft": frozenset({"approved", "rejected"}),
    "approved": frozenset({"superseded", "revoked"}),
    "rejected": frozenset(),
    "superseded": frozenset(),
    "revoked": frozenset(),
    "tampered": frozenset(),
}
"""The legal edges; schema/004_reviews.sql enforces the same table."""


class ReviewRow(Frozen):
    """One decision about one version, as the database keeps it: the authority, whatever a file says."""

    capability: str
    version: str
    digest: str
    decision: Decision
    by: str
    at: datetime
    comment: str = ""
