"""Policy files: YAML → Policy, every error a sentence with file, line and field; the default policy; the JSON Schema."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from engine.domain.policy import Allowed, Policy, RequestMatch, Rule, Scope, SecretRule, When
from engine.domain.secret import Secrets
from engine.domain.url import UrlRefused, classify
from engine.errors import PolicyInvalid

Path: TypeAlias = tuple[str | int, ...]

SAYS = {
    "extra_forbidden": "this key is not known; `discover policy schema` lists all",
    "missing": "this key is required",
}


@dataclass(frozen=True)
class PolicyFile:
    """A policy and the line of the file that each of its parts stands on; `name` is what messages call the file."""

    policy: Policy
    name: str
    lines: dict[Path, int] = field(default_factory=dict)

    def where(self, rule: str) -> str:
        """`FILE:LINE` of a rule as verdicts name it (`risk[0]`, `scope.navigate`); the file's name alone for a default."""
        steps = rule.split(":", maxsplit=1)[0].replace("[", ".").replace("]", "").split(".")
        path = tuple(int(step) if step.isdigit() else step for step in steps)
        while path:
            if path in self.lines:
                return f"{self.name}:{self.lines[path]}"
            path = path[:-1]
        return self.name


def parse_policy(text: str, name: str = "policy") -> PolicyFile:
    """A policy from YAML text. Raises PolicyInvalid, one line an error: `FILE:LINE: FIELD: what is wrong`."""
    try:
        tree = yaml.compose(text, Loader=yaml.SafeLoader)
        if tree is None:
            raise PolicyInvalid(f"{name}: the file is empty; `discover init` writes one to start from.")
        lines = dict(_lines(tree, (), name))
        content = yaml.load(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise PolicyInvalid(_unreadable(name, error)) from error
    except RecursionError as error:
        raise PolicyInvalid(f"{name}: nested too deeply to be a policy.") from error
    if not isinstance(content, dict):
        raise PolicyInvalid(f"{name}:1: a policy is a mapping that begins with `version: 1`.")
    try:
        return PolicyFile(Policy.model_validate(content), name, lines)
    except ValidationError as error:
        raise PolicyInvalid("\n".join(_sentence(name, lines, detail) for detail in _telling(error))) from error


def policy_schema() -> dict[str, Any]:
    """The JSON Schema of the file (draft 2020-12): what `discover policy schema` prints and editors use."""
    schema = Policy.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Capwright policy"}


def default_policy(target: str, secrets: Secrets | None = None) -> Policy:
    """Without a file: the target's own origin, the core actions, and every write but a login form asks.

    Raises PolicyInvalid when the target is no plain http(s) URL.
    """
    url = classify(target)
    if isinstance(url, UrlRefused):
        raise PolicyInvalid(f"The target {target!r} {url.why}; give a plain http or https URL.")
    home = str(url.origin)
    return Policy(
        scope=Scope(navigate=(home,)),
        actions=Allowed(),
        risk=(Rule(when=When(request=RequestMatch()), effect="require_approval"),),
        secrets={
            secret.name: SecretRule(origins=secret.origins or (home,), clear=secret.clear)
            for secret in (secrets or Secrets()).entries
        },
        login_forms=True,
    )


def _lines(node: yaml.Node, path: Path, name: str) -> Iterator[tuple[Path, int]]:
    yield path, node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield from _lines(item, (*path, number), name)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        if key.value in seen:
            raise PolicyInvalid(f"{name}:{key.start_mark.line + 1}: {key.value} stands twice in one mapping; keep one.")
        seen.add(key.value)
        yield from _lines(value, (*path, key.value), name)
        yield (*path, key.value), key.start_mark.line + 1


def _unreadable(name: str, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"{name}:{mark.line + 1}: not YAML: {problem}." if mark else f"{name}: not YAML: {problem}."


def _telling(error: ValidationError) -> list[ErrorDetails]:
    """Without "too short" of a list whose items were wrong: pydantic counts the right ones only."""
    details = error.errors()
    inner = {detail["loc"][:-1] for detail in details}
    return [detail for detail in details if detail["type"] != "too_short" or detail["loc"] not in inner]


def _sentence(name: str, lines: dict[Path, int], detail: ErrorDetails) -> str:
    path = tuple(detail["loc"])
    known = next((path[:end] for end in range(len(path), -1, -1) if path[:end] in lines), ())
    label = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".") or "policy"
    text = SAYS.get(detail["type"], detail["msg"].removeprefix("Value error, "))
    given = detail["input"]
    shown = f" (found {given!r})" if isinstance(given, str | int | float) and repr(given) not in text else ""
    return f"{name}:{lines.get(known, 1)}: {label}: {text}{shown}."
