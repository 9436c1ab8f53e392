"""Every judged flow of the console on every tenant: driven by hand, distilled, replayed; the bank's own log is the judge."""

import json
from pathlib import Path
from typing import Any

import pytest

import tests.replay.kit as kit
from engine.browser.launch import Browser
from engine.demo import TENANTS, TellerConsole
from engine.distill.draft import distill
from engine.domain.capability import Capability
from engine.domain.ending import ReplayResult
from engine.domain.secret import Secret, Secrets
from engine.domain.verdict import ApprovalNeeded, Facts, Permit
from engine.replay.replay import Replay
from tests.distill.driving import goal, hand
from tests.distill.flows import FLOWS, MEMBER, SECRETS, goal_text

pytestmark = pytest.mark.slow


class Yes:
    """Approves everything, as a person would."""

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit:
        """Yes."""
        return Permit(action=needed.action, facts=needed.facts, rule=needed.rule, approval_id=f"step {step}")

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        """Good."""
        return None


async def drawn(browser: Browser, console: TellerConsole, flow: str, tenant: str, folder: Path) -> Capability:
    """The draft of one flow."""
    accounts = {each.type.lower(): each.number for each in console.records.accounts(MEMBER)}
    async with hand(browser, console.url, folder, SECRETS) as by_hand:
        await FLOWS[flow][0](by_hand, tenant)
        wanted = goal(goal_text(flow, accounts), console.url, secrets=tuple(SECRETS))
        return distill(wanted, tuple(by_hand.steps))


async def replayed(
    browser: Browser, console: TellerConsole, draft: Capability, folder: Path, monkeypatch: Any, values: dict[str, str]
) -> ReplayResult:
    """Replay with the run's inputs, changed by `values`."""
    secrets = Secrets(tuple(Secret(name, value, (console.url,), clear=True) for name, value in SECRETS.items()))
    monkeypatch.setattr(kit, "SECRETS", secrets)
    async with kit.place(browser, console.url, folder, approver=Yes()) as where:
        return await Replay(draft, examples(draft) | values, where, console.url, step_seconds=5.0).run()


def examples(draft: Capability) -> dict[str, str]:
    """The run's own inputs."""
    return {name: str(each["examples"][0]) for name, each in draft.inputs["properties"].items() if "examples" in each}


@pytest.mark.parametrize("tenant", TENANTS)
@pytest.mark.parametrize("flow", FLOWS)
async def test_flow_is_distilled_and_replays(
    browser: Browser, tmp_path: Path, monkeypatch: Any, flow: str, tenant: str
) -> None:
    """The draft holds nothing of the run, and its replay does on the server what the hand did, once."""
    async with TellerConsole(tenant) as console:
        draft = await drawn(browser, console, flow, tenant, tmp_path)
        found = json.dumps([step.model_dump(exclude={"value"}) for step in draft.steps])
        assert MEMBER not in found and "Diego" not in found
        by_hand = console.operations()
        result = await replayed(browser, console, draft, tmp_path, monkeypatch, {})
        assert (result.ending, result.explanation) == ("ok", "")
        again = console.operations()[len(by_hand) :]
        assert [(each.kind, each.member_id, stable(each)) for each in again] == [
            (each.kind, each.member_id, stable(each)) for each in by_hand
        ]


def stable(operation: Any) -> list[tuple[str, str]]:
    """The parameters that do not change from run to run."""
    return [pair for pair in operation.parameters if pair[0] != "reference"]


async def test_balances_hold_for_another_member_and_another_tenant(browser: Browser, tmp_path: Path, monkeypatch: Any) -> None:
    """Distilled on Harbor, replayed for others and on Summit: the bank's balances, or ambiguous for two savings accounts."""
    async with TellerConsole("harbor") as harbor, TellerConsole("summit") as summit:
        draft = await drawn(browser, harbor, "balances", "harbor", tmp_path)
        for console in (harbor, summit):
            for member in ("100203", "100202"):
                result = await replayed(browser, console, draft, tmp_path, monkeypatch, {"memberNumber": member})
                kinds = [each.type for each in console.records.accounts(member)]
                if kinds.count("Savings") > 1:
                    assert result.ending == "ambiguous" and result.outputs == {}
                    continue
                truth = {each.type: str(each.balance) for each in console.records.accounts(member)}
                assert result.outputs["savingsBalance"] == {"amount": truth["Savings"], "currency": "USD"}
                assert result.outputs["checkingBalance"] == {"amount": truth["Checking"], "currency": "USD"}
