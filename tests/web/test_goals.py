import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
from playwright.async_api import expect

from engine.web.goals import A_PAGE
from tests.explore.kit import request, writes
from tests.web.exploring import Explored, explored
from tests.web.visitors import Visitors

CELLS = 20_000


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Explored]:
    async with explored(tmp_path) as running:
        yield running


@pytest.mark.slow
async def test_asked_approved_by_another_explored_and_downloaded(home: Explored, visitors: Visitors) -> None:
    """A requester asks, a manager approves; the tree fills while it is looked at, and the best is delivered."""
    served, bench = home.served, home.bench
    bench.runtime.script = writes(
        lambda order: "tamper" if order.cell.branch == 2 else order.cell.branch + order.cell.attempt / 10
    )
    rick, mona = await visitors.page(served, "rick"), await visitors.page(served, "mona")
    await rick.goto(f"{served.url}/admin/goals/new")
    await rick.get_by_role("textbox", name="Title").fill("Try harder")
    await rick.get_by_label("Branches").fill("3")
    await rick.get_by_label("Refinements").fill("1")
    await rick.get_by_label("Most calls").fill("4")
    await expect(rick.get_by_text("Planned: 6 cells. The call limit covers 4 of them.")).to_be_visible()
    await rick.get_by_label("Most calls").fill("8")
    await rick.get_by_role("button", name="Ask for approval").click()
    await expect(rick.get_by_text("waits for approval")).to_be_visible()
    run_id = rick.url.rpartition("/")[2]
    await rick.goto(f"{served.url}/admin/inbox")
    await expect(rick.get_by_text("Somebody else must answer what you asked for.")).to_be_visible()
    await rick.goto(f"{served.url}/admin/goals/{run_id}")
    await mona.goto(f"{served.url}/admin/inbox")
    await expect(mona.get_by_text("3 branches × 2 attempts × 1 rounds = 6 cells")).to_be_visible()
    await mona.get_by_role("button", name="Approve this exploration").click()
    await expect(mona.get_by_text("Nothing waits for an answer.")).to_be_visible()
    async with bench.clock.running():
        assert await home.workshop.run(run_id) == "complete"
    await expect(rick.get_by_text("complete", exact=True)).to_be_visible(timeout=60_000)
    await expect(rick.locator(".cells li")).to_have_count(6)
    await expect(rick.locator(".facts", has_text="Model that answered")).to_contain_text("model-1")
    await expect(rick.locator(".cells li", has_text="r1-b2-a0")).to_contain_text("tampered")
    await expect(rick.locator(".cells li.best")).to_contain_text("r1-b1-a1")
    await rick.get_by_role("link", name="Table").click()
    await expect(rick.locator(".cells tbody tr")).to_have_count(6)
    async with rick.expect_download() as event:
        await rick.get_by_role("link", name="candidate.json").click()
    content = json.loads(Path(await (await event.value).path()).read_text())
    assert content["cell"] == "r1-b1-a1"


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_twenty_thousand_cells_stay_usable(home: Explored, visitors: Visitors) -> None:
    """The first view and every further part are small, and the server keeps nothing of them."""
    desk = home.bench.desk
    run_id = await home.bench.queue("run-1", branch_count=1000, refine_count=19, max_rounds=1, max_agent_calls=CELLS)
    cells = [(run_id, f"r1-b{b}-a{a}", 1, b, a, "planned", 1) for b in range(1000) for a in range(20)]
    with desk.database.write() as connection:
        connection.executemany(
            "INSERT INTO cells (run_id, cell_id, round, branch, attempt, state, seed) VALUES (?, ?, ?, ?, ?, ?, ?)", cells
        )
        connection.execute("INSERT INTO rounds (run_id, round, planned) VALUES (?, 1, ?)", (run_id, CELLS))
        connection.execute("UPDATE explorations SET planned_cells = ? WHERE run_id = ?", (CELLS, run_id))
    served, process = home.served, psutil.Process()
    async with served.signed_in("vera") as client:
        path, seen, slowest = f"/admin/goals/{run_id}/rounds/1?view=table", 0, 0.0
        assert (await client.get(f"/admin/goals/{run_id}")).status_code == 200
        await client.get(path)
        before = process.memory_info().rss
        while path:
            started = time.process_time()
            text = (await client.get(path)).text
            slowest = max(slowest, time.process_time() - started)
            seen += text.count("<tr id=")
            after = text.partition("&amp;after=")[2].partition('"')[0]
            path = f"/admin/goals/{run_id}/rounds/1?view=table&after={after}" if after else ""
        grown = process.memory_info().rss - before
    print(f"slowest part {slowest * 1000:.0f} ms of processor time, {grown / 2**20:.1f} MiB more")
    assert seen == CELLS
    assert slowest < 1
    assert grown < 48 * 2**20
    page = await visitors.page(served, "mona")
    await page.goto(f"{served.url}/admin/goals/{run_id}?view=table")
    await expect(page.locator(".cells tbody tr")).to_have_count(A_PAGE)
    await page.get_by_role("link", name="More cells").scroll_into_view_if_needed()
    await expect(page.locator(".cells tbody tr")).to_have_count(2 * A_PAGE)


async def test_a_viewer_steers_nothing(home: Explored) -> None:
    """No form, and a form made by hand is refused."""
    run_id = await home.bench.queue("run-1")
    async with home.served.signed_in("vera") as client:
        assert "/steer" not in (await client.get(f"/admin/goals/{run_id}")).text
        form = home.served.form(client, {"answer": "cancel"})
        assert (await client.post(f"/admin/goals/{run_id}/steer", data=form)).status_code == 403
    async with home.served.signed_in("mona") as client:
        form = home.served.form(client, {"answer": "cancel"})
        assert (await client.post(f"/admin/goals/{run_id}/steer", data=form)).status_code == 303
        assert (await client.post(f"/admin/goals/{run_id}/steer", data=form)).status_code == 409


async def test_a_requester_sees_only_their_own(home: Explored) -> None:
    """Another's run is not there, for pages, parts, events and the requests alike."""
    run_id = await home.bench.queue("run-1")
    async with home.served.signed_in("rick") as client:
        for path in (run_id, f"{run_id}/rounds/1", f"{run_id}/events", f"{run_id}/files/{'0' * 24}"):
            assert (await client.get(f"/admin/goals/{path}")).status_code == 404, path
        response = await client.post("/admin/rpc/discovery.tree", json={"run_id": run_id})
        assert response.status_code == 404 and response.json()["error"] == "not_found"


@pytest.mark.parametrize(
    "path", ["run-1/rounds/0", "run-1/rounds/x", "run-1/rounds/2?after=x", "%20", "run-1/files/..", "run-1/files/zz"]
)
async def test_odd_addresses_are_no_faults(home: Explored, path: str) -> None:
    """Nothing that a visitor can write into an address ends in a 5xx."""
    await home.bench.queue("run-1")
    async with home.served.signed_in("mona") as client:
        assert (await client.get(f"/admin/goals/{path}")).status_code < 500


async def test_requests_over_http(home: Explored) -> None:
    """The session's rights, typed errors with their status, and JSON objects only."""
    asked = request().model_dump(mode="json")
    async with home.served.signed_in("rick") as client:
        created = await client.post("/admin/rpc/tasks.create", json=asked)
        assert created.status_code == 200 and created.json()["status"] == "pending_approval"
        approval = {"id": created.json()["approval_id"], "approve": True}
        assert (await client.post("/admin/rpc/approvals.decide", json=approval)).status_code == 403
        for content in (b"[]", b"{", b"null", b"[" * 100_000):
            response = await client.post(
                "/admin/rpc/discovery.list", content=content, headers={"content-type": "application/json"}
            )
            assert response.status_code == 422 and response.json()["error"] == "invalid_params"
        for method in ("discovery.nothing", "tasks.update", "tasks.delete", "discovery.delete"):  # what was asked for stays
            assert (await client.post(f"/admin/rpc/{method}", json={})).status_code == 404
        assert (await client.post("/admin/rpc/discovery.list", json={"odd": 1})).json()["error"] == "invalid_params"
    async with home.served.signed_in("mona") as client:
        assert (await client.post("/admin/rpc/approvals.decide", json=approval)).json()["decided_by"] == "mona"
        again = await client.post("/admin/rpc/approvals.decide", json=approval)
        assert again.status_code == 409 and again.json()["error"] == "already_decided"
