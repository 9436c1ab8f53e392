"""A changed content becomes a new draft version: its number follows from the diff, its parent is named."""

from collections.abc import Iterable

import semver

from engine.domain.capability import Capability
from engine.errors import CapabilityInvalid
from engine.review.diff import Bump, diff

_BUMPED = {
    "major": semver.Version.bump_major,
    "minor": semver.Version.bump_minor,
    "patch": semver.Version.bump_patch,
}


def next_version(previous: str, bump: Bump, taken: Iterable[str] = ()) -> str:
    """The number after `previous` that no version has yet: `1.4.2`, minor → `1.5.0`."""
    used = {semver.Version.parse(each) for each in taken}
    found = _BUMPED[bump](semver.Version.parse(previous))
    while found in used:
        found = _BUMPED[bump](found)
    return str(found)


def latest(versions: Iterable[Capability]) -> Capability | None:
    """The one with the highest number, or None."""
    return max(versions, key=lambda one: semver.Version.parse(one.version), default=None)


def new_draft(previous: Capability, changed: Capability, why: str, taken: Iterable[str] = ()) -> Capability:
    """The changed content as a draft after `previous`, with nobody's review. Raises CapabilityInvalid when nothing changed."""
    found = diff(previous, changed).bump
    if previous.id != changed.id:
        raise CapabilityInvalid(f"{changed.id} is no version of {previous.id}.")
    if found is None:
        raise CapabilityInvalid(f"Nothing differs from {previous.id}@{previous.version}, so there is no new version.")
    provenance = changed.provenance.model_copy(update={"parent_version": previous.version, "why": why})
    version = next_version(previous.version, found, taken)
    return changed.model_copy(update={"version": version, "provenance": provenance, "reviewed": False, "review": None})


def arrive(coming: Capability, here: Iterable[Capability], why: str, taken: Iterable[str] = ()) -> Capability | None:
    """What an imported capability becomes beside the versions that are here; None when its content is here already.

    Approvals do not travel: it arrives as a draft. A number that is taken, by a file or by a decision, becomes the next one.
    """
    versions = tuple(here)
    used = {one.version for one in versions} | set(taken)
    draft = coming.model_copy(update={"reviewed": False, "review": None})
    newest = latest(versions)
    if any(one.digest == draft.digest for one in versions):
        return None
    if draft.version not in used:
        return draft
    if newest is None:  # the file is gone, the decision about it stays
        return draft.model_copy(update={"version": next_version(draft.version, "patch", used)})
    return None if diff(newest, draft).bump is None else new_draft(newest, draft, why, used)
