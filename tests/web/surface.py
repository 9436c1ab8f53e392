"""The admin's HTTP surface as an OpenAPI document, made from its own table of pages, with every status that is meant."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from engine.explore.requests import METHODS
from engine.web.app import PAGES
from engine.web.boundary import FORM, JSON, RPC_PATHS
from engine.web.page import Page

READ = (200, 404)
CHANGE = (303, 404, 409, 422)
REQUEST = (200, 403, 404, 409, 413, 422, 429)
MORE: Mapping[str, tuple[int, ...]] = {"/": (303,), "/admin/login": (303, 401, 429), "/admin/login/link": (401,)}
ANSWERS = ("approve", "deny", "reject", "revoke", "cancel", "pause", "resume")
FIELDS = (
    "goal", "target", "policy", "model", "max_steps", "seconds", "secrets", "inputs", "examples", "comment", "back", "digest",
    "title", "description", "risk", "checkpoint-0", "checkpoint-text", "inputs-number-name", "inputs-number-type", "name",
    "outputs-total-name", "outputs-total-type", "password", "next", "link", "language", "agent",
    "approved_root_id", "evaluator", "branch_count", "refine_count", "max_rounds",
    "max_agent_calls", "max_usd", "max_wall_secs",
    "max_parallelism",
)  # fmt: skip


def surface(form_token: str, known: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    """`known` holds values of path parameters that exist, by name."""
    paths: dict[str, Any] = {}
    for page in PAGES:
        path = page.path.replace(":path", "")
        paths.setdefault(path, {})[page.method.lower()] = _operation(page, form_token, known)
    return {"openapi": "3.1.0", "info": {"title": "admin", "version": "1"}, "paths": paths}


def _operation(page: Page, form_token: str, known: Mapping[str, Iterable[str]]) -> dict[str, Any]:
    live = page.path.endswith(("/events", "/try"))  # what exists there streams for an hour, or starts a browser
    names = re.findall(r"\{(\w+)", page.path)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": _value(() if live else known.get(name, ()))} for name in names
    ]
    queries = ("before", "state", "view", "after", "link", "next", "agent", "shown")
    parameters += [{"name": name, "in": "query", "schema": {"type": "string"}} for name in queries if page.method == "GET"]
    requests = page.path.startswith(RPC_PATHS)
    meant = {*(READ if page.method == "GET" else REQUEST if requests else CHANGE), *MORE.get(page.path, ())}
    if page.path.startswith("/rpc/"):
        meant.add(401)
    operation: dict[str, Any] = {"parameters": parameters, "responses": {str(each): {"description": ""} for each in meant}}
    if page.method == "POST":
        content = {JSON: {"schema": _params()}} if requests else {FORM: {"schema": _form(form_token)}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _value(known: Iterable[str]) -> dict[str, Any]:
    found = sorted(known)
    some = {"type": "string", "minLength": 1, "maxLength": 60}
    return {"anyOf": [{"enum": found}, some]} if found else some


def _form(form_token: str) -> dict[str, Any]:
    texts = {name: {"type": "string", "maxLength": 300} for name in FIELDS}
    return {
        "type": "object",
        "properties": {**texts, "form_token": {"const": form_token}, "answer": {"enum": [*ANSWERS, ""]}},
        "required": ["form_token"],
        "additionalProperties": False,
    }


def _params() -> dict[str, Any]:
    """The parameters of any request; which one is asked for is told by the path, so most do not fit, and some do."""
    forms = [form.model_json_schema(ref_template="#/x/{model}") for form, _ in METHODS.values()]
    plain = [form for form in forms if "$defs" not in form]
    return {"anyOf": [*plain, {"type": "object"}]}
