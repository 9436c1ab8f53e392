"""Every judged flow of the teller console on every tenant, exported and run without this package; the bank is the judge."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.browser.launch import Browser
from engine.demo import TENANTS, TellerConsole
from engine.distill.draft import distill
from engine.domain.capability import Capability
from engine.faces import playwright_file, pytest_file
from engine.faces.playwright_file import option, secret
from tests.distill.driving import goal, hand
from tests.distill.flows import FLOWS, MEMBER, SECRETS, goal_text
from tests.faces.bare import Bare

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Bank:
    """A console, and what exports are run with."""

    console: TellerConsole
    environment: Bare
    folder: Path
    browser: Browser

    async def drawn(self, flow: str, tenant: str) -> Capability:
        """The draft of one flow, driven by hand."""
        accounts = {each.type.lower(): each.number for each in self.console.records.accounts(MEMBER)}
        async with hand(self.browser, self.console.url, self.folder, SECRETS) as by_hand:
            await FLOWS[flow][0](by_hand, tenant)
            wanted = goal(goal_text(flow, accounts), self.console.url, secrets=tuple(SECRETS))
            return distill(wanted, tuple(by_hand.steps))

    def effects(self, since: int = 0) -> list[tuple[Any, ...]]:
        """What the bank did, without what differs from run to run."""
        return [
            (each.kind, each.member_id, [pair for pair in each.parameters if pair[0] != "reference"])
            for each in self.console.operations()[since:]
        ]

    def variables(self) -> dict[str, str]:
        """Secrets and browser."""
        own = self.browser.candidate.executable
        found = {secret(name): value for name, value in SECRETS.items()}
        return found | ({"CAPWRIGHT_BROWSER": own} if own else {})


def examples(draft: Capability) -> dict[str, str]:
    """The run's own inputs."""
    return {name: str(each["examples"][0]) for name, each in draft.inputs["properties"].items() if "examples" in each}


@pytest.mark.parametrize("tenant", TENANTS)
@pytest.mark.parametrize("flow", FLOWS)
async def test_an_exported_flow_does_what_the_hand_did(
    browser: Browser, environment: Bare, tmp_path: Path, flow: str, tenant: str
) -> None:
    """As a script and as a test, each with the same operations at the bank, each once; nothing of the run is in it."""
    async with TellerConsole(tenant) as console:
        bank = Bank(console, environment, tmp_path, browser)
        draft = await bank.drawn(flow, tenant)
        by_hand = bank.effects()
        given = examples(draft)
        text = playwright_file.write(draft)
        assert MEMBER not in text
        (tmp_path / "it.py").write_text(text)
        options = [part for name, value in given.items() for part in (option(name), value)]
        ran = await environment.run(tmp_path, "it.py", *options, "--confirm", **bank.variables())
        assert (ran.code, ran.stderr) == (0, ""), ran.stdout
        assert set(ran.json["outputs"]) == set(draft.outputs["required"])
        assert bank.effects(len(by_hand)) == by_hand
        (tmp_path / "test_it.py").write_text(pytest_file.write(draft))
        variables = {pytest_file.variable(name): value for name, value in given.items()} | {"CAPWRIGHT_CONFIRM": "yes"}
        green = await environment.run(
            tmp_path, "-m", "pytest", "-q", "-W", "error", "test_it.py", **variables, **bank.variables()
        )
        assert (green.code, "1 passed" in green.stdout) == (0, True), green.stdout
        assert bank.effects(2 * len(by_hand)) == by_hand
