"""`/admin/inbox`: steps and explorations that wait for a person; decided once, whoever is faster."""

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.responses import Response

from engine.domain.approval import Approval
from engine.domain.exploring import FrozenRequest
from engine.errors import IllegalTransition, NotFound
from engine.explore.answers import ApprovalAnswer
from engine.explore.forms import ApprovalsForm, DecideForm
from engine.web.callers import caller, formed
from engine.web.entrance import inner
from engine.web.folder import Folder
from engine.web.page import Page
from engine.web.timeline import Turn, turns
from engine.web.visit import Visit

MOST_COMMENT = 2000
MOST_SHOWN = 100


@dataclass(frozen=True)
class WaitingRun:
    """An exploration that waits, and the whole frozen request that a yes would set going."""

    approval: ApprovalAnswer
    request: FrozenRequest


async def inbox(visit: Visit) -> Response:
    """The page."""
    return visit.page("inbox.html", **_content(visit), gone=[])


async def inbox_list(visit: Visit) -> Response:
    """What waits, and how it went with what the page shows and waits no longer; asked again and again by the open page."""
    content = _content(visit)
    shown = visit.request.query_params.get("shown", "").split(",")[:MOST_SHOWN]
    gone = [one for name in shown if name not in content["waiting_ids"] and (one := _answered(visit, name)) is not None]
    return visit.page("inbox_list.html", **content, gone=gone)


async def decide_step(visit: Visit) -> Response:
    """Approve or deny one step; 409 with the current state when somebody was faster or it has expired."""
    fields = await visit.form()
    approval_id, back = visit.given("approval_id"), inner(fields.get("back", "/admin/inbox"))
    approve = fields.get("answer") == "approve"
    try:
        visit.admin.decide(approval_id, approve=approve, by=visit.name, comment=fields.get("comment", "")[:MOST_COMMENT])
    except IllegalTransition as problem:
        now = visit.admin.approvals.one(approval_id)
        return visit.page("decided.html", 409, one=now, problem=str(problem), back=back)
    return visit.go(back)


async def decide_run(visit: Visit) -> Response:
    """Approve or deny an exploration."""
    fields = await visit.form()
    form = formed(
        DecideForm,
        id=visit.given("approval_id"),
        approve=fields.get("answer") == "approve",
        comment=fields.get("comment", "")[:MOST_COMMENT],
    )
    visit.admin.exploring.requests.decide(form, caller(visit))
    return visit.go("/admin/inbox")


def _content(visit: Visit) -> dict[str, Any]:
    pending = visit.admin.approvals.pending(visit.admin.now())
    runs = _runs(visit)
    waits: list[tuple[float, Approval | WaitingRun]] = [*((one.asked_at, one) for one in pending)]
    waits += [(each.approval.requested_at / 1000, each) for each in runs]
    return {
        # The oldest first: what comes while somebody reads comes at the end, and moves nothing.
        "waits": [one for _, one in sorted(waits, key=lambda pair: pair[0])],
        "waiting_ids": [*(one.id for one in pending), *(each.approval.approval_id for each in runs)],
        "pictures": {one.id: _picture(visit, one) for one in pending},
        "filled": {one.id: visit.frame.beat.once((one.id, "filled"), partial(_filled, visit, one)) for one in pending},
        "may_decide": visit.may("decide"),
        "back": "/admin/inbox",
    }


def _picture(visit: Visit, one: Approval) -> str:
    """The page as it was looked at before the question, where a picture was taken."""
    name = f"screenshots/{one.step:04d}.jpg"
    there = name in Folder(visit.admin.settings.evidence / one.run_id).names
    return f"/admin/runs/{one.run_id}/files/{name}" if there else ""


def _filled(visit: Visit, one: Approval) -> tuple[Turn, ...]:
    """What the run put in before it asked: the parameters of what would be done."""
    folder = Folder(visit.admin.settings.evidence / one.run_id)
    put_in = (
        step for step in folder.steps() if step.outcome.ok and step.decision.action.action in ("type", "select", "upload")
    )
    return turns(one.run_id, folder, put_in)


def _answered(visit: Visit, name: str) -> Approval | ApprovalAnswer | None:
    """A step or an exploration that waits no longer; None for what never was."""
    with suppress(NotFound):
        return visit.admin.approvals.one(name)
    listed = visit.admin.exploring.requests.approvals(ApprovalsForm(), caller(visit)).approvals
    return next((each for each in listed if each.approval_id == name), None)


def _runs(visit: Visit) -> tuple[WaitingRun, ...]:
    exploring = visit.admin.exploring
    listed = exploring.requests.approvals(ApprovalsForm(state="pending"), caller(visit)).approvals
    return tuple(WaitingRun(one, exploring.desk.explorations.get(one.run_id).request) for one in listed)


PAGES = (
    Page("/admin/inbox", inbox),
    Page("/admin/inbox/list", inbox_list),
    Page("/admin/inbox/{approval_id}", decide_step, right="decide", method="POST"),
    Page("/admin/inbox/runs/{approval_id}", decide_run, right="decide", method="POST"),
)
