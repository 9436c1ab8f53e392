"""`make demo`: the main job from end to end, by the same commands that a newcomer would type."""

import asyncio
import json
import os
import shlex
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from engine.demo.server import TellerConsole
from engine.demo.sessions import DEMO_PASSWORD, DEMO_USER

GOAL = "Log in to the teller console and read member 100231's savings and checking balances"
OTHER = "100245"
PORT = 4010
SECRETS = ("--secret", "user", "--secret", "password")
KINDS = ("savings", "checking")
out = Console(highlight=False)


async def journey(home: Path, port: int = PORT) -> bool:
    """Discover on one tenant, replay for another member and on another tenant; whether all agrees with the bank's own books."""
    async with TellerConsole(tenant="harbor", port=port) as harbor, TellerConsole(tenant="summit") as summit:
        out.rule("1  Discover with a planner, distil, prove")
        found = await discover(home, "--goal", GOAL, "--target", harbor.url, "--model", "embedded", *SECRETS)
        if not found.get("capability"):
            return False
        out.rule("2  Replay without a model: another member, another tenant")
        draft = json.loads(Path(found["capability"]).read_text())
        member = next(name for name, field in draft["inputs"]["properties"].items() if not field.get("x-secret"))
        rows = [("harbor", "100231", "discovered", amounts(found["outputs"]), truth(harbor, "100231"))]
        for console, who in ((harbor, OTHER), (summit, "100231"), (summit, OTHER)):
            order = [draft["id"], "--input", f"{member}={who}", "--target", console.url, "--allow-draft", *SECRETS]
            replayed = await discover(home, "replay", *order)
            rows.append(
                (
                    console.tenant,
                    who,
                    replayed.get("ending", "failed"),
                    amounts(replayed.get("outputs", {})),
                    truth(console, who),
                )
            )
    show(rows)
    return all(read == books for *_, read, books in rows)


async def discover(home: Path, *arguments: str) -> dict[str, Any]:
    """Run `discover … --json`: progress goes to the terminal, the answer is its one JSON object."""
    out.print(f"$ discover {shlex.join(arguments)}", style="bold", markup=False)
    credentials = {"CAPWRIGHT_SECRET_USER": DEMO_USER, "CAPWRIGHT_SECRET_PASSWORD": DEMO_PASSWORD}
    environment = {**os.environ, "CAPWRIGHT_HOME": str(home), **credentials}
    command = [sys.executable, "-m", "engine.cli", *arguments, "--json"]
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=subprocess.PIPE)
    stdout, _ = await process.communicate()
    answer: dict[str, Any] = json.loads(stdout)
    if process.returncode:
        out.print(answer.get("message") or answer.get("explanation"), style="red", markup=False)
    return answer


def amounts(outputs: dict[str, Any]) -> dict[str, Decimal]:
    """Balances by kind of account, out of outputs such as `savingsBalance`."""
    found = {}
    for name, value in outputs.items():
        kind = next((kind for kind in KINDS if kind in name.lower()), None)
        text = value["amount"] if isinstance(value, dict) else str(value)
        if kind:
            found[kind] = Decimal(text.replace("$", "").replace(",", ""))
    return found


def truth(console: TellerConsole, member: str) -> dict[str, Decimal]:
    """The same from the bank's own books."""
    return {
        account.type.lower(): account.balance for account in console.records.accounts(member) if account.type.lower() in KINDS
    }


def show(rows: list[tuple[str, str, str, dict[str, Decimal], dict[str, Decimal]]]) -> None:
    """The balances as a table, beside what the books say."""
    table = Table("tenant", "member", "how", *(f"{kind} balance" for kind in KINDS), "as in the books")
    for tenant, member, how, read, books in rows:
        cells = [f"${read[kind]:,.2f}" if kind in read else "–" for kind in KINDS]
        table.add_row(tenant, member, how, *cells, "yes" if read == books else "no")
    out.print(table)


def main() -> None:
    """Run it in a home that is thrown away unless CAPWRIGHT_HOME names one; exit 0 only when every balance is right."""
    with tempfile.TemporaryDirectory(prefix="capwright-demo-") as folder:
        right = asyncio.run(journey(Path(os.environ.get("CAPWRIGHT_HOME", folder))))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
