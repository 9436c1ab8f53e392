"""The requests as a program makes them over HTTP: with a bearer token, and with the roles of the user who holds it."""

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from jsonschema import Draft202012Validator

from engine.explore.approved import BearerToken
from engine.explore.schema import requests_schema
from tests.explore.house import asking
from tests.web.exploring import Explored, explored
from tests.web.serving import Served, serve

HOLDERS = ("vera", "rick", "mona", "max", "olga", "gone")


@dataclass
class Programs:
    """Callers of one served home; every answer is held against the published schema."""

    served: Served
    home: Explored

    async def post(self, method: str, headers: dict[str, str], **params: Any) -> httpx.Response:
        """One request with exactly these headers: no cookie, no Origin."""
        async with httpx.AsyncClient(base_url=self.served.url, timeout=20) as client:
            return await client.post(f"/rpc/{method}", json=params, headers=headers)

    async def ask(self, name: str, method: str, **params: Any) -> Any:
        """The answer to a holder of a token."""
        response = await self.post(method, {"authorization": f"Bearer token-of-{name}"}, **params)
        assert response.status_code == 200, response.text
        schema = requests_schema()
        returns = {**schema["properties"][method]["properties"]["returns"], "$defs": schema["$defs"]}
        Draft202012Validator(returns).validate(response.json())
        return response.json()

    async def refused(self, name: str, method: str, **params: Any) -> tuple[int, str]:
        """Status and code of a refusal."""
        response = await self.post(method, {"authorization": f"Bearer token-of-{name}"}, **params)
        return response.status_code, response.json()["error"]


@pytest.fixture
async def programs(tmp_path: Path) -> AsyncIterator[Programs]:
    """One token for a user of each role, and one for somebody who is no user any more."""
    tokens = tuple(BearerToken(user=n, sha256=hashlib.sha256(f"token-of-{n}".encode()).hexdigest()) for n in HOLDERS)
    async with explored(tmp_path) as home:
        settings = home.served.admin.settings.model_copy(update={"tokens": tokens})
        async with serve(tmp_path, replace(home.served.admin, settings=settings)) as served:
            yield Programs(served, home)


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", "Basic token-of-mona", "token-of-mona", "Bearer token-of-gone", "hash"]
)
async def test_without_a_good_token_there_is_no_answer(programs: Programs, given: str) -> None:
    """Missing, wrong, of another scheme, of a user who is gone, or the hash that config.toml holds: 401, and the way in."""
    if given == "hash":
        given = f"Bearer {hashlib.sha256(b'token-of-mona').hexdigest()}"
    response = await programs.post("discovery.list", {"authorization": given} if given else {})
    assert response.status_code == 401
    assert "config.toml" in response.json()["message"]


async def test_a_session_is_worth_nothing_without_a_token(programs: Programs) -> None:
    """A page that makes a browser send its cookie gets no further; nor does a token from a foreign page."""
    async with programs.served.signed_in("mona") as client:
        assert (await client.post("/rpc/discovery.list", json={})).status_code == 401
    headers = {"authorization": "Bearer token-of-mona"}
    assert (await programs.post("discovery.list", {**headers, "origin": "http://evil.example"})).status_code == 403
    assert (await programs.post("discovery.list", {**headers, "sec-fetch-site": "cross-site"})).status_code == 403
    assert (await programs.post("discovery.list", headers)).status_code == 200


async def test_a_whole_exploration_over_http(programs: Programs) -> None:
    """Ask as one, approve as another, run, read tree, events and files; what nobody may is refused by code and status."""
    ask, refused = programs.ask, programs.refused
    catalog = await ask("rick", "discovery.catalog", agent_id="agent")
    assert (catalog["approved_roots"], catalog["requires_approval"]) == (["root"], True)
    assert await refused("vera", "tasks.create", **asking()) == (403, "permission_denied")
    created = await ask("rick", "tasks.create", **asking())
    run = {"run_id": created["run_id"]}
    assert created["status"] == "pending_approval"
    (waiting,) = (await ask("mona", "approvals.list", state="pending"))["approvals"]
    answer = {"id": waiting["approval_id"], "approve": True}
    for name in ("vera", "rick", "olga"):
        assert await refused(name, "approvals.decide", **answer) == (403, "permission_denied")
    assert (await ask("mona", "approvals.decide", **answer))["decided_by"] == "mona"
    assert await refused("max", "approvals.decide", **answer) == (409, "already_decided")
    assert await refused("mona", "discovery.pause", **run) == (409, "not_available")
    async with programs.home.bench.clock.running():
        assert await programs.home.workshop.run_due() == (created["run_id"],)
    (listed,) = (await ask("vera", "discovery.list"))["runs"]
    assert (listed["status"], listed["calls"], listed["cost"]["reported"]) == ("complete", 4, 4000)
    tree = await ask("vera", "discovery.tree", **run)
    assert [cell["state"] for cell in tree["nodes"]] == ["valid"] * 4
    assert (await ask("vera", "discovery.events", **run, after_seq=2))["events"][0]["seq"] == 3
    (file,) = [each for each in (await ask("rick", "discovery.artifact", **run))["files"] if each["name"] == "candidate.json"]
    content = await ask("rick", "discovery.artifact", **run, file_id=file["file_id"])
    assert json.loads(base64.b64decode(content["content_base64"]))["cell"] == listed["winner_cell_id"]
    assert await refused("rick", "discovery.cancel", **run) == (409, "already_terminal")
    assert await refused("rick", "discovery.nothing") == (404, "not_found")
    assert await refused("rick", "discovery.list", odd=1) == (422, "invalid_params")


async def test_what_a_run_is_steered_by(programs: Programs) -> None:
    """Cancelled by who asked for it or by an operator, not by a viewer; another's run is not there at all."""
    for name in ("rick", "olga"):
        run = {"run_id": (await programs.ask("rick", "tasks.create", **asking()))["run_id"]}
        assert await programs.refused("vera", "discovery.cancel", **run) == (403, "permission_denied")
        assert (await programs.ask(name, "discovery.cancel", **run))["status"] == "terminal"
    own = {"run_id": (await programs.ask("mona", "tasks.create", **asking()))["run_id"]}
    assert await programs.refused("rick", "discovery.tree", **own) == (404, "not_found")
