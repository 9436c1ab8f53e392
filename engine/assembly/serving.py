"""Runs approved capabilities for callers that are no person at a terminal, with this process's own secrets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.assembly import replaying
from engine.assembly.approving import Asking
from engine.domain.capability import Capability
from engine.domain.ending import ReplayResult
from engine.settings import Settings


@dataclass(frozen=True)
class ReplayRunner:
    """Replays exactly the version it is given, if that may still run. `secret` finds a secret's value by its name."""

    settings: Settings
    secret: Callable[[str], str | None] = field(repr=False)
    approve: Asking = "deny"
    policy: Path | None = None
    target: str | None = None
    timeout_seconds: float = 120.0

    async def run(
        self, capability: Capability, inputs: Mapping[str, str], tell: Callable[[str], None] = lambda _line: None
    ) -> ReplayResult:
        """To its ending; a version that was revoked or changed meanwhile ends not_approved or tampered."""
        properties = capability.inputs.get("properties", {})
        names = [name for name, field in properties.items() if field.get("x-secret")]
        found = {name: value for name in names if (value := self.secret(name)) is not None}
        lacking = [name for name in names if name not in found]
        if lacking:
            why = f"The server has no value for the secrets {', '.join(lacking)}."
            return replaying.unstarted(capability, "input_invalid", why)
        tell(f"Replaying {capability.id}@{capability.version}")
        order = replaying.Order(
            capability=f"{capability.id}@{capability.version}",
            inputs=inputs,
            secrets=found,
            target=self.target,
            policy=self.policy,
            approve=self.approve,
            timeout_seconds=self.timeout_seconds,
        )
        return await replaying.replay(self.settings, order)
