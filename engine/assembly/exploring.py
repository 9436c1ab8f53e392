"""Wires explorations of one home: approved targets, case tables, runtimes, agents, and who is asking."""

import getpass
import hashlib
import hmac
import os
from dataclasses import dataclass

from engine.access.roles import ALL_ROLES
from engine.assembly.attempting import BrowserAttempter
from engine.assembly.homes import capability_store, database
from engine.assembly.scoring import replay_evaluator
from engine.assembly.targets import approved, target_policy
from engine.explore.approved import ApprovedTarget
from engine.explore.catalog import Agent, Caller, Catalog
from engine.explore.clock import SystemClock
from engine.explore.desk import Desk, Pace, Root
from engine.explore.dispatch import InProcessDispatcher
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from engine.sandbox.isolation import probe
from engine.score.evaluator import Evaluator
from engine.score.registry import Registry
from engine.settings import Settings
from engine.store.evaluators import EvaluatorStore
from engine.subjects.browser import BrowserSubject, DraftDelivery, Start

RUNTIME = "browser"
LOCAL_AGENT = "local"
PACE = Pace(attempt=300.0)
"""180 s to discover, the rest to distil and prove."""


@dataclass(frozen=True)
class Exploring:
    """Explorations of one home."""

    desk: Desk
    workshop: Workshop
    requests: Requests
    catalog: Catalog


def exploring(settings: Settings) -> Exploring:
    """Everything put together. Raises UsageError for a table, a policy or a secret of config.toml that is not there."""
    targets = {target.id: target for target in settings.targets}
    clock = SystemClock()
    opened = database(settings)
    desk = Desk.open(
        opened,
        home=settings.state.parent,
        clock=clock,
        registry=Registry(EvaluatorStore(opened, clock.now_ms), probe(), _case_tables(settings)),
        dispatcher=InProcessDispatcher({RUNTIME: BrowserAttempter(settings, targets)}),
        roots={target.id: _root(settings, target) for target in settings.targets},
        pace=PACE,
    )
    catalog = Catalog(agents=settings.agents or (_local_agent(desk),))
    return Exploring(desk, Workshop(desk), Requests(desk, catalog), catalog)


def registry(settings: Settings) -> Registry:
    """Only the evaluators: what the operator's commands need. Names of case tables are taken."""
    opened = database(settings)
    return Registry(EvaluatorStore(opened, SystemClock().now_ms), probe(), _case_tables(settings))


def local_caller() -> Caller:
    """Whoever runs a command in this home: all roles; what an agent's managers decide, they alone decide."""
    return Caller(user_id=local_name(), roles=ALL_ROLES)


def local_name() -> str:
    """The user of this machine."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user-{os.getuid()}"


def caller_of(settings: Settings, token: str) -> Caller | None:
    """Who holds this bearer token; None when nobody does, or when the user it names is gone."""
    given = hashlib.sha256(token.encode()).hexdigest()
    holder = next((each.user for each in settings.tokens if hmac.compare_digest(each.sha256, given)), None)
    user = next((user for user in settings.users if user.name == holder), None)
    return Caller(user_id=user.name, roles=user.roles) if user else None


def _local_agent(desk: Desk) -> Agent:
    """Without agents in config.toml: one that may use everything, managed by whoever runs the commands."""
    return Agent(
        agent_id=LOCAL_AGENT,
        managers=frozenset({local_name()}),
        roots=frozenset(desk.roots),
        evaluators=frozenset(desk.registry.names()),
        runtimes=frozenset({RUNTIME}),
    )


def _case_tables(settings: Settings) -> dict[str, Evaluator]:
    return {
        each.name: replay_evaluator(settings, each.name, settings.home / each.cases, approved(settings, each.target))
        for each in settings.evaluators
    }


def _root(settings: Settings, target: ApprovedTarget) -> Root:
    store = capability_store(settings)

    def start() -> Start:
        policy = target_policy(settings, target, target.url)
        baseline = store.load(target.baseline) if target.baseline else None
        return Start(target.url, policy.digest, baseline)

    return Root(BrowserSubject(start), DraftDelivery(store))
