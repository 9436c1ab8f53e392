"""The core's requests as JSON over HTTP: for our own pages by session, for programs by bearer token."""

import json

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from engine.assembly.exploring import caller_of
from engine.errors import RequestRefused
from engine.explore.catalog import Caller
from engine.web.callers import caller
from engine.web.page import Page
from engine.web.visit import Visit


async def by_session(visit: Visit) -> Response:
    """One request of whoever is signed in."""
    return await _answered(visit, caller(visit))


async def by_token(visit: Visit) -> Response:
    """One request of a program; a cookie is worth nothing here."""
    scheme, _, token = visit.request.headers.get("authorization", "").partition(" ")
    found = caller_of(visit.admin.settings, token) if scheme.lower() == "bearer" else None
    if found is None:
        raise HTTPException(401, "Bear a token of config.toml: Authorization: Bearer …")
    return await _answered(visit, found)


async def _answered(visit: Visit, asking: Caller) -> Response:
    try:
        params = json.loads(await visit.request.body())
    except (ValueError, RecursionError) as error:
        raise RequestRefused("invalid_params", "The content is no JSON.") from error
    if not isinstance(params, dict):
        raise RequestRefused("invalid_params", "The content is no JSON object.")
    answer = await visit.admin.exploring.requests.call(visit.given("method"), params, asking)
    return JSONResponse(answer.model_dump(mode="json"))


PAGES = (
    Page("/admin/rpc/{method}", by_session, method="POST"),
    Page("/rpc/{method}", by_token, right=None, method="POST"),
)
