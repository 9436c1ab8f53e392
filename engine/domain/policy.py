"""The policy file: what a run may reach, do and answer. Default deny; forbid beats require_approval beats permit."""

import hashlib
import json
import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, model_validator
from pydantic.alias_generators import to_camel

from engine.domain.action import ActionName, Name
from engine.domain.frozen import Frozen
from engine.domain.scope import parse_pattern
from engine.domain.url import lenient_paths

Effect: TypeAlias = Literal["permit", "forbid", "require_approval"]
DialogType: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]
DialogAnswer: TypeAlias = Literal["accept", "dismiss", "require_approval"]

EVERY_WRITE = "*"
READS = frozenset({"GET", "HEAD"})
NAME_CAP = 2000
"""Characters of an accessible name that a rule looks at; a longer one counts as a match of every rule that restricts."""


class _Camel(Frozen):
    model_config = Frozen.model_config | {"alias_generator": to_camel}


def _pattern(text: str) -> str:
    parse_pattern(text)
    return text


def _origin(text: str) -> str:
    pattern = parse_pattern(text)
    if pattern.wild or pattern.prefix != "/":
        raise ValueError(f"{text!r} is no origin: write scheme://host[:port] without '*.' and without a path")
    return str(pattern.origin)


def _expression(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
    return text


def _method(text: str) -> str:
    if text != EVERY_WRITE and not re.fullmatch(r"[A-Za-z][A-Za-z-]*", text):
        raise ValueError(f"{text!r} is no HTTP method; write POST, PUT …, or '*' for all but GET and HEAD")
    return text.upper()


def _prefix(text: str) -> str:
    if not text.startswith("/"):
        raise ValueError(f"{text!r} is no path prefix; it starts with '/'")
    return text


class Scope(Frozen):
    """Where the browser may go and load from: exact scheme, host and port, optional path prefix, `*.` as leading label."""

    navigate: tuple[Annotated[str, AfterValidator(_pattern)], ...] = Field(min_length=1)
    load: tuple[Annotated[str, AfterValidator(_pattern)], ...] = ()
    private_network: Literal["only_listed"] = "only_listed"


class Allowed(Frozen):
    """The actions a planner may choose; done, stuck and widen are always there."""

    allow: tuple[ActionName, ...] = ("navigate", "click", "type", "select", "press", "wait", "extract")


class RequestMatch(Frozen):
    """Requests a rule speaks of: methods (`*` is every one but GET and HEAD) and a path prefix."""

    method: tuple[Annotated[str, AfterValidator(_method)], ...] = Field(default=(EVERY_WRITE,), min_length=1)
    path: Annotated[str, AfterValidator(_prefix)] = "/"

    def matches(self, method: str, path: str, *, strictly: bool) -> bool:
        """Whether a request is meant: read exactly to permit, as the laxest server would to restrict."""
        verb = method.upper()
        if verb not in self.method and (EVERY_WRITE not in self.method or verb in READS):
            return False
        if strictly:
            return path == self.path or path.startswith(self.path.rstrip("/") + "/")
        prefix = self.path.casefold()
        return any(reading.startswith(prefix) for reading in lenient_paths(path))


class When(Frozen):
    """All given fields must match; `name` is a regular expression searched in the accessible name."""

    action: ActionName | None = None
    role: str | None = None
    name: Annotated[str, AfterValidator(_expression)] | None = None
    request: RequestMatch | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "When":
        element = [field for field in (self.action, self.role, self.name) if field is not None]
        if not element and self.request is None:
            raise ValueError("an empty `when` would match nothing; give action, role, name or request")
        if element and self.request is not None:
            raise ValueError("`request` stands alone: a request knows no action, role or name; write two rules")
        return self

    def matches_action(self, action: str, role: str, name: str, *, strictly: bool) -> bool:
        """Whether an action on an element is meant; `name` is already normalised."""
        if self.request is not None or (self.action or action) != action or (self.role or role) != role:
            return False
        return self.name is None or (not strictly and len(name) > NAME_CAP) or bool(re.search(self.name, name[:NAME_CAP]))


class Rule(Frozen):
    """One line of the risk table."""

    when: When
    effect: Effect


class DialogHandling(Frozen):
    """Answers by dialog type."""

    alert: DialogAnswer = "accept"
    confirm: DialogAnswer = "require_approval"
    prompt: DialogAnswer = "dismiss"
    beforeunload: DialogAnswer = "dismiss"


class Limits(_Camel):
    """What one run may use."""

    max_discovery_steps: int = Field(default=24, ge=1, le=1000)
    discovery_timeout_ms: int = Field(default=180_000, ge=1000)
    max_observation_tokens: int = Field(default=12_000, ge=500)


class SecretRule(Frozen):
    """Where a secret may be typed, and whether also into a field that shows it."""

    origins: tuple[Annotated[str, AfterValidator(_origin)], ...] = Field(min_length=1)
    clear: bool = False


class Policy(_Camel):
    """One policy; unknown keys are refused."""

    version: Literal[1] = 1
    scope: Scope
    actions: Allowed = Allowed()
    risk: tuple[Rule, ...] = ()
    dialog_handling: DialogHandling = DialogHandling()
    limits: Limits = Limits()
    secrets: dict[Name, SecretRule] = Field(default_factory=dict)
    login_forms: bool = Field(
        default=False, description="A form with a password field may be sent without asking (set by the default policy)"
    )

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form: what an approval token is bound to."""
        canonical = json.dumps(self.model_dump(mode="json", by_alias=True), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
