"""`/admin/runs` and `/admin/runs/ID`: the list, and one run's evidence as a timeline."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from starlette.responses import Response

from engine.domain.approval import Approval
from engine.domain.step import Step
from engine.pipeline import RunStarted
from engine.record.verify import Verification, verify
from engine.store.runs import RunRow
from engine.web.folder import Folder
from engine.web.page import Page
from engine.web.timeline import turns
from engine.web.visit import Visit

A_PAGE = 50
GRACE_SECONDS = 120.0
"""A run that has written nothing for its whole time limit and this much more was cut off."""


@dataclass(frozen=True)
class Seen:
    """One run with what its evidence says."""

    row: RunRow
    folder: Folder
    started: RunStarted | None
    steps: tuple[Step, ...]
    asked: tuple[Approval, ...]
    status: str

    @property
    def going(self) -> bool:
        """Still under way."""
        return self.status == "running"

    @property
    def pending(self) -> tuple[Approval, ...]:
        """Questions that wait for a person."""
        return tuple(one for one in self.asked if one.state == "pending")


def seen(visit: Visit, run_id: str) -> Seen:
    """One run. Raises NotFound."""
    row = visit.admin.runs.get(run_id)
    folder = Folder(visit.admin.settings.evidence / run_id)
    started = folder.started()
    asked = visit.admin.approvals.of_run(run_id)
    return Seen(row, folder, started, folder.steps(), asked, status_of(visit, row, folder, started))


def status_of(visit: Visit, row: RunRow, folder: Folder, started: RunStarted | None) -> str:
    """The run's status; a running one that shows no sign of life for longer than it may take is `cut`."""
    if row.status != "running" or visit.admin.discoveries.runs(row.run_id):
        return row.status
    limit = started.policy.limits.discovery_timeout_ms / 1000 if started else 180.0
    silent = visit.admin.now() - max(folder.touched(), row.started_at.timestamp())
    return "cut" if silent > limit + GRACE_SECONDS else "running"


async def listed(visit: Visit) -> Response:
    """Newest first, a page at a time."""
    before = _moment(visit.request.query_params.get("before", ""))
    runs = visit.admin.runs.list(limit=A_PAGE + 1, before=before)
    older = runs[A_PAGE - 1].started_at if len(runs) > A_PAGE else None
    return visit.page("runs.html", runs=runs[:A_PAGE], older=older, before=before)


async def one(visit: Visit) -> Response:
    """The timeline, questions, result, files, and whether the evidence is whole."""
    run = seen(visit, visit.given("run_id"))
    checked = await asyncio.to_thread(_verified, run)
    spent = run.row.result.usage if run.row.result else None
    return visit.page(
        "run.html",
        run=run,
        turns=turns(run.row.run_id, run.folder, run.steps),
        checked=checked,
        usage=spent,
        capability=_capability(run.row),
        mine=visit.admin.discoveries.runs(run.row.run_id),
        may_cancel=visit.may("request"),
        may_decide=visit.may("decide"),
        names=run.folder.names,
    )


async def snapshot(visit: Visit) -> Response:
    """What was seen of one step, as text."""
    run = seen(visit, visit.given("run_id"))
    name = f"snapshots/{visit.given('number')}.yaml"
    return visit.page("text.html", heading=name, back=f"/admin/runs/{run.row.run_id}", text=run.folder.read(name).decode())


async def transcript(visit: Visit) -> Response:
    """Every message to and from the model, redacted as it was kept."""
    run = seen(visit, visit.given("run_id"))
    return visit.page("transcript.html", run=run, messages=run.folder.messages())


def _verified(run: Seen) -> Verification | None:
    finished = run.row.ended_at is not None
    return verify(run.folder.path, run.row.manifest_head, finished) if run.folder.there else None


def _capability(row: RunRow) -> str | None:
    """`ID@VERSION` of the draft that came of it."""
    file = row.result.capability if row.result else None
    parts = file.removesuffix(".json").replace("\\", "/").split("/") if file else []
    return f"{parts[-2]}@{parts[-1]}" if len(parts) > 1 else None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


PAGES = (
    Page("/admin/runs", listed),
    Page("/admin/runs/{run_id}", one),
    Page("/admin/runs/{run_id}/snapshots/{number}", snapshot),
    Page("/admin/runs/{run_id}/transcript", transcript),
)
