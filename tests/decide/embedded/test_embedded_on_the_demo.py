from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from engine.act.dialogs import DialogDesk
from engine.browser.launch import Browser
from engine.browser.session import SessionSettings, open_session
from engine.demo import TellerConsole
from engine.demo.sessions import DEMO_PASSWORD, DEMO_USER
from engine.domain.action import Type
from engine.domain.run import Goal
from engine.domain.secret import Secret, Secrets
from engine.domain.step import Step
from tests.decide.embedded.driving import Driven, drive, policy_for

TENANTS = ("harbor", "summit", "lakeside")
MEMBER = "100231"


@pytest.fixture(params=TENANTS)
async def console(request: pytest.FixtureRequest) -> AsyncIterator[TellerConsole]:
    """The console of each tenant in turn."""
    async with TellerConsole(request.param) as running:
        yield running


class Teller:
    """Gives the planner a goal on a fresh session of one console."""

    def __init__(self, console: TellerConsole, browser: Browser, downloads: Path) -> None:
        self.console, self.browser, self.downloads = console, browser, downloads

    async def asks(
        self,
        goal: str,
        *,
        yes: bool = True,
        inputs: dict[str, str] | None = None,
        tell: Callable[[Step], None] | None = None,
        password: str = DEMO_PASSWORD,
    ) -> Driven:
        url = self.console.url
        secrets = Secrets((Secret("user", DEMO_USER, (url,), clear=True), Secret("password", password, (url,))))
        desk = DialogDesk(policy_for(url).dialog_handling)
        async with open_session(self.browser, SessionSettings(self.downloads, desk.answer)) as session:
            await session.open(url)
            made = Goal(text=goal, target=url, secrets=secrets.names, inputs=inputs or {})
            return await drive(session, desk, made, secrets, yes=yes, tell=tell)


@pytest.fixture
def teller(console: TellerConsole, browser: Browser, tmp_path: Path) -> Teller:
    """A teller who is not signed in yet."""
    return Teller(console, browser, tmp_path / "downloads")


def kinds(console: TellerConsole) -> list[str]:
    return [each.kind for each in console.operations()]


def money(console: TellerConsole, kind: str) -> str:
    account = next(each for each in console.records.accounts(MEMBER) if each.type == kind)
    return f"${account.balance:,.2f}"


async def test_reads_two_balances(teller: Teller, console: TellerConsole) -> None:
    """Signs in, finds the member and reads both cells as currency, equal to the bank's own records."""
    driven = await teller.asks(f"Log in to the teller console and read member {MEMBER}'s savings and checking balances")
    assert driven.stop.reason == "done", driven.story
    read = {value.name: value.raw for value in driven.values}
    assert read == {"savingsBalance": money(console, "Savings"), "checkingBalance": money(console, "Checking")}


async def test_types_secrets_by_name_only(teller: Teller) -> None:
    """No decision holds a secret's value."""
    driven = await teller.asks(f"Log in and open member {MEMBER}")
    assert driven.stop.reason == "done", driven.story
    written = "".join(step.decision.model_dump_json() for step in driven.steps)
    assert "{{secret.password}}" in written
    assert DEMO_PASSWORD not in written


async def test_finds_members_by_last_name_and_reads_the_table(teller: Teller) -> None:
    """The table that is read has the family in it; that one must sign in first goes without saying."""
    driven = await teller.asks("find members by last name Johnson and read the table")
    assert driven.stop.reason == "done", driven.story
    assert "Johnson" in driven.values[0].raw


async def test_says_what_the_page_says_when_nothing_is_found(teller: Teller) -> None:
    """A name that nobody has ends stuck, not with an empty table."""
    driven = await teller.asks("Log in, find members by last name Zzyzx and read the table")
    assert driven.stop.reason == "stuck", driven.story
    assert "No member found" in driven.stop.explanation


async def test_changes_an_address(teller: Teller, console: TellerConsole) -> None:
    """All four fields, the state among them, are what the goal says; nothing else is written."""
    driven = await teller.asks(f"Log in and change member {MEMBER}'s address to 12 Oak Street, Springfield, IL 62701")
    assert driven.stop.reason == "done", driven.story
    member = console.records.member(MEMBER)
    assert member is not None
    address = member.address
    assert (address.street, address.city, address.state, address.zip_code) == ("12 Oak Street", "Springfield", "IL", "62701")
    assert kinds(console).count("change_address") == 1


async def test_transfers_once_after_a_persons_yes(teller: Teller, console: TellerConsole) -> None:
    """A person is asked, and the money moves exactly once."""
    driven = await teller.asks(f"Log in and transfer 25.00 from savings to checking of member {MEMBER}")
    assert driven.stop.reason == "done", driven.story
    assert driven.asked
    assert [(each.from_account, each.to_account, str(each.amount)) for each in console.records.transfers] == [
        (f"{MEMBER}-01", f"{MEMBER}-70", "25.00")
    ]


async def test_moves_nothing_when_the_person_says_no(teller: Teller, console: TellerConsole) -> None:
    """The run ends with the denial and the books are as they were."""
    driven = await teller.asks(f"Log in and transfer 25.00 from savings to checking of member {MEMBER}", yes=False)
    assert driven.stop.reason == "approval_denied", driven.story
    assert "transfer" not in kinds(console)


async def test_does_not_transfer_what_is_not_there(teller: Teller, console: TellerConsole) -> None:
    """The form's own refusal ends stuck with its words, and is not sent again."""
    driven = await teller.asks(f"Log in and transfer 99999999.00 from savings to checking of member {MEMBER}")
    assert driven.stop.reason == "stuck", driven.story
    assert "transfer" not in kinds(console)


@pytest.mark.parametrize("month", ["2026-04", "April 2026"])
async def test_downloads_a_statement(teller: Teller, console: TellerConsole, month: str) -> None:
    """The file is of the asked month and form, and is an output."""
    driven = await teller.asks(f"Log in and download member {MEMBER}'s statement for {month} as CSV")
    assert driven.stop.reason == "done", driven.story
    assert [dict(each.parameters)["month"] for each in console.operations() if each.kind == "download_statement"] == ["2026-04"]
    assert driven.values[0].raw.endswith(".csv")


async def test_a_wrong_password_ends_stuck(teller: Teller, console: TellerConsole) -> None:
    """Tried once; the page's own sentence is in the explanation."""
    driven = await teller.asks(f"Log in and open member {MEMBER}", password="not-the-one")
    assert driven.stop.reason == "stuck", driven.story
    assert kinds(console).count("login_failed") == 1


async def test_takes_the_key_from_the_inputs(teller: Teller, console: TellerConsole) -> None:
    """`the member's …` is the member of the input named so."""
    driven = await teller.asks("Log in and read the member's checking balance", inputs={"memberId": MEMBER})
    assert driven.stop.reason == "done", driven.story
    assert driven.values[0].raw == money(console, "Checking")


async def test_several_savings_accounts_are_a_question(teller: Teller, console: TellerConsole) -> None:
    """Which one is meant is not guessed."""
    several = next(
        member.id for member in console.records.members
        if sum(each.type == "Savings" for each in console.records.accounts(member.id)) > 1
    )  # fmt: skip
    driven = await teller.asks(f"Log in and read member {several}'s savings balance")
    assert driven.stop.reason == "stuck", driven.story
    assert "Several elements could be" in driven.stop.explanation


async def test_signs_in_again_when_the_session_ends_on_the_way(teller: Teller, console: TellerConsole) -> None:
    """The sign-in form in the middle of the work is filled once more, and the work goes on."""
    ended: list[str] = []

    def end_once(step: Step) -> None:
        if "open member" in step.decision.reason and not ended:
            ended.append(step.url)
            console.expire_sessions()

    driven = await teller.asks(
        f"Log in and change member {MEMBER}'s address to 12 Oak Street, Springfield, IL 62701", tell=end_once
    )
    assert driven.stop.reason == "done", driven.story
    assert kinds(console).count("login") == 2
    assert kinds(console).count("change_address") == 1


@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("Log in, search for the member with number {id} and open it, then read the phone number", "phoneNumber"),
        ("Sign in. Open member {id}. What is the email?", "email"),
        ("Log in and check the status of member {id}", "status"),
        ("For member {id}, read the address", "address"),
        ("Log in; look up member {id} and tell me the phone", "phone"),
    ],
)
async def test_understands_the_same_wish_in_other_words(teller: Teller, console: TellerConsole, goal: str, name: str) -> None:
    """What is read is the member's own."""
    sign_in = "" if "in" in goal[:8] else "Log in. "
    driven = await teller.asks(sign_in + goal.replace("{id}", MEMBER))
    assert driven.stop.reason == "done", driven.story
    member = console.records.member(MEMBER)
    assert member is not None
    where = member.address
    truth = {
        "phone": member.phone, "phoneNumber": member.phone, "email": member.email, "status": member.status,
        "address": f"{where.street}, {where.city}, {where.state} {where.zip_code}",
    }  # fmt: skip
    assert [(value.name, value.raw) for value in driven.values] == [(name, truth[name])]


async def test_adds_a_note_in_the_frame(teller: Teller, console: TellerConsole) -> None:
    """The form in the frame is found by what it is about."""
    driven = await teller.asks(f'Log in and add a note "Call back, then close" to member {MEMBER}')
    if console.tenant == "summit":
        assert driven.stop.reason == "stuck", (
            driven.story
        )  # it says remark, and no dictionary of ours knows that this is a note
        return
    assert driven.stop.reason == "done", driven.story
    added = [dict(each.parameters) for each in console.operations() if each.kind == "add_note"]
    assert [each["text"] for each in added] == ["Call back, then close"]


async def test_opens_what_stands_in_one_row(teller: Teller, console: TellerConsole) -> None:
    """The second link of that name is not the one that is meant."""
    goal = f"Log in, open member {MEMBER}, open the transactions of the checking account and read the table"
    driven = await teller.asks(goal)
    if console.tenant != "harbor":
        assert driven.stop.reason == "stuck", driven.story
        return
    assert driven.stop.reason == "done", driven.story
    assert f"{MEMBER}-70" in driven.steps[-1].url


async def test_a_session_that_ends_with_the_submit_is_not_taken_for_success(teller: Teller, console: TellerConsole) -> None:
    """Nothing was saved, so the end is not done."""

    def end_before_saving(step: Step) -> None:
        if step.decision.action == Type(ref=getattr(step.decision.action, "ref", "e1"), text="62701"):
            console.expire_sessions()

    goal = f"Log in and change member {MEMBER}'s address to 12 Oak Street, Springfield, IL 62701"
    driven = await teller.asks(goal, tell=end_before_saving)
    assert driven.stop.reason == "stuck", driven.story
    assert "change_address" not in kinds(console)
