"""JSON Schemas of what a capability takes and gives, as callers outside see them: without secrets."""

from typing import Any

from engine.domain.capability import Capability, JsonSchema
from engine.domain.ending import EXIT_OF_ENDING
from engine.replay.inputs import public

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def inputs(capability: Capability) -> JsonSchema:
    """The schema of the inputs that a caller gives; unknown names are refused."""
    return {"type": "object", "properties": {}, **public(capability.inputs), "additionalProperties": False}


def outputs(capability: Capability) -> JsonSchema:
    """The schema of the outputs."""
    return {"type": "object", "properties": {}, **capability.outputs}


def answer(capability: Capability) -> JsonSchema:
    """The schema of one call's answer: how it ended, and the outputs when it ended well."""
    text = {"type": "string"}
    request = {"type": "object", "properties": dict.fromkeys(("step", "action", "element", "effect", "why"), text)}
    return {
        "type": "object",
        "properties": {
            "ending": {"type": "string", "enum": [*EXIT_OF_ENDING, "fault"]},
            "outputs": outputs(capability),
            **dict.fromkeys(("explanation", "step", "expected", "seen", "version", "run_id"), text),
            "approval_request": request,
        },
        "required": ["ending", "explanation"],
        "if": {"properties": {"ending": {"const": "ok"}}},
        "then": {"required": ["outputs"]},
    }


def document(capability: Capability) -> dict[str, Any]:
    """One JSON Schema document: `inputs` and `outputs` under `$defs`, and an object that holds both."""
    return {
        "$schema": DIALECT,
        "$id": f"urn:capwright:{capability.id}:{capability.version}",
        "title": capability.title,
        "description": capability.description,
        "type": "object",
        "properties": {"inputs": {"$ref": "#/$defs/inputs"}, "outputs": {"$ref": "#/$defs/outputs"}},
        "required": ["inputs", "outputs"],
        "$defs": {"inputs": inputs(capability), "outputs": outputs(capability)},
    }
