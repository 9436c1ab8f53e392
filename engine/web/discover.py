"""`/admin/discover`: a form, and a discovery in the background that its run's page shows live."""

from collections.abc import Mapping
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response

from engine.assembly.discovering import Order
from engine.assembly.planning import chosen_model
from engine.errors import CapwrightError, UsageError
from engine.web.page import Page
from engine.web.visit import Visit

MOST_STEPS, MOST_SECONDS = 1000, 3600
USUAL_SECONDS = 900
"""Longer than on the command line: people who are asked in the inbox need some of it."""


async def form(visit: Visit) -> Response:
    """Empty, with the settings' own values as hints."""
    return _form(visit, {})


async def start(visit: Visit) -> Response:
    """Begin, and go to the run; what does not fit is said above the form, which keeps what was written."""
    fields = await visit.form()
    try:
        order = order_of(visit, fields)
        run_id = await visit.admin.discoveries.start(order, by=visit.name, known=visit.admin.knows)
    except CapwrightError as problem:
        return _form(visit, fields, str(problem))
    return visit.go(f"/admin/runs/{run_id}")


async def cancel(visit: Visit) -> Response:
    """End a discovery of this server; its evidence is kept."""
    await visit.form()
    run_id = visit.given("run_id")
    visit.admin.runs.get(run_id)
    if not visit.admin.discoveries.cancel(run_id):
        raise HTTPException(409, "This run is not under way in this server; end it where it was started.")
    return visit.go(f"/admin/runs/{run_id}")


def order_of(visit: Visit, fields: Mapping[str, str]) -> Order:
    """The order that the form means. Raises UsageError naming what does not fit."""
    goal, target = fields.get("goal", "").strip(), fields.get("target", "").strip()
    if not goal or not target:
        raise UsageError("A discovery needs both a goal and a target.")
    names = fields.get("secrets", "").replace(",", " ").split()
    secrets = {name: value for name in names if (value := visit.admin.secret(name)) is not None}
    lacking = [name for name in names if name not in secrets]
    if lacking:
        raise UsageError(f"The server's environment has no value for the secrets {', '.join(lacking)}: CAPWRIGHT_SECRET_NAME.")
    policy = fields.get("policy", "")
    if policy and policy not in policies(visit):
        raise UsageError(f"There is no policy {policy} in this home.")
    return Order(
        goal=goal,
        target=target,
        policy=Path(policy) if policy else None,
        model=fields.get("model", "").strip() or None,
        inputs=_pairs(fields.get("inputs", ""), "Inputs"),
        secrets=secrets,
        examples=tuple(_pairs(line.replace(",", "\n"), "Examples") for line in _lines(fields.get("examples", ""))),
        max_steps=_number(fields.get("max_steps", ""), "Steps", MOST_STEPS),
        timeout_seconds=_number(fields.get("seconds", ""), "Seconds", MOST_SECONDS) or USUAL_SECONDS,
        approve="inbox",
        screenshots="always",
    )


def policies(visit: Visit) -> tuple[str, ...]:
    """Names of the home's policy files."""
    return tuple(sorted(file.stem for file in visit.admin.settings.policies.glob("*.yaml")))


def _form(visit: Visit, fields: Mapping[str, str], problem: str = "") -> Response:
    status = 422 if problem else 200
    model = _model(visit)
    return visit.page(
        "discover.html", status, fields=fields, problem=problem, policies=policies(visit), model=model, usual=USUAL_SECONDS
    )


def _model(visit: Visit) -> str:
    try:
        return chosen_model(visit.admin.settings).name
    except CapwrightError as error:
        return str(error)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _pairs(text: str, what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _lines(text):
        name, separator, value = line.partition("=")
        if not separator or not name.strip():
            raise UsageError(f"{what} are written name=value; “{line[:80]}” is not.")
        found[name.strip()] = value.strip()
    return found


def _number(text: str, what: str, most: int) -> int | None:
    if not text.strip():
        return None
    if not text.strip().isdecimal() or not 1 <= int(text) <= most:
        raise UsageError(f"{what}: a whole number from 1 to {most:,}.")
    return int(text)


PAGES = (
    Page("/admin/discover", form, right="request"),
    Page("/admin/discover", start, right="request", method="POST"),
    Page("/admin/runs/{run_id}/cancel", cancel, right="request", method="POST"),
)
