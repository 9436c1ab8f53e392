"""Explorations behind the admin: a scripted runtime and an evaluator in memory instead of the real ones."""

from pathlib import Path

from engine.assembly.exploring import Exploring
from engine.explore.catalog import Agent, Catalog
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from tests.explore.kit import Bench


def scripted(home: Path) -> tuple[Exploring, Bench]:
    """One agent that mona and max manage."""
    bench = Bench(home)
    agent = Agent(
        agent_id="agent",
        managers=frozenset({"mona", "max"}),
        roots=frozenset({"root"}),
        evaluators=frozenset({"memory"}),
        runtimes=frozenset({"scripted"}),
    )
    catalog = Catalog(agents=(agent,))
    return Exploring(bench.desk, Workshop(bench.desk), Requests(bench.desk, catalog), catalog), bench
