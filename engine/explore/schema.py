"""The requests of the core as one JSON Schema document."""

from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from engine.explore.requests import METHODS, Requests

ERRORS = (
    "invalid_params", "permission_denied", "not_found", "unknown_root", "unknown_evaluator", "evaluator_stale",
    "runtime_unsupported", "grid_too_large", "already_terminal", "not_available", "integrity_changed", "file_too_large",
    "expired", "already_decided", "payload_mismatch",
)  # fmt: skip


def requests_schema() -> dict[str, Any]:
    """Each property is one method with its `params` and what it `returns`; `error` is what a refusal answers."""
    forms = {form for form, _ in METHODS.values()}
    returned = {method: returns(name) for method, (_, name) in METHODS.items()}
    answers = {answer for each in returned.values() for answer in each}
    refs, document = models_json_schema(
        [
            *((form, "validation") for form in sorted(forms, key=_name)),
            *((one, "serialization") for one in sorted(answers, key=_name)),
        ]
    )
    methods = {
        method: {
            "type": "object",
            "properties": {
                "params": refs[(form, "validation")],
                "returns": {"anyOf": [refs[(answer, "serialization")] for answer in returned[method]]},
            },
        }
        for method, (form, _) in METHODS.items()
    }
    error = {"type": "object", "properties": {"error": {"enum": list(ERRORS)}, "message": {"type": "string"}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Requests of the discovery core",
        "type": "object",
        "properties": {**methods, "error": error},
        "$defs": document["$defs"],
    }


def returns(name: str) -> tuple[type[BaseModel], ...]:
    """The records that a method of Requests may answer with."""
    hint = get_type_hints(getattr(Requests, name))["return"]
    return get_args(hint) if get_origin(hint) is UnionType else (hint,)


def _name(kind: type[BaseModel]) -> str:
    return kind.__name__
