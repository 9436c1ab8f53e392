"""What a home holds: its database and the stores over it, its capabilities."""

import time
from contextlib import suppress

from engine.review.lifecycle import Lifecycle
from engine.settings import Settings
from engine.store.approvals import ApprovalStore
from engine.store.capabilities import CapabilityStore
from engine.store.database import Database
from engine.store.effects import EffectStore
from engine.store.leases import LeaseStore
from engine.store.reviews import ReviewStore
from engine.store.runs import RunStore


def database(settings: Settings) -> Database:
    """The home's one SQLite file, made or migrated when needed."""
    settings.state.parent.mkdir(parents=True, exist_ok=True)
    return Database.open(settings.state)


def run_store(settings: Settings) -> RunStore:
    """Runs of this home; those whose process is gone are interrupted."""
    opened = database(settings)
    EffectStore(opened).recover(time.time())
    return RunStore(opened)


def effect_store(settings: Settings) -> EffectStore:
    """What steps meant to do and did; what a dead process left unfinished is in doubt."""
    effects = EffectStore(database(settings))
    effects.recover(time.time())
    return effects


def lease_store(settings: Settings) -> LeaseStore:
    """What living processes of this home hold."""
    return LeaseStore(database(settings), lambda: int(time.time() * 1000))


def announce(settings: Settings, port: int) -> None:
    """Say, until this process dies, that a server of this home listens there: no page that we drive may reach it."""
    with suppress(OSError):  # no table of processes here: then nobody can be held to be alive
        lease_store(settings).take(f"port:{port}")


def lifecycle(settings: Settings) -> Lifecycle:
    """Who approved what in this home."""
    return Lifecycle(ReviewStore(database(settings)))


def approval_store(settings: Settings) -> ApprovalStore:
    """Risky steps that wait or waited for a person."""
    return ApprovalStore(database(settings))


def capability_store(settings: Settings) -> CapabilityStore:
    """Capabilities of this home."""
    return CapabilityStore(settings.capabilities)
