import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine import Capwright
from engine.assembly.homes import approval_store
from engine.demo import DEMO_PASSWORD, DEMO_USER, Operation, TellerConsole
from engine.domain.run import RunResult

TENANTS = ("harbor", "summit", "lakeside")
SECRETS = {"user": DEMO_USER, "password": DEMO_PASSWORD}


@asynccontextmanager
async def approving(capwright: Capwright, asked: list[str]) -> AsyncIterator[None]:
    """A person at the inbox who approves whatever waits there, and remembers what it was."""
    store = approval_store(capwright.settings)

    async def decide() -> None:
        while True:
            for waiting in store.pending(time.time()):
                asked.append(waiting.needed.why)
                store.decide(waiting.id, approve=True, by="pat", process="inbox", now=time.time())
            await asyncio.sleep(0.1)

    person = asyncio.ensure_future(decide())
    try:
        yield
    finally:
        person.cancel()
        await asyncio.gather(person, return_exceptions=True)


async def discovered(console: TellerConsole, home: Path, goal: str, asked: list[str] | None = None) -> RunResult:
    """The goal reached by the embedded planner, with a person at the inbox."""
    capwright = Capwright(home, environment={"PATH": "/usr/bin:/bin"})
    async with approving(capwright, [] if asked is None else asked):
        return await capwright.discover(goal, console.url, secrets=SECRETS, model="embedded", approve="inbox")


def done(console: TellerConsole, kind: str) -> list[Operation]:
    """What the server itself did of one kind."""
    return [operation for operation in console.operations() if operation.kind == kind]


@pytest.fixture(params=TENANTS)
async def console(request: pytest.FixtureRequest) -> AsyncIterator[TellerConsole]:
    """The practice bank as each of its tenants."""
    async with TellerConsole(tenant=request.param) as running:
        yield running


def amount(value: Any) -> Decimal:
    return Decimal(str(value).replace("$", "").replace(",", ""))


async def test_reads_balances(console: TellerConsole, tmp_path: Path) -> None:
    """The balances are those of the bank's books, and a draft capability comes of it."""
    result = await discovered(
        console, tmp_path, "Log in to the teller console and read member 100231's savings and checking balances"
    )
    assert result.status == "done", result.explanation
    books = {account.type.lower(): account.balance for account in console.records.accounts("100231")}
    read = {value.name: amount(value.raw) for value in result.outputs}
    assert read == {"savingsBalance": books["savings"], "checkingBalance": books["checking"]}
    assert {operation.member_id for operation in done(console, "view_member")} == {"100231"}


async def test_finds_members_by_last_name(console: TellerConsole, tmp_path: Path) -> None:
    """The table that was read holds the members of that name that the bank knows."""
    name = console.records.members[3].last_name
    result = await discovered(console, tmp_path, f"Log in, find members by last name {name} and read the table")
    assert result.status == "done", result.explanation
    (table,) = result.outputs
    assert isinstance(table.parsed, list)
    expected = {member.id for member in console.records.find("", name)[:10]}
    assert expected == {cell for row in table.parsed for cell in row if cell.isdigit() and len(cell) == 6}
    assert done(console, "search")[-1].parameter("last_name") == name


async def test_changes_an_address(console: TellerConsole, tmp_path: Path) -> None:
    """A person is asked once, and the server changed exactly that address, once."""
    asked: list[str] = []
    goal = "Log in and change member 100231's address to 12 Oak Street, Springfield, IL 62701"
    result = await discovered(console, tmp_path, goal, asked)
    assert result.status == "done", result.explanation
    (change,) = done(console, "change_address")
    assert change.member_id == "100231"
    assert dict(change.parameters) == {"street": "12 Oak Street", "city": "Springfield", "state": "IL", "zip_code": "62701"}
    assert len(asked) == 1


async def test_transfers_money_once(console: TellerConsole, tmp_path: Path) -> None:
    """A person is asked, the confirmation is part of the step, and the ledger holds one transfer of that amount."""
    asked: list[str] = []
    goal = "Log in and transfer 25.00 from savings to checking for member 100231"
    result = await discovered(console, tmp_path, goal, asked)
    assert result.status == "done", result.explanation
    (transfer,) = console.records.transfers
    kinds = {account.number: account.type for account in console.records.accounts("100231")}
    assert (kinds[transfer.from_account], kinds[transfer.to_account]) == ("Savings", "Checking")
    assert transfer.amount == Decimal("25.00")
    assert asked


async def test_a_transfer_that_nobody_approves_does_not_happen(tmp_path: Path) -> None:
    """Denied: the run ends by policy and the ledger is empty."""
    async with TellerConsole(tenant="harbor") as console:
        capwright = Capwright(tmp_path, environment={"PATH": "/usr/bin:/bin"})
        goal = "Log in and transfer 25.00 from savings to checking for member 100231"
        result = await capwright.discover(goal, console.url, secrets=SECRETS, model="embedded", approve="deny")
        assert (result.status, result.exit_code) == ("policy", 5)
        assert not console.records.transfers and not done(console, "transfer")


async def test_downloads_a_statement(console: TellerConsole, tmp_path: Path) -> None:
    """The file is in the evidence, and the server served the checking account's month."""
    result = await discovered(console, tmp_path, "Log in and download member 100231's checking statement for March 2026 as CSV")
    assert result.status == "done", result.explanation
    (served,) = {operation.parameters for operation in done(console, "download_statement")}  # the proofs ask for the same
    kinds = {account.number: account.type for account in console.records.accounts("100231")}
    asked = dict(served)
    assert kinds[asked["account"]] == "Checking"
    assert (asked["month"], asked["format"]) == ("2026-03", "csv")
    (file,) = (Path(result.evidence) / "downloads").iterdir()
    assert file.read_text().count("\n") > 1
