"""`/admin/goals`: explorations as tree and as table, round by round; asking for one, steering it, its artifact."""

import base64
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from engine.domain.exploration import CellId
from engine.errors import CapwrightError, NotFound, RequestRefused
from engine.explore.answers import ArtifactAnswer, CatalogAnswer, FileContent, RunSummary, Tree
from engine.explore.forms import ArtifactForm, CatalogForm, ListForm, RunForm, TreeForm
from engine.store.explorations import CellRecord, RoundRecord
from engine.web.callers import caller, formed
from engine.web.evidence import SANDBOX
from engine.web.live import beats, event, last_seen, stream
from engine.web.page import Page
from engine.web.visit import Visit

A_PAGE = 100
NUMBERS = ("branch_count", "refine_count", "max_parallelism", "max_experiments")
BUDGET = ("max_agent_calls", "max_wall_secs", "max_rounds")
TEXTS = ("approved_root_id", "evaluator", "runtime", "model", "strategy", "round_seed")


async def listed(visit: Visit) -> Response:
    """Newest first."""
    runs = visit.admin.exploring.requests.list(ListForm(), caller(visit)).runs
    return visit.page("goals.html", runs=runs, may_ask=visit.may("request"))


async def one(visit: Visit) -> Response:
    """One exploration; its rounds are loaded when they are opened."""
    tree = _tree(visit, 1)
    return visit.page(
        "goal.html",
        tree=tree,
        **_head(visit, tree.run),
        view=_view(visit),
        last=visit.admin.exploring.desk.explorations.last_event(tree.run.run_id),
        request=visit.admin.exploring.desk.explorations.get(tree.run.run_id).request,
        artifact=_artifact(visit, tree.run),
    )


async def cells(visit: Visit) -> Response:
    """Some cells of one round, those after one of them."""
    number, after = visit.given("round"), visit.request.query_params.get("after", "")
    if not number.isdecimal():
        raise NotFound("There is no such round.")
    # The cell before the first of a round: cells come in the order round, branch, attempt.
    start = after or (str(CellId(int(number) - 1, 10**6, 10**6)) if int(number) > 1 else None)
    tree = _tree(visit, A_PAGE, start)
    found = [cell for cell in tree.nodes if CellId.parse(cell.cell_id).round == int(number)]
    following = found[-1].cell_id if len(found) == A_PAGE else None
    return visit.page(
        "goal_cells.html",
        cells=found,
        depths=_depths(found),
        view=_view(visit),
        run=tree.run,
        round=int(number),
        following=following,
    )


async def events(visit: Visit) -> Response:
    """The head of the page and the rounds whenever they change, with the run's own sequence numbers."""
    run_id = visit.given("run_id")
    _tree(visit, 1)
    if visit.request.method == "HEAD":
        return Response(media_type="text/event-stream")
    return stream(_events(visit, run_id, last_seen(visit)))


async def steer(visit: Visit) -> Response:
    """Cancel, pause or resume."""
    fields = await visit.form()
    requests, form = visit.admin.exploring.requests, formed(RunForm, run_id=visit.given("run_id"))
    ways = {"cancel": requests.cancel, "pause": requests.pause, "resume": requests.resume}
    wanted = fields.get("answer", "")
    if wanted not in ways:
        raise RequestRefused("invalid_params", "Say cancel, pause or resume.")
    ways[wanted](form, caller(visit))
    return visit.go(f"/admin/goals/{form.run_id}")


async def download(visit: Visit) -> Response:
    """One file of what was delivered, verified again, as a download."""
    form = formed(ArtifactForm, run_id=visit.given("run_id"), file_id=visit.given("file_id"))
    found = visit.admin.exploring.requests.artifact(form, caller(visit))
    assert isinstance(found, FileContent), "a file was asked for"
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(found.file.name, safe='')}",
        "content-security-policy": SANDBOX,
    }
    return Response(base64.b64decode(found.content_base64), 200, headers, "application/octet-stream")


async def form(visit: Visit) -> Response:
    """What may be asked for."""
    return _form(visit, {})


async def ask(visit: Visit) -> Response:
    """Ask for an exploration; the form comes back with what does not fit."""
    fields = await visit.form()
    try:
        created: Any = await visit.admin.exploring.requests.call("tasks.create", asked(fields), caller(visit))
    except CapwrightError as problem:
        return _form(visit, fields, str(problem))
    return visit.go(f"/admin/goals/{created.run_id}")


def asked(fields: Mapping[str, str]) -> dict[str, Any]:
    """The form as the parameters of tasks.create; what is empty takes the request's own default."""
    given = {name: text.strip() for name, text in fields.items() if text.strip()}
    discovery: dict[str, Any] = {name: given[name] for name in (*NUMBERS, *TEXTS, "target") if name in given}
    budget = {name: given[name] for name in (*BUDGET, "max_usd") if name in given}
    return {
        "assigned_to": given.get("agent", ""),
        "kind": "discovery",
        "title": given.get("title", ""),
        "description": given.get("description", ""),
        "discovery": {**discovery, "budget": budget},
    }


def _form(visit: Visit, fields: Mapping[str, str], problem: str = "") -> Response:
    agents = visit.admin.exploring.catalog.agents
    chosen = fields.get("agent") or visit.request.query_params.get("agent") or (agents[0].agent_id if agents else "")
    catalog = _catalog(visit, chosen)
    return visit.page(
        "goal_new.html", 422 if problem else 200, fields=fields, problem=problem, agents=agents, chosen=chosen, catalog=catalog
    )


def _catalog(visit: Visit, agent: str) -> CatalogAnswer | None:
    try:
        return visit.admin.exploring.requests.catalog(formed(CatalogForm, agent_id=agent), caller(visit))
    except (NotFound, RequestRefused):
        return None


def _tree(visit: Visit, limit: int, after: str | None = None) -> Tree:
    form = formed(TreeForm, run_id=visit.given("run_id"), after_cell=after, limit=limit)
    return visit.admin.exploring.requests.tree(form, caller(visit))


def _artifact(visit: Visit, run: RunSummary) -> ArtifactAnswer | str | None:
    """Verified files, why they cannot be had, or None where there are none."""
    if run.state != "terminal" or run.winner_cell_id is None:
        return None
    try:
        found = visit.admin.exploring.requests.artifact(ArtifactForm(run_id=run.run_id), caller(visit))
    except RequestRefused as refused:
        return str(refused)
    assert isinstance(found, ArtifactAnswer), "no file was asked for"
    return found


def _depths(found: list[CellRecord]) -> dict[str, int]:
    """How deep each cell stands below a cell of the same round that is shown with it."""
    depths: dict[str, int] = {}
    for cell in found:
        depths[cell.cell_id] = depths[cell.parent] + 1 if cell.parent in depths else 0
    return depths


async def _events(visit: Visit, run_id: str, sent: int) -> AsyncIterator[str]:
    """`head` and `rounds` when they change; `cells` that changed since, numbered like the run's own events."""
    beat, view = visit.frame.beat, _view(visit)
    head: RunSummary | None = None
    rounds: tuple[RoundRecord, ...] = ()
    async for _ in beats(visit):
        tree = beat.once((run_id, "tree"), partial(_tree, visit, 1))
        if (summary := tree.run.model_copy(update={"elapsed_secs": 0.0})) != head:
            head = summary
            yield event("head", visit.fragment("goal_head.html", **_head(visit, tree.run)))
        if changed := [each for each in tree.rounds if each not in rounds]:
            rounds = tree.rounds
            yield event("rounds", visit.fragment("goal_rounds.html", rounds=changed))
        found, last = beat.once((run_id, "cells", sent), partial(_changed, visit, run_id, sent))
        if last > sent:
            content = {"cells": found, "depths": _depths(found), "view": view, "run": tree.run}
            rows = beat.once((run_id, "rows", sent, view, visit.language), partial(visit.fragment, "goal_rows.html", **content))
            sent = last
            yield event("cells", rows, sent)
        if tree.run.state == "terminal":
            yield event("end", "")
            return
        yield ""


def _changed(visit: Visit, run_id: str, after: int) -> tuple[list[CellRecord], int]:
    """Cells as they are now that something happened to after an event, and the number of the last one."""
    explorations = visit.admin.exploring.desk.explorations
    found = explorations.events(run_id, after)
    names = dict.fromkeys(each.subject for each in found if each.kind == "cell")
    rows = (explorations.cells(run_id, _before(CellId.parse(name)), 1) for name in names)
    return [cell for row in rows for cell in row], found[-1].seq if found else after


def _before(cell: CellId) -> CellId:
    """What stands just before a cell, in the order round, branch, attempt."""
    return CellId(cell.round, cell.branch, cell.attempt - 1)


def _head(visit: Visit, run: RunSummary) -> dict[str, Any]:
    since = visit.admin.now() - run.elapsed_secs if run.state not in ("terminal", "paused") and run.elapsed_secs else None
    models = visit.admin.exploring.desk.ledger.models(run.run_id)
    return {"run": run, "since": since, "models": models, "may_steer": visit.may("request")}


def _view(visit: Visit) -> str:
    return "table" if visit.request.query_params.get("view") == "table" else "tree"


PAGES = (
    Page("/admin/goals", listed),
    Page("/admin/goals/new", form, right="request"),
    Page("/admin/goals/new", ask, right="request", method="POST"),
    Page("/admin/goals/{run_id}", one),
    Page("/admin/goals/{run_id}/rounds/{round}", cells),
    Page("/admin/goals/{run_id}/events", events),
    Page("/admin/goals/{run_id}/steer", steer, right="request", method="POST"),
    Page("/admin/goals/{run_id}/files/{file_id}", download),
)
