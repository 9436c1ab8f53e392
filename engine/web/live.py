"""Live views by server-sent events: steps as they are written, open questions, the end; they survive a reconnect."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.responses import JSONResponse, Response, StreamingResponse

from engine.web.page import Page
from engine.web.runs import Seen, seen
from engine.web.timeline import turn
from engine.web.visit import Visit

LOOK_SECONDS = 0.25
BEAT_SECONDS = 15.0
LONGEST_SECONDS = 3600.0
"""Then the stream ends and the browser asks anew, so that a session that has ended is noticed."""


async def run_events(visit: Visit) -> Response:
    """Steps after `Last-Event-ID` (or `?after=`), then what comes."""
    run = seen(visit, visit.given("run_id"))
    after = visit.request.headers.get("last-event-id") or visit.request.query_params.get("after", "0")
    if visit.request.method == "HEAD":
        return Response(media_type="text/event-stream")
    events = _run_events(visit, run.row.run_id, int(after) if after.isdecimal() else 0)
    return StreamingResponse(events, media_type="text/event-stream", headers={"cache-control": "no-store"})


async def waiting(visit: Visit) -> Response:
    """How many questions wait for a person; asked by open pages now and then."""
    return JSONResponse({"waiting": visit.admin.waiting()})


async def _run_events(visit: Visit, run_id: str, sent: int) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    questions: str | None = None  # told at once, so that one that left during a reconnect leaves the page too
    said, mark, silent = "", (-1.0, -1), 0.0
    for _ in range(int(LONGEST_SECONDS / LOOK_SECONDS)):
        run, mark = _looked(visit, run_id, mark)
        if run is not None:
            for step in run.steps[sent:]:
                markup = visit.fragment("turn.html", turn=turn(run_id, run.folder, step), run_id=run_id)
                yield event("step", markup, step.number)
                sent = step.number
        asked = _questions(visit, run_id)
        progress = (visit.admin.discoveries.said(run_id) or ("",))[-1]
        if asked != questions:
            questions = asked
            yield event("questions", asked)
        if progress != said:
            said = progress
            yield event("said", progress)
        if visit.frame.sessions.get(visit.token) is None:
            return
        if visit.admin.runs.get(run_id).ended_at is not None:
            yield event("end", "")
            return
        silent += LOOK_SECONDS
        if silent >= BEAT_SECONDS:
            silent = 0.0
            yield ": still here\n\n"
        await asyncio.sleep(LOOK_SECONDS)


def _looked(visit: Visit, run_id: str, mark: tuple[float, int]) -> tuple[Seen | None, tuple[float, int]]:
    """The run when its steps changed since the mark, else None: fifty viewers cost fifty looks at a file's size."""
    file = visit.admin.settings.evidence / run_id / "steps.jsonl"
    try:
        facts = file.stat()
    except OSError:
        return None, mark
    now = (facts.st_mtime, facts.st_size)
    return (None, mark) if now == mark else (seen(visit, run_id), now)


def _questions(visit: Visit, run_id: str) -> str:
    pending = tuple(one for one in visit.admin.approvals.of_run(run_id) if one.state == "pending")
    return visit.fragment("questions.html", pending=pending, may_decide=visit.may("decide"), back=f"/admin/runs/{run_id}")


def event(kind: str, content: str, number: int | None = None) -> str:
    """One server-sent event; the content is JSON, so that no line of it can be taken for a field."""
    place = "" if number is None else f"id: {number}\n"
    return f"{place}event: {kind}\ndata: {json.dumps(content)}\n\n"


PAGES = (Page("/admin/runs/{run_id}/events", run_events), Page("/admin/waiting", waiting))
