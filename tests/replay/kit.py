"""A capability made by hand, and a place to replay it in."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from engine.access.approvals import DenyingApprover
from engine.act.actor import PageActor
from engine.act.dialogs import DialogDesk
from engine.browser.launch import Browser
from engine.domain.capability import Capability, CapabilityStep, Condition, Extractor, Fingerprint, Locator, Target
from engine.domain.ending import ReplayResult
from engine.domain.policy import Policy
from engine.domain.secret import Secret, Secrets
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy
from engine.guard.writes import WriteGate
from engine.replay.place import Place
from engine.replay.replay import Replay
from tests.conftest import gated

SECRETS = Secrets((Secret("pass1", "hunter2-x"),))


def button(name: str, **more: Any) -> Target:
    """A button by role and name."""
    return element("button", name, **more)


def element(role: str, name: str, **more: Any) -> Target:
    """An element by role and name, with a fingerprint that says the same."""
    pattern = f"^{name.lower()}$"
    fingerprint = Fingerprint(role=role, name=pattern, **more)
    return Target(
        description=f'{role} "{name}"', locators=(Locator(by="role", role=role, value=name),), fingerprint=fingerprint
    )


def click(target: Target, *expect: Condition, **more: Any) -> CapabilityStep:
    """A click and what must be true after it."""
    return CapabilityStep(id=more.pop("id", "s1"), action="click", target=target, expect=expect, **more)


def text(value: str) -> Condition:
    """A visible text."""
    return Condition(kind="text", value=value)


def made(*steps: CapabilityStep, checkpoint: Condition | None = None, outputs: Mapping[str, Any] | None = None) -> Capability:
    """A read-only draft of these steps."""
    return Capability(
        id="by-hand",
        version="1.0.0",
        title="By hand",
        target="http://127.0.0.1:9",
        inputs={"type": "object", "properties": {"who": {"type": "string"}}, "additionalProperties": False},
        outputs=dict(outputs or {"type": "object"}),
        steps=steps,
        checkpoint=(checkpoint or Condition(kind="url", value="/.*"),),
        risk_class="read_only",
    )


def reading(output: str, kind: Any, target: Target | None, **more: Any) -> CapabilityStep:
    """A step that extracts one output."""
    return CapabilityStep(id="read", action="extract", extract=(Extractor(output=output, kind=kind, target=target, **more),))


@asynccontextmanager
async def place(
    browser: Browser, url: str, folder: Path, policy: Policy | None = None, approver: Any = None
) -> AsyncIterator[Place]:
    """A fresh session under the default policy; nobody is there to ask."""
    guard = PolicyGuard(policy or default_policy(url), url, SECRETS)
    approver = approver or DenyingApprover()
    writes = WriteGate(guard, approver.ask)
    desk = DialogDesk(guard.policy.dialog_handling, strict=True)
    async with gated(browser, folder, desk.answer, writes) as session:
        actor = PageActor(session, desk, guard.secrets, url, writes=writes, lean=True)
        yield Place(session, guard, approver, actor, desk)


async def ended(
    browser: Browser, url: str, folder: Path, capability: Capability, values: Mapping[str, str] | None = None, **more: Any
) -> ReplayResult:
    """Replay it with short deadlines."""
    inside = {name: more.pop(name) for name in ("policy", "approver") if name in more}
    async with place(browser, url, folder, **inside) as where:
        seconds, step_seconds = more.pop("seconds", 20), more.pop("step_seconds", 1.0)
        return await Replay(capability, dict(values or {}), where, url, seconds, step_seconds=step_seconds).run()
