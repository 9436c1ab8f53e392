"""The closed vocabulary as a planner's answer: the record type, and the words of the prompt, made from the Action union."""

from functools import cache
from typing import Annotated, Any, Union, get_args

from pydantic import Field, create_model

from engine.domain.action import ALWAYS, Action, Decision
from engine.domain.capability import JsonSchema
from engine.domain.frozen import Frozen
from engine.llm.schema import form_of

KINDS: tuple[type[Frozen], ...] = get_args(get_args(Action)[0])


@cache
def decision_shape(allowed: frozenset[str]) -> type[Decision]:
    """A Decision that can hold only these actions, and the ones that touch nothing and are always there."""
    action: Any = Union[_kinds(allowed)]  # noqa: UP007 the members are known only now
    field: Any = (Annotated[action, Field(discriminator="action")], ...)
    return create_model("Decision", __base__=Decision, action=field)


def vocabulary(allowed: frozenset[str]) -> str:
    """One line an action: its JSON, and what it does."""
    return "\n".join(_line(kind) for kind in _kinds(allowed))


def _kinds(allowed: frozenset[str]) -> tuple[type[Frozen], ...]:
    return tuple(kind for kind in KINDS if kind.model_fields["action"].default in allowed | ALWAYS)


def _line(kind: type[Frozen]) -> str:
    return f"- {_sketch(form_of(kind).schema)}\n  {' '.join((kind.__doc__ or '').split())}"


def _sketch(schema: JsonSchema) -> str:
    """A schema as a person would write an example of it."""
    if "anyOf" in schema:
        return " or ".join(_sketch(member) for member in schema["anyOf"])
    if "enum" in schema:
        return "|".join(f'"{word}"' for word in schema["enum"])
    if schema["type"] == "object":
        inner = ", ".join(f'"{name}": {_sketch(part)}{_told(part)}' for name, part in schema["properties"].items())
        return f"{{{inner}}}"
    if schema["type"] == "array":
        return f"[{_sketch(schema['items'])}, …]"
    return str(schema["type"])


def _told(part: JsonSchema) -> str:
    return f" ({part['description']})" if "description" in part else ""
