"""The requests of a bench as people of every role meet them."""

from pathlib import Path
from typing import Any

import pytest

from engine.errors import RequestRefused
from engine.explore.answers import Created, Tree
from engine.explore.catalog import Agent, Caller, Catalog
from engine.explore.requests import Requests
from engine.explore.workshop import Workshop
from tests.explore.kit import Bench

BOSS = Caller(user_id="boss", roles=frozenset({"manager"}))
OTHER = Caller(user_id="other", roles=frozenset({"manager"}))
ANN = Caller(user_id="ann", roles=frozenset({"requester"}))
BEN = Caller(user_id="ben", roles=frozenset({"requester"}))
EYE = Caller(user_id="eye", roles=frozenset({"viewer"}))
OPS = Caller(user_id="ops", roles=frozenset({"operator"}))
NOBODY = Caller(user_id="x", roles=frozenset())
CATALOG = Catalog(
    agents=(
        Agent(
            agent_id="agent", managers=frozenset({"boss", "deputy"}), roots=frozenset({"root"}),
            evaluators=frozenset({"memory"}), runtimes=frozenset({"scripted", "gone"}),
        ),
    )
)  # fmt: skip
DEPUTY = Caller(user_id="deputy", roles=frozenset({"manager"}))


class House:
    """A bench with its requests."""

    def __init__(self, tmp_path: Path, **options: Any) -> None:
        self.bench = Bench(tmp_path, options=options)
        self.requests = Requests(self.bench.desk, CATALOG)
        self.workshop = Workshop(self.bench.desk)

    async def ask(self, method: str, caller: Caller, **params: Any) -> Any:
        """One request."""
        return await self.requests.call(method, params, caller)

    async def refused(self, method: str, caller: Caller, **params: Any) -> tuple[str, str | None]:
        """Code and field of a refused request."""
        with pytest.raises(RequestRefused) as caught:
            await self.ask(method, caller, **params)
        return caught.value.code, caught.value.field

    async def create(self, caller: Caller, **changes: Any) -> Created:
        """A small run."""
        created: Created = await self.ask("tasks.create", caller, **asking(**changes))
        return created

    async def work(self) -> tuple[str, ...]:
        """Run what is due."""
        async with self.bench.clock.running():
            return await self.workshop.run_due()

    async def tree(self, run_id: str) -> Tree:
        """What everybody may see of a run."""
        found: Tree = await self.ask("discovery.tree", EYE, run_id=run_id)
        return found

    async def explored(self, **changes: Any) -> Tree:
        """A manager's run, to its end."""
        created = await self.create(BOSS, **changes)
        await self.work()
        return await self.tree(created.run_id)


def asking(**changes: Any) -> dict[str, Any]:
    """Raw parameters of tasks.create."""
    discovery = {
        "approved_root_id": "root", "evaluator": "memory", "runtime": "scripted", "model": "m", "branch_count": 2,
        "refine_count": 1, "max_parallelism": 1, "budget": {"max_agent_calls": 9, "max_usd": 5, "max_wall_secs": 600},
    }  # fmt: skip
    top = {"assigned_to": "agent", "kind": "discovery", "title": "find it", "description": ""}
    top |= {name: changes.pop(name) for name in list(changes) if name in top}
    discovery["budget"] = {**discovery["budget"], **changes.pop("budget", {})}  # type: ignore[dict-item]
    return {**top, "discovery": {**discovery, **changes}}
