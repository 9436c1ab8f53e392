"""Strict schemas: what providers accept, for every action there is."""

from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from engine.decide.vocabulary import decision_shape
from engine.domain.action import ALWAYS, CORE, EXTENSIONS
from engine.llm.schema import form_of

KEYWORDS = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "description"}


def parts(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema and every schema in it."""
    items = [schema["items"]] if "items" in schema else []
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *items]
    return [schema, *(part for member in inner for part in parts(member))]


@settings(deadline=None, max_examples=25)
@given(st.frozensets(st.sampled_from(sorted(CORE | EXTENSIONS))))
def test_every_decision_schema_is_strict(allowed: frozenset[str]) -> None:
    """Whatever is allowed: valid, only plain keywords, all required, nothing else allowed, and only the allowed actions."""
    schema = form_of(decision_shape(allowed)).schema
    jsonschema.Draft202012Validator.check_schema(schema)
    for part in parts(schema):
        assert set(part) <= KEYWORDS
        if part.get("type") == "object":
            assert part["required"] == list(part["properties"])
            assert part["additionalProperties"] is False
    kinds = schema["properties"]["action"]["anyOf"]
    assert {kind["properties"]["action"]["enum"][0] for kind in kinds} == allowed | ALWAYS


def test_a_decision_that_parses_fits_its_schema() -> None:
    """The schema and the type agree: the JSON of a record, defaults written out, validates."""
    shape = decision_shape(CORE)
    for action in (
        {"action": "wait"},
        {"action": "press", "key": "Enter"},
        {"action": "extract", "readings": [{"name": "total", "ref": "e1"}]},
        {"action": "done", "summary": "x"},
    ):
        record = shape.model_validate({"reason": "x", "action": action})
        jsonschema.validate(record.model_dump(mode="json"), form_of(shape).schema)


class Mapped(BaseModel):
    names: dict[str, str]


class Nested(BaseModel):
    inner: "Nested | None" = None


@pytest.mark.parametrize("shape", [Mapped, Nested])
def test_what_no_strict_schema_can_say_is_refused(shape: type[BaseModel]) -> None:
    """A map and a record that holds itself are a programmer's error, said at once."""
    with pytest.raises(ValueError, match=r"map|itself"):
        form_of(shape)
