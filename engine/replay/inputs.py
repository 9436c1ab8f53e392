"""Inputs of a replay: checked against the capability's schema before a browser starts, then plain text for typed slots."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from engine.domain.capability import Capability, JsonSchema


def checked(capability: Capability, given: Mapping[str, str]) -> str | None:
    """None when the inputs fit the schema, else a sentence with the name of the input. Secret inputs are not looked at."""
    schema = public(capability.inputs)
    values = {name: coerced(text, schema.get("properties", {}).get(name, {})) for name, text in given.items()}
    error = best_match(Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).iter_errors(values))
    if error is None:
        return None
    where = ".".join(str(part) for part in error.absolute_path)
    return f"Input {where + ': ' if where else ''}{error.message}. Inputs: {', '.join(schema.get('properties', {})) or 'none'}."


def public(schema: JsonSchema) -> JsonSchema:
    """The schema without its secret inputs: those come from the secrets, never from a caller's values."""
    shown = {name: field for name, field in schema.get("properties", {}).items() if not field.get("x-secret")}
    return {**schema, "properties": shown, "required": [name for name in schema.get("required", []) if name in shown]}


def secret_names(schema: JsonSchema) -> tuple[str, ...]:
    """Names of the secret inputs."""
    return tuple(name for name, field in schema.get("properties", {}).items() if field.get("x-secret"))


def coerced(text: str, field: JsonSchema) -> Any:
    """The text as the schema's type; text that is none of it stays text, and the schema refuses it."""
    kind = field.get("type")
    if kind == "integer" and text.lstrip("-").isdigit():
        return int(text)
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    return text
