"""Turns the fields of the edit form into a changed capability: words, conditions and risk, never the steps themselves."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from engine.domain.capability import Capability, Condition
from engine.errors import CapabilityInvalid


def edited(one: Capability, fields: Mapping[str, str]) -> Capability:
    """The capability with what the form changed. Raises CapabilityInvalid naming the field that does not fit."""
    content: dict[str, Any] = one.model_dump(mode="json", by_alias=True)
    content |= {
        "title": fields.get("title", one.title).strip(),
        "description": fields.get("description", one.description).replace("\r\n", "\n").strip(),
        "riskClass": fields.get("risk", one.risk_class),
        "inputs": _described(content["inputs"], fields, "input"),
        "outputs": _described(content["outputs"], fields, "output"),
        "checkpoint": [
            condition | ({"value": fields[f"checkpoint-{number}"]} if f"checkpoint-{number}" in fields else {})
            for number, condition in enumerate(content["checkpoint"])
        ],
    }
    if text := fields.get("checkpoint-text", "").strip():
        content["checkpoint"].append(Condition(kind="text", value=text).model_dump(mode="json", by_alias=True))
    try:
        return Capability.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise CapabilityInvalid(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from error


def _described(schema: dict[str, Any], fields: Mapping[str, str], kind: str) -> dict[str, Any]:
    """The schema with the descriptions of its properties; an emptied one goes."""
    properties = {}
    for name, each in schema.get("properties", {}).items():
        said = fields.get(f"{kind}-{name}-description", each.get("description", "")).strip()
        rest = {key: value for key, value in each.items() if key != "description"}
        properties[name] = rest | ({"description": said} if said else {})
    return {**schema, **({"properties": properties} if "properties" in schema else {})}
