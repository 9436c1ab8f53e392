"""The flows that drift is measured on: driven once through the product's own actor, distilled by it, truth told by the server."""

# ruff: noqa: E501

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Locator

from engine.browser.launch import Browser
from engine.demo import TENANTS, TellerConsole
from engine.demo.desk import NOTICE_COOKIE, SESSION_COOKIE
from engine.distill.draft import distill
from engine.domain.action import Action
from engine.domain.capability import Capability
from engine.domain.step import Outcome
from tests.distill.driving import Hand, goal, hand
from tests.distill.flows import MEMBER, NOTICES, SECRETS, option
from tests.drift.operators import SCRIPT
from tests.drift.site import COOKIE, Depot, open_depot

Effect = tuple[str, tuple[tuple[str, str], ...]]
"""A business operation: what was done, with which parameters."""
WRITES = frozenset({"transfer", "change_address", "add_note", "login", "login_failed"})


@dataclass(frozen=True)
class Hook:
    """One step of a flow as it was done: where on the page as made, which operators make sense there, how others would find it."""

    action: str
    value: str
    page: str = ""
    stamp: str = ""
    fits: frozenset[str] = frozenset()
    ways: Mapping[str, str] = field(default_factory=dict)


class Recorder(Hand):
    """A hand that keeps hooks."""

    hooks: list[Hook]

    async def act(self, action: Action, locator: Locator | None = None) -> Outcome:
        """Do it and keep where."""
        value = str(getattr(action, "text", "") or "\n".join(getattr(action, "options", ())))
        if locator is not None:
            self.hooks.append(await hook(action.action, value, locator))
        return await super().act(action, locator)

    async def read(self, name: str, locator: Locator | None, *given: Any, **more: Any) -> None:
        """Read it and keep where."""
        assert locator is not None
        self.hooks.append(await hook("extract", name, locator))
        await super().read(name, locator, *given, **more)


async def hook(action: str, value: str, locator: Locator) -> Hook:
    """What is known of an element before it is acted on."""
    facts = await locator.evaluate("e => window.__drift.facts(e)")
    codegen = (await locator.normalize())._impl_obj._selector
    css, xpath = await locator.evaluate("e => [window.__drift.css(e), window.__drift.xpath(e)]")
    ways = {"codegen": codegen, "copied CSS": css, "absolute XPath": f"xpath={xpath}"}
    return Hook(action, value, facts["page"], facts["stamp"], frozenset(facts["fits"]), ways)


@dataclass(frozen=True)
class Flow:
    """One piece of work. `site` is a tenant or `depot`; `effects` is what must be on the server, or `outputs` what must be read."""

    site: str
    start: str
    goal: str
    drive: Callable[[Recorder], Awaitable[None]]
    effects: tuple[Effect, ...] = ()
    outputs: Mapping[str, Any] = field(default_factory=dict)
    signed_in: bool = True


@dataclass(frozen=True)
class Ready:
    """A flow with the capability that the product made of it, and its hooks."""

    name: str
    flow: Flow
    capability: Capability
    hooks: tuple[Hook, ...]


@dataclass
class Sites:
    """All sites of one worker, so that what a trial did is told from what another did."""

    depot: Depot
    consoles: Mapping[str, TellerConsole]
    cookies: dict[str, list[dict[str, str]]] = field(default_factory=dict)

    def url(self, site: str) -> str:
        """Where it answers."""
        return self.depot.url if site == "depot" else self.consoles[site].url

    def effects(self, site: str) -> list[Effect]:
        """Everything it did so far that changes something."""
        if site == "depot":
            return [(kind, tuple(sorted(fields.items()))) for kind, fields in self.depot.operations]
        done = [each for each in self.consoles[site].operations() if each.kind in WRITES]
        return [
            (each.kind, tuple(sorted(pair for pair in each.parameters if pair[0] not in ("reference", "user"))))
            for each in done
        ]

    async def session(self, flow: Flow) -> list[dict[str, str]]:
        """Cookies of somebody who is signed in and has seen the notice."""
        if not flow.signed_in:
            return []
        if flow.site not in self.cookies:
            self.cookies[flow.site] = await self._signed_in(flow)
        return self.cookies[flow.site]

    async def _signed_in(self, flow: Flow) -> list[dict[str, str]]:
        url = self.url(flow.site)
        if flow.site == "depot":
            return [COOKIE | {"url": url}]
        async with httpx.AsyncClient() as client:
            answer = await client.post(f"{url}/login", data=SECRETS)
        session = {"name": SESSION_COOKIE, "value": answer.cookies[SESSION_COOKIE], "url": url}
        return [session, {"name": NOTICE_COOKIE, "value": "seen", "url": url}]


@asynccontextmanager
async def open_sites() -> AsyncIterator[Sites]:
    """One depot and one console a tenant."""
    async with AsyncExitStack() as stack:
        depot = await stack.enter_async_context(open_depot())
        consoles = {name: await stack.enter_async_context(TellerConsole(name, session_seconds=1e9)) for name in TENANTS}
        yield Sites(depot, consoles)


async def ready(browser: Browser, sites: Sites, name: str, folder: Path) -> Ready:
    """Drive it, distil it."""
    flow = FLOWS[name]
    url = sites.url(flow.site)
    async with hand(browser, url, folder, SECRETS) as by_hand:
        recorder = Recorder(by_hand.session, by_hand.actor)
        recorder.hooks = []
        context = by_hand.session.context
        await context.add_cookies(await sites.session(flow))  # type: ignore[arg-type]
        await context.add_init_script(f"{SCRIPT}({{operators: []}})")
        await by_hand.session.open(f"{url}{flow.start}")
        await flow.drive(recorder)
        draft = distill(goal(flow.goal, url, secrets=tuple(SECRETS)), tuple(recorder.steps))
    return Ready(name, flow, draft, tuple(recorder.hooks))


async def order(by: Recorder) -> None:
    """A native form."""
    await by.type(by.role("textbox", "Customer"), "Ostrava Foundry")
    await by.type(by.role("textbox", "Quantity"), "240")
    await by.select(by.role("combobox", "Shipping"), "By air")
    await by.type(by.role("textbox", "Remark"), "Fragile goods")
    await by.click(by.role("button", "Place order"))


async def ticket(by: Recorder) -> None:
    """The same button in every row, then a dialog."""
    await by.click(by.session.page.get_by_role("row", name="T-431").get_by_role("button"))
    await by.type(by.role("textbox", "Reason"), "Solved by phone")
    await by.click(by.role("checkbox", "Tell the reporter"))
    await by.click(by.role("button", "Close for good"))


async def invite(by: Recorder) -> None:
    """Library markup."""
    await by.type(by.role("textbox", "E-mail address"), "mara@example.org")
    await by.type(by.role("textbox", "Full name"), "Mara Lindqvist")
    await by.click(by.role("combobox", "Role"))
    await by.click(by.role("option", "Editor"))
    await by.click(by.role("button", "Send invitation"))


async def parts(by: Recorder) -> None:
    """A cell by its headers, a link in its row, a value after its label."""
    row = by.session.page.get_by_role("row", name="SKU-2349")
    await by.read("onHand", row.get_by_role("cell").nth(2))
    await by.click(row.get_by_role("link"))
    await by.read("shelf", by.session.page.locator("dd").nth(1))


async def payment(by: Recorder) -> None:
    """A wizard of two pages."""
    await by.type(by.role("textbox", "Recipient"), "Harrow Timber")
    await by.type(by.role("textbox", "Amount"), "145.20")
    await by.click(by.role("button", "Continue"))
    await by.click(by.role("button", "Confirm payment"))


def on_tenant(tenant: str) -> dict[str, Flow]:
    """The console's flows on one tenant, in its words."""
    words = TENANTS[tenant].words

    async def sign_in(by: Recorder) -> None:
        if tenant in NOTICES:
            await by.click(by.role("button", NOTICES[tenant]))
        await by.type(by.role("textbox", words["user_id"]), "{{secret.user}}")
        await by.type(by.role("textbox", words["password"]), "{{secret.password}}")
        await by.click(by.role("button", words["sign_in"]))

    async def balances(by: Recorder) -> None:
        column = TENANTS[tenant].columns["accounts"].index("balance")
        for kind in ("Savings", "Checking"):
            rows = by.session.page.get_by_role("row").filter(has=by.role("cell", kind))
            await by.read(f"{kind.lower()}Balance", rows.first.get_by_role("cell").nth(column))

    async def address(by: Recorder) -> None:
        await by.click(by.role("link", words["change_address"]))
        await by.type(by.role("textbox", words["street"]), "12 Oak Street")
        await by.type(by.role("textbox", words["city"]), "Salem")
        await by.select(by.role("combobox", words["state"]), "OR")
        await by.type(by.role("textbox", words["zip_code"]), "97301")
        await by.click(by.role("button", words["save_address"]))

    async def transfer(by: Recorder) -> None:
        for key, kind in (("from_account", "Savings"), ("to_account", "Checking")):
            await by.select(by.role("combobox", words[key]), await option(by, words[key], kind))
        await by.type(by.role("textbox", words["amount"]), "1.25")
        await by.type(by.role("textbox", words["memo"]), "rent")
        await by.click(by.role("button", words["send_transfer"]))

    at = f"/members/{MEMBER}"
    moved = {"city": "Salem", "state": "OR", "street": "12 Oak Street", "zip_code": "97301"}
    return {
        f"sign in, {tenant}": Flow(tenant, "/login", "Log in to the console", sign_in, (("login", ()),), signed_in=False),
        f"balances, {tenant}": Flow(tenant, at, f"Read member {MEMBER}'s savings and checking balances", balances),
        f"address, {tenant}": Flow(
            tenant, at, f"Change the address of member {MEMBER} to 12 Oak Street, Salem, OR 97301", address,
            (("change_address", tuple(sorted(moved.items()))),),
        ),
        f"transfer, {tenant}": Flow(
            tenant, f"{at}/transfer", f"Transfer $1.25 from savings to checking of member {MEMBER}", transfer, (("transfer", ()),),
        ),
    }  # fmt: skip


def effect(kind: str, **fields: str) -> tuple[Effect, ...]:
    """One operation."""
    return ((kind, tuple(sorted(fields.items()))),)


FLOWS: dict[str, Flow] = {
    "order": Flow(
        "depot", "/orders", "Order 240 for Ostrava Foundry by air, remark: Fragile goods", order,
        effect("orders", customer="Ostrava Foundry", quantity="240", shipping="air", remark="Fragile goods"),
    ),
    "ticket": Flow(
        "depot", "/tickets", "Close ticket T-431 because of: Solved by phone, and tell the reporter", ticket,
        effect("tickets", ticket="T-431", reason="Solved by phone", tell="true"),
    ),
    "invite": Flow(
        "depot", "/team", "Invite Mara Lindqvist, mara@example.org, as Editor", invite,
        effect("team", mail="mara@example.org", name="Mara Lindqvist", role="Editor"),
    ),
    "parts": Flow(
        "depot", "/stock", "Read how many of SKU-2349 are on hand, and its shelf", parts,
        outputs={"onHand": "47", "shelf": "Shelf 47"},
    ),
    "payment": Flow(
        "depot", "/pay", "Pay 145.20 to Harrow Timber", payment, effect("pay", recipient="Harrow Timber", amount="145.20"),
    ),
}  # fmt: skip
for each in TENANTS:
    FLOWS |= on_tenant(each)


def truth(flow: Flow, sites: Sites) -> tuple[tuple[Effect, ...], dict[str, Any]]:
    """What must have happened, and what must have been read, by the server's own books."""
    if flow.site == "depot" or ("balances" not in flow.goal and not flow.effects):
        return flow.effects, dict(flow.outputs)
    accounts = {each.type: each for each in sites.consoles[flow.site].records.accounts(MEMBER)}
    if not flow.effects:
        money = {kind: {"amount": str(accounts[kind].balance), "currency": "USD"} for kind in ("Savings", "Checking")}
        return (), {f"{kind.lower()}Balance": held for kind, held in money.items()}
    if flow.effects[0][0] == "transfer":
        between = {"from_account": accounts["Savings"].number, "to_account": accounts["Checking"].number}
        return effect("transfer", amount="1.25", memo="rent", **between), {}
    return flow.effects, {}
