"""What a home holds: its database and the stores over it, its capabilities."""

from engine.review.lifecycle import Lifecycle
from engine.settings import Settings
from engine.store.approvals import ApprovalStore
from engine.store.capabilities import CapabilityStore
from engine.store.database import Database
from engine.store.reviews import ReviewStore
from engine.store.runs import RunStore


def database(settings: Settings) -> Database:
    """The home's one SQLite file, made or migrated when needed."""
    settings.state.parent.mkdir(parents=True, exist_ok=True)
    return Database.open(settings.state)


def run_store(settings: Settings) -> RunStore:
    """Runs of this home."""
    return RunStore(database(settings))


def lifecycle(settings: Settings) -> Lifecycle:
    """Who approved what in this home."""
    return Lifecycle(ReviewStore(database(settings)))


def approval_store(settings: Settings) -> ApprovalStore:
    """Risky steps that wait or waited for a person."""
    return ApprovalStore(database(settings))


def capability_store(settings: Settings) -> CapabilityStore:
    """Capabilities of this home."""
    return CapabilityStore(settings.capabilities)
