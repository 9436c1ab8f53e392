"""Strict JSON Schema of a record: every property required, nothing else allowed, anyOf, no reference, no other keyword."""

from functools import cache
from typing import Any

from pydantic import BaseModel

from engine.domain.capability import JsonSchema
from engine.llm.protocol import Form


@cache
def form_of(shape: type[BaseModel]) -> Form:
    """The form for one record type. Raises ValueError for what no strict schema can say: maps and recursion."""
    whole = shape.model_json_schema()
    return Form(name=shape.__name__, schema=_strict(whole, whole.get("$defs", {}), ()))


def _strict(part: JsonSchema, named: JsonSchema, within: tuple[str, ...]) -> JsonSchema:
    """One schema, with references put in place: providers differ in what they make of `$ref`."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        if name in within:
            raise ValueError(f"{name} holds itself: no strict schema can say that")
        return _described(_strict(named[name], named, (*within, name)), part)
    if "oneOf" in part or "anyOf" in part:
        members = part.get("oneOf") or part["anyOf"]
        return _described({"anyOf": [_strict(member, named, within) for member in members]}, part)
    return _described(_plain(part, named, within), part)


def _plain(part: JsonSchema, named: JsonSchema, within: tuple[str, ...]) -> JsonSchema:
    if "const" in part:
        return {"type": "string", "enum": [part["const"]]}
    kind = part.get("type")
    if kind == "object":
        if part.get("additionalProperties"):
            raise ValueError("a map has no strict schema; use a list of named pairs")
        fields = {name: _strict(inner, named, within) for name, inner in part.get("properties", {}).items()}
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    if kind == "array":
        return {"type": "array", "items": _strict(part["items"], named, within)}
    return {key: part[key] for key in ("type", "enum") if key in part}


def _described(schema: JsonSchema, part: dict[str, Any]) -> JsonSchema:
    """Field descriptions stay; those of whole records are left out, because the system message has them already."""
    if "description" in part and part.get("type") != "object":
        return {**schema, "description": part["description"]}
    return schema
