"""Every page of the admin in every state it has: what accessibility, languages and layouts are looked at on."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.domain.action import Click
from engine.domain.capability import Capability
from engine.domain.verdict import Refusal
from tests.explore.kit import writes
from tests.web.exploring import Explored, explored
from tests.web.recorded import Recorded
from tests.web.test_live import ask

DATA = (
    "Log in to the teller console", "checking for member", "checking balances", "Two minutes were enough.", "Pay the bill",
    "Leave nothing", "Be cut off", "user, password", "Read two", "The wrong",
    "Go where it is not allowed", "Members at a glance", "Accounts · Details", "from Savings", "Two answers in a row could",
)  # fmt: skip
"""What pages and people say in these homes, in whatever language the admin is."""
FORBIDDEN = Refusal(
    action=Click(ref="e1"),
    rule="forbid[0]",
    why="http://evil.example/ is outside the scope.",
)


@dataclass
class Gallery:
    """A served home and the addresses of its pages."""

    home: Explored
    paths: dict[str, str]


@asynccontextmanager
async def gallery(home: Path, reading: str, moving: str) -> AsyncIterator[Gallery]:
    """`home` holds the two runs and drafts of the sample, and is written to."""
    async with explored(home) as running:
        paths = {
            "first": "/admin",
            "runs": "/admin/runs",
            "discover": "/admin/discover",
            "inbox": "/admin/inbox",
            "capabilities": "/admin/capabilities",
            "drafts": "/admin/capabilities?state=draft",
            "goals": "/admin/goals",
            "goal-new": "/admin/goals/new",
            "nowhere": "/admin/nowhere",
        }
        yield Gallery(running, {**paths, **_runs(running), **_versions(running, reading, moving), **await _goals(running)})


def _runs(home: Explored) -> dict[str, str]:
    admin = home.served.admin
    done, moved = sorted(each.run_id for each in admin.runs.list(limit=9))
    live = Recorded(admin, "20260101-000000-aaaaaa", "Pay the bill of October")
    live.step("Pay")
    ask(home.served, live.run_id)
    stopped = Recorded(admin, "20260101-000000-bbbbbb", "Go where it is not allowed")
    stopped.step("Leave", ok=False, problem="button 'Leave': clicking it did not work: the element is covered.")
    stopped.end("Two answers in a row could not be used as a decision.")
    cut = Recorded(admin, "20260101-000000-cccccc", "Be cut off")
    cut.step("Wait")
    os.utime(cut.evidence.folder / "manifest.jsonl", (1, 1))
    gone = Recorded(admin, "20260101-000000-dddddd", "Leave nothing behind")
    gone.end()
    gone.evidence.folder.rename(gone.evidence.folder.with_name(".withheld"))
    with admin.runs._database.write() as connection:
        connection.execute("UPDATE runs SET started_at = '2020-01-01T00:00:00+00:00' WHERE run_id = ?", (cut.run_id,))
    own = f"/admin/runs/{done}"
    return {
        "run-done": own,
        "run-risky": f"/admin/runs/{moved}",
        "transcript": f"{own}/transcript",
        "snapshot": f"{own}/snapshots/0001",
        "run-live": f"/admin/runs/{live.run_id}",
        "run-stopped": f"/admin/runs/{stopped.run_id}",
        "run-cut": f"/admin/runs/{cut.run_id}",
        "run-gone": f"/admin/runs/{gone.run_id}",
    }


def _versions(home: Explored, reading: str, moving: str) -> dict[str, str]:
    """1.0.0 as drafted, 1.0.1 with every fault, 1.0.2 superseded, 1.0.3 rejected, 1.0.4 changed after approval."""
    reviewing = home.served.admin.reviewing
    store = reviewing.store
    content: dict[str, Any] = store.load(f"{moving}@1.0.0").model_dump(mode="json", by_alias=True)
    for version in ("1.0.2", "1.0.3", "1.0.4"):
        store.keep(Capability.model_validate({**content, "version": version, "title": f"Transfer {version}"}))
    content["riskClass"] = "read_only"
    content["checkpoint"] = [{"kind": "url", "value": "/.*"}]
    for step in content["steps"]:
        step["effect"] = "idempotent"
        step["value"] = {"{{memberNumber}}": "100231"}.get(step["value"], step["value"])
    content["inputs"]["properties"]["nowhere"] = {"type": "string"}
    store.keep(Capability.model_validate({**content, "version": "1.0.1"}))
    reviewing.reject(f"{moving}@1.0.3", by="mona", comment="The wrong button.")
    reviewing.approve(f"{moving}@1.0.2", by="mona", comment="Fine.")
    reviewing.approve(f"{moving}@1.0.4", by="mona", comment="Fine.")
    file = store.path(moving, "1.0.4")
    file.write_text(file.read_text().replace("Transfer 1.0.4", "Transfer more"))
    other = store.load(f"{reading}@1.0.0").model_dump(mode="json", by_alias=True)
    store.keep(Capability.model_validate({**other, "version": "1.0.1", "title": "Read two balances"}))
    reviewing.approve(f"{reading}@1.0.1", by="mona", comment="Two minutes were enough.")
    broken = store.path(moving, "1.0.9")
    broken.write_text("{}")
    own = f"/admin/capabilities/{moving}"
    return {
        "review-reading": f"/admin/capabilities/{reading}/1.0.0",
        "review-draft": f"{own}/1.0.0",
        "review-faults": f"{own}/1.0.1",
        "review-approved": f"/admin/capabilities/{reading}/1.0.1",
        "review-superseded": f"{own}/1.0.2",
        "review-rejected": f"{own}/1.0.3",
        "review-tampered": f"{own}/1.0.4",
    }


async def _goals(home: Explored) -> dict[str, str]:
    """One that waits, one that is queued, one complete with its artifact, one whose budget was used up."""
    bench, served = home.bench, home.served
    bench.runtime.script = writes(
        lambda order: "tamper" if order.cell.branch == 2 else order.cell.branch + order.cell.attempt / 10
    )
    done = await bench.queue("run-done", branch_count=3)
    spent = await bench.queue("run-spent", branch_count=3, max_agent_calls=2)
    async with bench.clock.running():
        await home.workshop.run(done)
        await home.workshop.run(spent)
    await bench.queue("run-queued")
    async with served.signed_in("rick") as client:
        from tests.explore.kit import request

        asked = request(branch_count=4).model_dump(mode="json")
        answer = (await client.post("/admin/rpc/tasks.create", json=asked)).json()
    return {
        "goal-tree": f"/admin/goals/{done}",
        "goal-table": f"/admin/goals/{done}?view=table",
        "goal-spent": f"/admin/goals/{spent}",
        "goal-queued": "/admin/goals/run-queued",
        "goal-waiting": f"/admin/goals/{answer['run_id']}",
    }
