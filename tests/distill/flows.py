"""The judged flows of the teller console, driven by hand on each tenant in that tenant's own words."""

from collections.abc import Awaitable, Callable, Mapping

from playwright.async_api import Locator

from engine.demo import DEMO_PASSWORD, DEMO_USER
from engine.demo.tenants import TENANTS
from tests.distill.driving import Hand

SECRETS = {"user": DEMO_USER, "password": DEMO_PASSWORD}
MEMBER = "100231"
NOTICES = {"summit": "Got it", "lakeside": "Continue"}


async def login(hand: Hand, tenant: str) -> None:
    """Put the first-visit notice away where there is one in the way, and sign in."""
    words = TENANTS[tenant].words
    if tenant in NOTICES:
        await hand.click(hand.role("button", NOTICES[tenant]))
    await hand.type(hand.role("textbox", words["user_id"]), "{{secret.user}}")
    await hand.type(hand.role("textbox", words["password"]), "{{secret.password}}")
    await hand.click(hand.role("button", words["sign_in"]))


async def search(hand: Hand, tenant: str, field: str, value: str) -> None:
    """Search by one field."""
    words = TENANTS[tenant].words
    await hand.click(hand.role("link", words["search_title"]))
    await hand.type(hand.role("textbox", words[field]), value)
    await hand.click(hand.role("button", words["search"]))


async def member(hand: Hand, tenant: str) -> None:
    """Open the member's page."""
    await login(hand, tenant)
    await search(hand, tenant, "member_number", MEMBER)
    await hand.click(hand.role("link", TENANTS[tenant].words["open_member"] or MEMBER))


def cell(hand: Hand, tenant: str, kind: str, key: str) -> Locator:
    """A cell of the accounts table."""
    place = TENANTS[tenant].columns["accounts"].index(key)
    rows = hand.session.page.get_by_role("row").filter(has=hand.role("cell", kind))
    return rows.first.get_by_role("cell").nth(place)


async def balances(hand: Hand, tenant: str) -> None:
    """Read two balances."""
    await member(hand, tenant)
    await hand.read("savingsBalance", cell(hand, tenant, "Savings", "balance"))
    await hand.read("checkingBalance", cell(hand, tenant, "Checking", "balance"))


async def find(hand: Hand, tenant: str) -> None:
    """Find members by last name and read the table."""
    await login(hand, tenant)
    await search(hand, tenant, "last_name", "Whitaker")
    await hand.read("members", hand.session.page.get_by_role("table"), what="table")


async def address(hand: Hand, tenant: str) -> None:
    """Change the address."""
    words = TENANTS[tenant].words
    await member(hand, tenant)
    await hand.click(hand.role("link", words["change_address"]))
    await hand.type(hand.role("textbox", words["street"]), "12 Oak Street")
    await hand.type(hand.role("textbox", words["city"]), "Salem")
    await hand.select(hand.role("combobox", words["state"]), "OR")
    await hand.type(hand.role("textbox", words["zip_code"]), "97301")
    await hand.click(hand.role("button", words["save_address"]))


async def option(hand: Hand, label: str, kind: str) -> str:
    """The option of a select that starts with a kind of account."""
    texts = await hand.role("combobox", label).locator("option").all_inner_texts()
    return next(text.strip() for text in texts if text.strip().startswith(kind))


async def transfer(hand: Hand, tenant: str) -> None:
    """Move money and read the reference."""
    words = TENANTS[tenant].words
    await member(hand, tenant)
    await hand.click(hand.role("link", words["transfer"]))
    for key, kind in (("from_account", "Savings"), ("to_account", "Checking")):
        await hand.select(hand.role("combobox", words[key]), await option(hand, words[key], kind))
    await hand.type(hand.role("textbox", words["amount"]), "25.50")
    await hand.type(hand.role("textbox", words["memo"]), "rent")
    await hand.click(hand.role("button", words["send_transfer"]))
    place = {"harbor": "dt", "summit": "[role=listitem] span:first-child", "lakeside": "th"}[tenant]
    label = hand.session.page.locator(place).filter(has_text=words["reference"])
    await hand.read("reference", label.locator("xpath=following-sibling::*[1]"))


async def statement(hand: Hand, tenant: str) -> None:
    """Download a statement as CSV."""
    words = TENANTS[tenant].words
    await member(hand, tenant)
    await hand.click(hand.role("link", words["statements"]))
    await hand.select(hand.role("combobox", words["account_number"]), await option(hand, words["account_number"], "Savings"))
    month = await hand.role("combobox", words["month"]).locator("option").first.inner_text()
    await hand.select(hand.role("combobox", words["month"]), month.strip())
    await hand.click(hand.role("button", words["csv"]))
    await hand.read("statement", None, what="file", value="statement.csv")


Flow = Callable[[Hand, str], Awaitable[None]]
FLOWS: Mapping[str, tuple[Flow, str]] = {
    "balances": (balances, f"Log in to the teller console and read member {MEMBER}'s savings and checking balances"),
    "find": (find, "Log in, find the members with the last name Whitaker and read the table"),
    "address": (address, f"Log in and change the address of member {MEMBER} to 12 Oak Street, Salem, OR 97301"),
    "transfer": (
        transfer,
        f"Log in and transfer $25.50 from account {{savings}} of member {MEMBER} to account {{checking}}",
    ),
    "statement": (statement, f"Log in and download the statement of the savings account {{savings}} of member {MEMBER} as CSV"),
}


def goal_text(name: str, accounts: Mapping[str, str]) -> str:
    """The goal with the tenant's account numbers."""
    return FLOWS[name][1].format(**accounts)
