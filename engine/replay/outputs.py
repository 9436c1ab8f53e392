"""Outputs against their schema."""

from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from engine.domain.capability import JsonSchema


def fault(schema: JsonSchema, outputs: dict[str, Any]) -> str | None:
    """None when the outputs fit, else a sentence with the name of the output."""
    error = best_match(Draft202012Validator(schema).iter_errors(outputs))
    if error is None:
        return None
    return f"Output {'.'.join(str(part) for part in error.absolute_path) or 'set'}: {error.message[:300]}."
