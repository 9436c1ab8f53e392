"""Turns the fields of the edit form into a changed capability: words, names, types, conditions and risk, never the steps."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from engine.domain.capability import Capability, Condition, JsonSchema
from engine.domain.parse import SCHEMAS, Unparsable, parse
from engine.domain.template import PLACEHOLDER
from engine.errors import CapabilityInvalid
from engine.replay.inputs import checked, coerced
from engine.web.trace import examples, extractors

INPUT_TYPES: Mapping[str, JsonSchema] = {
    "text": {"type": "string", "minLength": 1},
    "integer": {"type": "integer"},
    "decimal": {"type": "string", "format": "decimal", "pattern": r"^-?\d+(\.\d+)?$"},
    "date": {"type": "string", "format": "date"},
    "email": {"type": "string", "format": "email"},
    "boolean": {"type": "boolean"},
}
SAID = ("title", "description", "examples")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
Names = Mapping[str, str]
"""Old names to new ones, all of them."""


def edited(one: Capability, fields: Mapping[str, str], read: Mapping[str, str]) -> Capability:
    """The capability with what the form changed; `read` is the text that the run read for each output, where it is known.

    Raises CapabilityInvalid naming what does not fit.
    """
    content: dict[str, Any] = one.model_dump(mode="json", by_alias=True)
    inputs, outputs = (_renamed(content[side], fields, side) for side in ("inputs", "outputs"))
    content |= {
        "title": fields.get("title", one.title).strip(),
        "description": fields.get("description", one.description).replace("\r\n", "\n").strip(),
        "riskClass": fields.get("risk", one.risk_class),
        "checkpoint": list(_checkpoint(content["checkpoint"], fields)),
    }
    content = _replaced(content, inputs) | {
        "inputs": _schema(content["inputs"], fields, "inputs", inputs),
        "outputs": _schema(content["outputs"], fields, "outputs", outputs),
    }
    for proof in content["provenance"]["proof"]:
        proof["inputs"] = {inputs.get(name, name): value for name, value in proof["inputs"].items()}
    for step in content["steps"]:
        for each in step["extract"]:
            kind = fields.get(f"outputs-{each['output']}-type", "")
            if kind in SCHEMAS and kind != each["parser"]["type"]:
                each["parser"]["type"] = kind
            each["output"] = outputs.get(each["output"], each["output"])
    changed = _parsed(content)
    _fits(changed, {outputs.get(name, name): text for name, text in read.items()})
    return changed


def input_type(schema: JsonSchema) -> str:
    """The word for the type of an input; empty for one that the form does not know, such as one of several options."""
    shape = {key: value for key, value in schema.items() if key not in SAID}
    return next((word for word, known in INPUT_TYPES.items() if known == shape or shape == {"type": word}), "")


def _renamed(schema: JsonSchema, fields: Mapping[str, str], side: str) -> Names:
    properties = schema.get("properties", {})
    wanted = {name: fields.get(f"{side}-{name}-name", name).strip() for name in properties}
    for name in wanted.values():
        if not NAME.fullmatch(name):
            raise CapabilityInvalid(f"“{name}” is no name: letters, digits and _ only, a letter first.")
        if list(wanted.values()).count(name) > 1:
            raise CapabilityInvalid(f"There are two of the name {name}.")
    return wanted


def _schema(schema: JsonSchema, fields: Mapping[str, str], side: str, names: Names) -> JsonSchema:
    """With the new names, types and descriptions; an emptied description goes."""
    properties = {}
    for name, each in schema.get("properties", {}).items():
        said = {key: each[key] for key in SAID if key in each}
        said["description"] = fields.get(f"{side}-{name}-description", said.get("description", "")).strip()
        kind = fields.get(f"{side}-{name}-type", "")
        known: Mapping[str, JsonSchema] = INPUT_TYPES if side == "inputs" else SCHEMAS
        same = kind not in known or (input_type(each) if side == "inputs" else _output_type(each)) == kind
        shape = {key: value for key, value in each.items() if key not in SAID} if same else known[kind]
        if "examples" in said:
            said["examples"] = [coerced(str(example), shape) for example in said["examples"]]
        properties[names[name]] = {**shape, **{key: value for key, value in said.items() if value}}
    required = [names.get(name, name) for name in schema.get("required", ())]
    return schema | ({"properties": properties} if properties else {}) | ({"required": required} if required else {})


def _output_type(schema: JsonSchema) -> str:
    shape = {key: value for key, value in schema.items() if key not in SAID}
    return next((word for word, known in SCHEMAS.items() if known == shape), "")


def _checkpoint(conditions: list[dict[str, Any]], fields: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for number, condition in enumerate(conditions):
        yield condition | ({"value": fields[f"checkpoint-{number}"]} if f"checkpoint-{number}" in fields else {})
    if text := fields.get("checkpoint-text", "").strip():
        yield Condition(kind="text", value=text).model_dump(mode="json", by_alias=True)


def _replaced(content: Any, names: Names) -> Any:
    """Everything with the placeholders of renamed inputs renamed, all at once: two may change places."""
    if isinstance(content, str):
        return PLACEHOLDER.sub(lambda match: f"{{{{{names.get(match[1], match[1])}}}}}", content)
    if isinstance(content, list):
        return [_replaced(each, names) for each in content]
    return {key: _replaced(each, names) for key, each in content.items()} if isinstance(content, dict) else content


def _parsed(content: dict[str, Any]) -> Capability:
    try:
        return Capability.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise CapabilityInvalid(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from error


def _fits(one: Capability, read: Mapping[str, str]) -> None:
    """The run's own values must be of the new types: its inputs by the schema, what it read by the parser."""
    given = examples(one)
    known = {name: each for name, each in one.inputs.get("properties", {}).items() if name in given}
    if problem := checked(one.model_copy(update={"inputs": {"type": "object", "properties": known}}), given):
        raise CapabilityInvalid(problem)
    for _, each in extractors(one):
        try:
            if each.output in read and each.kind not in ("table", "list", "file"):
                parse(read[each.output], each.parser)
        except Unparsable as error:
            raise CapabilityInvalid(f"{each.output}: {error}.") from error
