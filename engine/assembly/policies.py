"""Which policy a run is under: a file, the home's own, or the default; limits given for this run tighten or widen it."""

from collections.abc import Mapping
from pathlib import Path

from engine.domain.policy import Policy
from engine.domain.secret import Secret, Secrets
from engine.errors import NotFound
from engine.guard.policy_file import default_policy, parse_policy
from engine.settings import Settings


def policy_of(settings: Settings, file: Path | None, target: str, secrets: Secrets) -> Policy:
    """The policy of a file, else of the setting, else the default for the target. Raises NotFound and PolicyInvalid."""
    path = file or (settings.home / settings.policy if settings.policy else None)
    if path is None:
        return default_policy(target, secrets)
    found = next(
        (each for each in (path, settings.policies / path, settings.policies / f"{path}.yaml") if each.is_file()), None
    )
    if found is None:
        raise NotFound(f"There is no policy file {path}, neither here nor in {settings.policies}.")
    return parse_policy(found.read_text(), str(found)).policy


def limited(policy: Policy, max_steps: int | None, timeout_seconds: float | None) -> Policy:
    """The policy with the limits of this run."""
    given = {
        "max_discovery_steps": max_steps,
        "discovery_timeout_ms": None if timeout_seconds is None else max(1000, round(timeout_seconds * 1000)),
    }
    changed = {name: value for name, value in given.items() if value is not None}
    return policy.model_copy(update={"limits": policy.limits.model_copy(update=changed)})


def named(values: Mapping[str, str]) -> Secrets:
    """Secrets given by name."""
    return Secrets(tuple(Secret(name, value) for name, value in values.items()))
