"""Two JSON Schemas of inputs or of outputs: what came, went and changed, and what that means for a caller."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from engine.domain.frozen import Frozen

_SAID = frozenset({"title", "description", "examples", "example", "$comment", "default"})
"""Keywords that tell a reader something and bind nobody."""


class SchemaChange(Frozen):
    """One property that came, went or changed; without a name it is about the schema as a whole."""

    name: str
    bump: Literal["major", "minor", "patch"]
    what: str
    before: str = ""
    after: str = ""


def schema_changes(before: Mapping[str, Any], after: Mapping[str, Any], *, inward: bool) -> Iterator[SchemaChange]:
    """Changes by property, sorted by name; `inward` for inputs, where what is new and required breaks a caller."""
    old, new = before.get("properties", {}), after.get("properties", {})
    was, is_ = frozenset(before.get("required", ())), frozenset(after.get("required", ()))
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield SchemaChange(name=name, bump="major", what="removed", before=_kind(old[name]))
        elif name not in old:
            yield _new(name, new[name], required=name in is_, inward=inward)
        else:
            yield from _changed(name, old[name], new[name])
            if (name in was) != (name in is_):
                yield _required(name, now=name in is_, inward=inward)
    rest = [
        {key: value for key, value in one.items() if key not in ("properties", "required", *_SAID)} for one in (before, after)
    ]
    if rest[0] != rest[1]:
        yield SchemaChange(
            name="", bump="major", what="the schema around them changed", before=_json(rest[0]), after=_json(rest[1])
        )


def _new(name: str, schema: Mapping[str, Any], *, required: bool, inward: bool) -> SchemaChange:
    word = ("required" if required else "optional") if inward else "new"
    return SchemaChange(name=name, bump="major" if inward and required else "minor", what=f"added, {word}", after=_kind(schema))


def _changed(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[SchemaChange]:
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            bump: Literal["major", "patch"] = "patch" if key in _SAID else "major"
            before, after = (_json(one[key]) if key in one else "" for one in (old, new))
            yield SchemaChange(name=name, bump=bump, what=f"{key} changed", before=before, after=after)


def _required(name: str, *, now: bool, inward: bool) -> SchemaChange:
    breaks = now if inward else not now
    return SchemaChange(
        name=name, bump="major" if breaks else "minor", what="is now required" if now else "is no longer required"
    )


def _kind(schema: Mapping[str, Any]) -> str:
    kind = "secret" if schema.get("x-secret") else str(schema.get("format") or schema.get("type") or "any")
    return f"one of {_json(schema['enum'])}" if "enum" in schema else kind


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
