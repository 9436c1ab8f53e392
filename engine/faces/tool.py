"""A capability as an MCP tool: its definition, the caller's arguments as inputs, a replay's result as the tool's answer."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from engine.domain.capability import Capability, RiskClass
from engine.domain.ending import ReplayResult
from engine.faces import schema
from engine.replay.inputs import secret_names

HINTS: dict[RiskClass, tuple[bool, bool]] = {
    "read_only": (True, False),
    "reversible": (False, False),
    "irreversible": (False, True),
}
"""Risk class → read only, destructive."""


def definition(capability: Capability) -> Tool:
    """The tool: named by the capability's id, schemas without secrets, hints from the risk class."""
    read_only, destructive = HINTS[capability.risk_class]
    said = capability.description or capability.title
    asks = "" if read_only else " A person may have to approve single steps; without that it ends approval_needed."
    return Tool(
        name=capability.id,
        title=capability.title,
        description=f"{said}{asks}",
        input_schema=schema.inputs(capability),
        output_schema=schema.answer(capability),
        annotations=ToolAnnotations(
            title=capability.title,
            read_only_hint=read_only,
            destructive_hint=destructive,
            idempotent_hint=all(step.effect != "commit" for step in capability.steps),
            open_world_hint=True,
        ),
        _meta={"capwright/version": capability.version, "capwright/digest": capability.digest},
    )


def as_inputs(capability: Capability, arguments: Mapping[str, Any]) -> dict[str, str] | str:
    """Arguments as the plain text that a replay takes, or a sentence about the one that may not be given."""
    secrets = secret_names(capability.inputs)
    known = schema.inputs(capability)["properties"]
    for name in arguments:
        if name in secrets:
            return f"{name} is a secret: it comes from this server's own settings and is never given by a caller."
        if name not in known:
            return f"There is no input {name}. Inputs: {', '.join(known) or 'none'}."
    return {name: _text(value) for name, value in arguments.items()}


def answered(capability: Capability, result: ReplayResult) -> CallToolResult:
    """The result of a replay: structured, and in words."""
    said: dict[str, Any] = {
        "ending": result.ending,
        "explanation": result.explanation,
        "version": result.version,
        "run_id": result.run_id,
    }
    if result.ending == "ok":
        said["outputs"] = result.outputs
    else:
        said |= {"step": result.step or "", "expected": result.expected, "seen": result.seen}
    if result.ending == "approval_needed":
        said["approval_request"] = approval_request(capability, result)
    return structured(said, failed=result.ending != "ok")


def approval_request(capability: Capability, result: ReplayResult) -> dict[str, str]:
    """Which step waits for a person, and why."""
    step = next((each for each in capability.steps if each.id == result.step), None)
    return {
        "step": result.step or "",
        "action": step.action if step else "",
        "element": step.target.description if step and step.target else "",
        "effect": step.effect if step else "",
        "why": result.explanation,
    }


def refused(ending: str, explanation: str) -> CallToolResult:
    """An answer without a replay."""
    return structured({"ending": ending, "explanation": explanation}, failed=True)


def structured(said: dict[str, Any], *, failed: bool) -> CallToolResult:
    """Structured content, and the same as text for clients that read only that."""
    text = TextContent(type="text", text=json.dumps(said, ensure_ascii=False))
    return CallToolResult(content=[text], structured_content=said, is_error=failed)


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
