"""The life of versions in one home: the book of reviews, the capability files, and which version a caller means."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.assembly.homes import capability_store, database
from engine.domain.capability import Capability
from engine.domain.review import ReviewRow, ReviewState
from engine.errors import CapabilityInvalid
from engine.review.lifecycle import Lifecycle
from engine.review.publish import arrive
from engine.settings import Settings
from engine.store.capabilities import CapabilityStore, read
from engine.store.reviews import ReviewStore


@dataclass(frozen=True)
class Reviewed:
    """One version and the state it is in; `row` is the decision that counts, None for a draft."""

    capability: Capability
    state: ReviewState
    row: ReviewRow | None


@dataclass(frozen=True)
class Unreadable:
    """A file among the capabilities that does not parse."""

    name: str
    problem: str


class Reviewing:
    """Versions of one home with their states; decisions go to the book first, then into the file."""

    def __init__(self, store: CapabilityStore, book: ReviewStore) -> None:
        self.store = store
        self.book = book
        self.lifecycle = Lifecycle(book)

    def all(self) -> Iterator[Reviewed | Unreadable]:
        """Every version, by name and number; a file that does not parse hides no other."""
        for name, version in self.store.names():
            try:
                yield self.seen(self.store.at(name, version))
            except CapabilityInvalid as error:
                yield Unreadable(f"{name}@{version}", str(error))

    def seen(self, capability: Capability) -> Reviewed:
        """A version with its state."""
        return Reviewed(capability, self.lifecycle.state(capability), self.book.last(capability.id, capability.version))

    def meant(self, which: str, allow_draft: bool = False) -> Capability:
        """What a caller means: ID@VERSION, a path, or `ID`: its approved version, else (or where drafts may run) its newest.

        Raises NotFound and CapabilityInvalid.
        """
        row = None if allow_draft else self.book.approved(which)
        pinned = row is not None and row.version in self.store.versions(which)
        return self.store.load(f"{which}@{row.version}" if row is not None and pinned else which)

    def approved(self) -> tuple[Capability, ...]:
        """Everything that may run now, one version a capability."""
        found = (each for each in self.all() if isinstance(each, Reviewed))
        return tuple(each.capability for each in found if each.state == "approved")

    def approve(self, which: str, *, by: str, comment: str, digest: str | None = None) -> Reviewed:
        """Approve the newest version of an ID, or ID@VERSION. Raises IllegalTransition."""
        return self._marked(self.lifecycle.approve(self.store.load(which), by=by, comment=comment, digest=digest))

    def reject(self, which: str, *, by: str, comment: str, digest: str | None = None) -> Reviewed:
        """Reject the newest version of an ID, or ID@VERSION. Raises IllegalTransition."""
        return self._marked(self.lifecycle.reject(self.store.load(which), by=by, comment=comment, digest=digest))

    def revoke(self, which: str, *, by: str, comment: str) -> Reviewed:
        """Revoke the approved version of an ID, or ID@VERSION. Raises IllegalTransition."""
        return self._marked(self.lifecycle.revoke(self.meant(which), by=by, comment=comment))

    def admit(self, file: Path) -> Capability | None:
        """Take a capability file in as a draft; None when its content is here already. Raises CapabilityInvalid."""
        coming = read(file)
        here = [self.store.at(coming.id, version) for version in self.store.versions(coming.id)]
        draft = arrive(coming, here, f"imported from {file.name}", self.taken(coming.id))
        if draft is not None:
            self.store.keep(draft)
        return draft

    def taken(self, name: str) -> frozenset[str]:
        """Numbers that no new version may have: those of files, and of decisions about files that are gone."""
        return frozenset((*self.store.versions(name), *(row.version for row in self.book.history(name))))

    def _marked(self, capability: Capability) -> Reviewed:
        found = self.seen(capability)
        if found.state != "tampered":
            self.store.mark(capability)
        return found


def reviewing(settings: Settings) -> Reviewing:
    """Reviews of a home."""
    return Reviewing(capability_store(settings), ReviewStore(database(settings)))
