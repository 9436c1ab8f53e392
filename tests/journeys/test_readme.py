import re
from pathlib import Path
from typing import Any

import pytest

from engine.demo import TellerConsole
from tests.journeys.command import Command
from tests.llm.endpoint import ScriptedEndpoint, problem

README = Path(__file__).parents[2] / "README.md"


async def test_the_python_of_the_readme_works_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The block is run as it stands, but for the port; it prints the balances of the bank's books."""
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    body, call = block.rsplit("asyncio.run(", 1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CAPWRIGHT_MODEL", "embedded")
    async with TellerConsole() as console:
        names: dict[str, Any] = {}
        exec(body, names)
        arguments = re.findall(r'"([^"]*)"', call)
        await names["main"](console.url, *arguments[1:])
        printed = capsys.readouterr().out
        assert printed.startswith("ok")
        for account in console.records.accounts("100245"):
            assert str(account.balance) in printed


async def test_discover_then_replay_on_another_tenant_without_a_model(command: Command) -> None:
    """On the command line: drafted on one tenant, right on another for another member, and no model is ever contacted."""
    goal = "Log in to the teller console and read member 100231's savings and checking balances"
    secrets = ("--secret", "user", "--secret", "password")
    async with (
        TellerConsole(tenant="harbor") as harbor,
        TellerConsole(tenant="summit") as summit,
        ScriptedEndpoint(problem(500)) as model,
    ):
        found = await command("--goal", goal, "--target", harbor.url, "--model", "embedded", *secrets)
        assert found.code == 0, found
        command.environment |= {"CAPWRIGHT_BASE_URL": model.url, "CAPWRIGHT_MODEL": "x", "OPENAI_API_KEY": "k"}
        name = Path(found.json["capability"]).parent.name
        who = ("--input", "memberNumber=100245", "--target", summit.url)
        assert (await command("replay", name, *who, *secrets)).json["ending"] == "not_approved"
        replayed = await command("replay", name, *who, *secrets, "--allow-draft")
        assert (replayed.code, replayed.json["ending"]) == (0, "ok"), replayed
        books = {account.type.lower(): str(account.balance) for account in summit.records.accounts("100245")}
        read = {output.removesuffix("Balance"): value["amount"] for output, value in replayed.json["outputs"].items()}
        assert read == books
        assert model.requests == []
        shown = await command("capability", "show", name)
        assert shown.json["provenance"]["proof"][0]["ending"] == "ok"
        verified = await command("evidence", "verify", found.json["run_id"])
        assert (verified.code, verified.json["problem"]) == (0, None)
        runs = await command("runs", "list")
        assert [run["run_id"] for run in runs.json["runs"]] == [found.json["run_id"]]
