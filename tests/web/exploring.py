"""Explorations behind the admin: a scripted runtime and an evaluator in memory instead of the real ones."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.assembly.admin import admin_of
from engine.assembly.exploring import Exploring
from engine.explore.catalog import Agent, Catalog
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from engine.settings import Settings
from tests.explore.kit import Bench
from tests.web.serving import Served, serve, users


@dataclass
class Explored:
    """A served admin and the bench behind it."""

    served: Served
    bench: Bench
    workshop: Workshop


@asynccontextmanager
async def explored(home: Path, **options: Any) -> AsyncIterator[Explored]:
    """One agent that mona and max manage, one root, one evaluator."""
    bench = Bench(home / "bench", **options)
    agent = Agent(
        agent_id="agent",
        managers=frozenset({"mona", "max"}),
        roots=frozenset({"root"}),
        evaluators=frozenset({"memory"}),
        runtimes=frozenset({"scripted"}),
    )
    catalog = Catalog(agents=(agent,))
    workshop = Workshop(bench.desk)
    exploring = Exploring(bench.desk, workshop, Requests(bench.desk, catalog), catalog)
    settings = Settings(home=home, users=users(), environment={})
    admin = replace(admin_of(settings), exploring=exploring)
    async with serve(home, admin) as served:
        yield Explored(served, bench, workshop)
