"""The policy file: what a run may reach, do and answer. Default deny; forbid beats require_approval beats permit."""

import hashlib
import json
from typing import Literal, TypeAlias

from pydantic import Field
from pydantic.alias_generators import to_camel

from engine.domain.action import ActionName
from engine.domain.frozen import Frozen

Effect: TypeAlias = Literal["permit", "forbid", "require_approval"]
DialogType: TypeAlias = Literal["alert", "confirm", "prompt", "beforeunload"]
DialogAnswer: TypeAlias = Literal["accept", "dismiss", "require_approval"]


class _Camel(Frozen):
    model_config = Frozen.model_config | {"alias_generator": to_camel}


class Scope(Frozen):
    """Where the browser may go and load from: exact scheme, host and port, optional path prefix, `*.` as leading label."""

    navigate: tuple[str, ...] = Field(min_length=1)
    load: tuple[str, ...] = ()
    private_network: Literal["only_listed"] = "only_listed"


class Allowed(Frozen):
    """The actions a planner may choose; done, stuck and widen are always there."""

    allow: tuple[ActionName, ...] = ("navigate", "click", "type", "select", "press", "wait", "extract")


class RequestMatch(Frozen):
    """Requests a rule speaks of: methods and a path prefix."""

    method: tuple[str, ...] = ("POST", "PUT", "PATCH", "DELETE")
    path: str = "/"


class When(Frozen):
    """All given fields must match; `name` is a regular expression searched in the accessible name."""

    action: ActionName | None = None
    role: str | None = None
    name: str | None = None
    request: RequestMatch | None = None


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

    origins: tuple[str, ...] = Field(min_length=1)
    clear: bool = False


class Policy(_Camel):
    """One policy; unknown keys are refused."""

    version: Literal[1] = 1
    scope: Scope
    actions: Allowed = Allowed()
    risk: tuple[Rule, ...] = ()
    dialog_handling: DialogHandling = DialogHandling()
    limits: Limits = Limits()
    secrets: dict[str, SecretRule] = Field(default_factory=dict)
    login_forms: bool = Field(
        default=False, description="A form with a password field may be sent without asking (set by the default policy)"
    )

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form: what an approval token is bound to."""
        canonical = json.dumps(self.model_dump(mode="json", by_alias=True), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
