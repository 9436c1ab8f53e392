"""`/admin/capabilities/ID/VERSION`: everything that a person needs to judge one version, and the decision."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.responses import Response

from engine.assembly.counting import Count, count
from engine.assembly.replaying import Order, replay
from engine.assembly.reviewing import Reviewed
from engine.domain.capability import Capability
from engine.domain.ending import ReplayResult
from engine.domain.parse import SCHEMAS
from engine.domain.template import names_in
from engine.errors import CapabilityInvalid, IllegalTransition, NotFound, UsageError
from engine.replay.inputs import secret_names
from engine.review import wording
from engine.review.diff import HEADINGS, Diff, diff
from engine.review.publish import new_draft
from engine.web.doubts import Doubt, doubts
from engine.web.edit import INPUT_TYPES, edited, input_type
from engine.web.folder import Folder
from engine.web.page import Page
from engine.web.seen import Sight, holding, page_of
from engine.web.timeline import Box, Picture, picture
from engine.web.trace import Traced, examples, extractors, read_as, reading, trace
from engine.web.visit import Visit

REPLAY_SECONDS = 60.0
MOST_COMMENT = 2000


@dataclass(frozen=True)
class Shown:
    """One step for the page: beside what the run did, its picture, its doubts, the inputs it uses, what it read by output."""

    traced: Traced
    picture: Picture | None
    doubts: tuple[Doubt, ...]
    inputs: frozenset[str]
    read: Mapping[str, str]


async def review(visit: Visit) -> Response:
    """The page."""
    return _page(visit, _version(visit))


async def decide(visit: Visit) -> Response:
    """Approve, reject or revoke exactly the content that was looked at; 409 with the page as it is now otherwise."""
    fields = await visit.form()
    found = _version(visit)
    which, comment = f"{found.capability.id}@{found.capability.version}", fields.get("comment", "")[:MOST_COMMENT]
    reviewing, digest = visit.admin.reviewing, fields.get("digest", "")
    try:
        if fields.get("answer") == "approve":
            reviewing.approve(which, by=visit.name, comment=comment, digest=digest)
        elif fields.get("answer") == "reject":
            reviewing.reject(which, by=visit.name, comment=comment, digest=digest)
        elif fields.get("answer") == "revoke":
            reviewing.revoke(which, by=visit.name, comment=comment)
        else:
            raise UsageError("Say approve, reject or revoke.")
    except IllegalTransition as problem:
        return _page(visit, _version(visit), 409, problem=str(problem))
    return visit.go(visit.request.url.path.removesuffix("/decide"))


async def try_out(visit: Visit) -> Response:
    """A test replay with the given inputs, or a count of what every locator finds; risky steps are denied."""
    fields = await visit.form()
    found = _version(visit)
    one = found.capability
    names = secret_names(one.inputs)
    inputs = {name: fields.get(f"input-{name}", "") for name in one.inputs.get("properties", {}) if name not in names}
    order = Order(
        f"{one.id}@{one.version}",
        {name: value for name, value in inputs.items() if value},
        secrets={name: value for name in names if (value := visit.admin.secret(name)) is not None},
        target=fields.get("target") or None,
        allow_draft=True,
        approve="deny",
        timeout_seconds=REPLAY_SECONDS,
    )
    counts: tuple[Count, ...] = ()
    if fields.get("way") == "count":
        result, counts = await count(visit.admin.settings, one, order)
    else:
        result = await replay(visit.admin.settings, order)
    return _page(visit, found, tried=result, counts=counts, given={**inputs, "": fields.get("target", "")})


async def edit(visit: Visit) -> Response:
    """A new draft with other words, conditions or risk; the version that is looked at stays as it is."""
    fields = await visit.form()
    found = _version(visit)
    one, store = found.capability, visit.admin.reviewing.store
    taken = visit.admin.reviewing.taken(one.id)
    try:
        draft = new_draft(one, edited(one, fields, _read(visit, one)), f"edited by {visit.name}", taken)
    except CapabilityInvalid as problem:
        return _page(visit, found, 422, problem=str(problem), fields=fields)
    store.keep(draft)
    return visit.go(f"/admin/capabilities/{draft.id}/{draft.version}")


def _read(visit: Visit, one: Capability) -> dict[str, str]:
    """The text that the run read for each output, where its evidence is here."""
    steps = Folder(visit.admin.settings.evidence / one.provenance.discovery_run_id).steps()
    found = ((each, reading(each, steps, examples(one))) for _, each in extractors(one))
    return {each.output: seen[1].text if each.parser.pattern else seen[0].raw for each, seen in found if seen is not None}


def _version(visit: Visit) -> Reviewed:
    """Raises NotFound."""
    name, version = visit.given("name"), visit.given("version")
    if version not in visit.admin.reviewing.store.versions(name):
        raise NotFound(f"There is no {name}@{version}.")
    return visit.admin.reviewing.seen(visit.admin.reviewing.store.at(name, version))


def _page(
    visit: Visit,
    found: Reviewed,
    status: int = 200,
    problem: str = "",
    tried: ReplayResult | None = None,
    counts: tuple[Count, ...] = (),
    given: dict[str, str] | None = None,
    fields: Mapping[str, str] | None = None,
) -> Response:
    one = found.capability
    folder = Folder(visit.admin.settings.evidence / one.provenance.discovery_run_id)
    sight = _sight(one, folder)
    traced = trace(one, sight.steps)
    all_doubts = doubts(one, traced, sight)
    return visit.page(
        "review.html",
        status,
        found=found,
        one=one,
        shown=[_shown(visit, one, each, folder, all_doubts) for each in traced],
        doubts=all_doubts,
        elsewhere=[each for each in all_doubts if each.where not in {step.id for step in one.steps}],
        held=holding(one.checkpoint, sight, examples(one)),
        sight=sight,
        wording=wording,
        json=json,
        examples=examples(one),
        secrets=secret_names(one.inputs),
        changes=_diff(visit, one),
        headings=HEADINGS,
        history=visit.admin.reviewing.book.history(one.id, one.version),
        problem=problem,
        tried=tried,
        counts={(each.step, each.output, each.locator): each.found for each in counts},
        given=given or {},
        fields=fields or {},
        input_types=INPUT_TYPES,
        input_type=input_type,
        output_types=tuple(SCHEMAS),
    )


def _sight(one: Capability, folder: Folder) -> Sight:
    if not one.provenance.discovery_run_id or not folder.there:
        return Sight()
    started, steps = folder.started(), folder.steps()
    pages = tuple(page_of(step, folder.text(step.snapshot)) for step in steps)
    return Sight(started.goal.text if started else "", steps, pages)


def _shown(visit: Visit, one: Capability, traced: Traced, folder: Folder, found: tuple[Doubt, ...]) -> Shown:
    seen = traced.seen
    shot = picture(one.provenance.discovery_run_id, folder, seen) if seen else None
    if shot is not None and seen is not None and traced.step.extract:
        names = {read_as(each, seen, examples(one)): each.output for each in traced.step.extract}
        boxes = tuple(
            Box(round(x - 3, 1), round(y - 3, 1), round(width + 6, 1), round(height + 6, 1), names[name])
            for name, target in seen.outcome.targets.items()
            if name in names and target.box is not None
            for x, y, width, height in [target.box]
        )
        shot = Picture(shot.href, shot.width, shot.height, boxes)
    mine = tuple(each for each in found if each.where == traced.step.id)
    names_used = names_in(traced.step.model_dump_json())
    texts = {each.output: reading(each, (seen,), examples(one)) for each in traced.step.extract if seen}
    read = {name: value[0].raw for name, value in texts.items() if value}
    return Shown(traced, shot, mine, frozenset(name.removeprefix("secret.") for name in names_used), read)


def _diff(visit: Visit, one: Capability) -> Diff | None:
    """Against the version it came from, else the one before it."""
    store = visit.admin.reviewing.store
    versions = store.versions(one.id)
    earlier = versions[: versions.index(one.version)]
    parent = one.provenance.parent_version if one.provenance.parent_version in versions else earlier[-1] if earlier else None
    return diff(store.at(one.id, parent), one) if parent else None


PAGES = (
    Page("/admin/capabilities/{name}/{version}", review),
    Page("/admin/capabilities/{name}/{version}/decide", decide, right="decide", method="POST"),
    Page("/admin/capabilities/{name}/{version}/try", try_out, right="request", method="POST"),
    Page("/admin/capabilities/{name}/{version}/edit", edit, right="request", method="POST"),
)
