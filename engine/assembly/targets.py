"""Approved targets of config.toml with what belongs to them: policy and secrets."""

from pathlib import Path

from engine.assembly.policies import policy_of
from engine.domain.policy import Policy
from engine.domain.secret import Secrets
from engine.errors import NotFound, UsageError
from engine.explore.approved import ApprovedTarget
from engine.settings import Settings


def approved(settings: Settings, target_id: str) -> ApprovedTarget:
    """The target of that id. Raises NotFound that names those there are."""
    found = next((target for target in settings.targets if target.id == target_id), None)
    if found is None:
        there = ", ".join(target.id for target in settings.targets) or "none; write a [[targets]] table into config.toml"
        raise NotFound(f"There is no approved target {target_id!r}. There is: {there}.")
    return found


def secrets_of(settings: Settings, target: ApprovedTarget) -> dict[str, str]:
    """Values of a target's secrets from the environment. Raises UsageError that names the one that has none."""
    found: dict[str, str] = {}
    for name in target.secrets:
        variable = f"CAPWRIGHT_SECRET_{name.upper()}"
        value = settings.environment.get(variable)
        if value is None:
            raise UsageError(f"Target {target.id}: the secret {name} has no value; set {variable}.")
        found[name] = value
    return found


def target_policy(settings: Settings, target: ApprovedTarget, url: str, secrets: Secrets | None = None) -> Policy:
    """The policy of a target, at its own or at another address. Raises NotFound and PolicyInvalid."""
    return policy_of(settings, Path(target.policy) if target.policy else None, url, secrets or Secrets())
