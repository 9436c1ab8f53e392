"""Live views by server-sent events: steps as they are written, open questions, the end; they survive a reconnect."""

import json
from collections.abc import AsyncIterator
from functools import partial

from starlette.responses import JSONResponse, Response, StreamingResponse

from engine.domain.approval import Approval
from engine.domain.step import Step
from engine.web.language import marked
from engine.web.page import Page
from engine.web.runs import Seen, seen
from engine.web.timeline import turn
from engine.web.visit import Visit
from engine.web.words import ASKED

SILENT_BEATS = 60
LONGEST_BEATS = 18_000
"""About an hour; then the stream ends and the browser asks anew, so that a session that has ended is noticed."""
ANSWERED = marked("Step %(number)s: %(state)s %(name)s")
Mark = tuple[float, int]


async def run_events(visit: Visit) -> Response:
    """Steps after `Last-Event-ID` (or `?after=`), then what comes."""
    run = seen(visit, visit.given("run_id"))
    if visit.request.method == "HEAD":
        return Response(media_type="text/event-stream")
    return stream(_run_events(visit, run.row.run_id, last_seen(visit)))


async def waiting(visit: Visit) -> Response:
    """How many questions wait for a person; asked by open pages now and then."""
    return JSONResponse({"waiting": visit.admin.waiting()})


async def _run_events(visit: Visit, run_id: str, sent: int) -> AsyncIterator[str]:
    beat, asked, said = visit.frame.beat, None, ""
    mark: Mark = (-1.0, -1)
    async for _ in beats(visit):
        ended = beat.once((run_id, "ended"), lambda: visit.admin.runs.get(run_id).ended_at is not None)
        now = beat.once((run_id, "mark"), partial(_mark, visit, run_id))
        if now != mark:
            mark, run = now, beat.once((run_id, "seen"), partial(seen, visit, run_id))
            for step in run.steps[sent:]:
                yield beat.once((run_id, "step", step.number, visit.language), partial(_step, visit, run, step))
                sent = step.number
        before, asked = asked, beat.once((run_id, "asked"), partial(visit.admin.approvals.of_run, run_id))
        if asked != before:
            yield event("questions", _questions(visit, run_id, asked))
        progress = _answered(visit, before, asked) or visit.told((visit.admin.discoveries.said(run_id) or ("",))[-1])
        if progress != said:
            said = progress
            yield event("said", progress)
        if ended:
            yield event("end", "")
            return
        yield ""


def _mark(visit: Visit, run_id: str) -> Mark:
    """Changes with the steps of a run."""
    try:
        facts = (visit.admin.settings.evidence / run_id / "steps.jsonl").stat()
    except OSError:
        return (-1.0, -1)
    return (facts.st_mtime, facts.st_size)


def _step(visit: Visit, run: Seen, step: Step) -> str:
    run_id = run.row.run_id
    return event("step", visit.fragment("turn.html", turn=turn(run_id, run.folder, step), run_id=run_id), step.number)


def _questions(visit: Visit, run_id: str, asked: tuple[Approval, ...]) -> str:
    pending = tuple(one for one in asked if one.state == "pending")
    return visit.fragment("questions.html", pending=pending, may_decide=visit.may("decide"), back=f"/admin/runs/{run_id}")


def _answered(visit: Visit, before: tuple[Approval, ...] | None, asked: tuple[Approval, ...]) -> str:
    """Of a question that was open a moment ago: how it was answered, and by whom."""
    open_before = {one.id for one in before or () if one.state == "pending"}
    for one in asked:
        if one.id in open_before and one.state != "pending":
            return visit.say(ANSWERED) % {"number": one.step, "state": visit.say(ASKED[one.state]), "name": one.approver}
    return ""


async def beats(visit: Visit) -> AsyncIterator[None]:
    """One after another while the session lasts."""
    for _ in range(LONGEST_BEATS):
        if visit.frame.sessions.get(visit.token) is None:
            return
        yield
        await visit.frame.beat.next()


def last_seen(visit: Visit) -> int:
    """The number of the last event that the page has."""
    after = visit.request.headers.get("last-event-id") or visit.request.query_params.get("after", "0")
    return int(after) if after.isascii() and after.isdecimal() and len(after) < 10 else 0


def stream(events: AsyncIterator[str]) -> Response:
    """An answer that goes on."""
    return StreamingResponse(_kept(events), media_type="text/event-stream", headers={"cache-control": "no-store"})


async def _kept(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """With a sign of life now and then; an empty text is a beat in which nothing happened."""
    yield "retry: 1000\n\n"
    silent = 0
    async for text in events:
        silent = 0 if text else silent + 1
        if text:
            yield text
        elif silent % SILENT_BEATS == 0:
            yield ": still here\n\n"


def event(kind: str, content: str, number: int | None = None) -> str:
    """One server-sent event; the content is JSON, so that no line of it can be taken for a field."""
    place = "" if number is None else f"id: {number}\n"
    return f"{place}event: {kind}\ndata: {json.dumps(content)}\n\n"


PAGES = (Page("/admin/runs/{run_id}/events", run_events), Page("/admin/waiting", waiting))
