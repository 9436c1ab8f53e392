"""The requests of the core over HTTP: POST /admin/rpc/METHOD with its parameters as JSON; GET /admin/rpc/schema.json."""

import json
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from engine.assembly.exploring import caller_of
from engine.errors import RequestRefused
from engine.explore.catalog import Caller
from engine.explore.schema import requests_schema
from engine.web.page import Page
from engine.web.visit import Visit

BEARER = "bearer "


async def call(visit: Visit) -> Response:
    """Answer one request. The edge turns a refusal into its code and status; without a caller the answer is 401."""
    caller = caller_from(visit)
    exploring = visit.admin.exploring
    if exploring is None:
        raise RequestRefused("not_available", "no explorations are set up here")
    answer = await exploring.requests.call(visit.given("method"), await _params(visit), caller)
    return JSONResponse(answer.model_dump(mode="json"))


async def schema(visit: Visit) -> Response:
    """The one document of all methods."""
    caller_from(visit)
    return JSONResponse(requests_schema())


def caller_from(visit: Visit) -> Caller:
    """Whose bearer token it is, else who is signed in. A token that nobody has is 401, whoever is signed in beside it."""
    given = visit.request.headers.get("authorization", "")
    if given:
        token = given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""
        caller = caller_of(visit.admin.settings, token) if token else None
    else:
        caller = Caller(user_id=visit.user.name, roles=visit.user.roles) if visit.user else None
    if caller is None:
        raise HTTPException(HTTPStatus.UNAUTHORIZED, "Give a bearer token, or sign in.")
    return caller


async def _params(visit: Visit) -> dict[str, Any]:
    try:
        params = json.loads(await visit.request.body() or b"{}")
    except (ValueError, RecursionError) as error:
        raise RequestRefused("invalid_params", f"the content is no JSON: {error}") from error
    if not isinstance(params, dict):
        raise RequestRefused("invalid_params", "the parameters are no object")
    return params


PAGES = (
    Page("/admin/rpc/schema.json", schema, right=None),
    Page("/admin/rpc/{method}", call, right=None, method="POST"),
)
