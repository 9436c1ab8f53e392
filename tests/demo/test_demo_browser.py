import re

import pytest
from playwright.async_api import Dialog, Locator, Page, expect

from engine.demo import DEMO_PASSWORD, DEMO_USER, TENANTS, TellerConsole
from engine.demo.rendering import money
from tests.demo.opening import OpenConsole

UNNAMED = re.compile(r"^\s*- (?:button|link|textbox|combobox|iframe)(?: \[[^\]]*\])*:?$", re.M)


class Walk:
    """A teller at one tenant's console, finding everything by role and name."""

    def __init__(self, page: Page, console: TellerConsole) -> None:
        self.page = page
        self.console = console
        self.words = TENANTS[console.tenant].words

    def button(self, word: str) -> Locator:
        return self.page.get_by_role("button", name=self.words[word], exact=True)

    def field(self, word: str) -> Locator:
        return self.page.get_by_label(self.words[word], exact=True)

    def link(self, word: str) -> Locator:
        return self.page.get_by_role("link", name=self.words[word], exact=True)

    def cell(self, table: str, row: str, column: str) -> Locator:
        """The cell below a header, in the row that holds a cell with exactly this text."""
        place = list(TENANTS[self.console.tenant].columns[table]).index(column)
        holds = self.page.get_by_role("cell", name=row, exact=True)
        return self.page.get_by_role("row").filter(has=holds).get_by_role("cell").nth(place)

    async def sign_in(self, path: str = "/") -> None:
        await self.page.goto(self.console.url + path)
        await self.button("notice_dismiss").click()
        await self.enter()

    async def enter(self) -> None:
        await self.field("user_id").fill(DEMO_USER)
        await self.field("password").fill(DEMO_PASSWORD)
        await self.button("sign_in").click()

    def done(self, kind: str) -> list[dict[str, str]]:
        """What the server did of one kind."""
        return [dict(each.parameters) for each in self.console.operations() if each.kind == kind]


@pytest.fixture
def walk(page: Page, console: TellerConsole) -> Walk:
    return Walk(page, console)


async def test_balances_are_read_from_login_on(walk: Walk) -> None:
    """Login, search, member page: the cells show the records, and the log tells the way."""
    await walk.sign_in()
    await walk.link("search_title").click()
    await walk.field("member_number").fill("100231")
    await walk.button("search").click()
    await walk.page.get_by_role("link", name=walk.words["open_member"] or "100231", exact=True).click()
    await walk.page.wait_for_url("**/members/100231")
    for account in walk.console.records.accounts("100231"):
        await expect(walk.cell("accounts", account.type, "balance")).to_have_text(money(account.balance))
    kinds = [each.kind for each in walk.console.operations()]
    assert kinds == ["login", "search", "view_member"]
    assert walk.done("search") == [{"member_number": "100231", "last_name": "", "page": "1", "found": "1"}]


@pytest.mark.parametrize("tenant", ["harbor", "summit"])
async def test_one_set_of_names_reads_balances_on_two_tenants(tenant: str, page: Page, open_console: OpenConsole) -> None:
    """The very same roles and names lead from login to balance, although markup, ids and column order differ."""
    console = await open_console(tenant)
    await page.goto(console.url)
    await page.get_by_label("User ID", exact=True).fill(DEMO_USER)
    await page.get_by_label("Password", exact=True).fill(DEMO_PASSWORD)
    await page.get_by_role("button", name="Sign in", exact=True).click()
    await page.get_by_role("link", name="Member search", exact=True).click()
    await page.get_by_role("textbox", name="Member number", exact=True).fill("100231")
    await page.get_by_role("button", name="Search", exact=True).click()
    await page.get_by_role("link", name="100231", exact=True).click()
    headers = page.get_by_role("columnheader")
    await expect(headers.get_by_text("Balance", exact=True)).to_be_visible()
    place = (await headers.all_inner_texts()).index("Balance")
    row = page.get_by_role("row").filter(has=page.get_by_role("cell", name="Savings", exact=True))
    savings = console.records.accounts("100231")[0]
    await expect(row.get_by_role("cell").nth(place)).to_have_text(money(savings.balance))


async def test_tenants_share_no_hold_that_a_selector_could_use(page: Page, open_console: OpenConsole) -> None:
    """Ids of the login form differ between tenants, lakeside's are new at every load, and columns have other places."""
    seen: list[list[str]] = []
    for tenant in ("harbor", "summit", "lakeside", "lakeside"):
        console = await open_console(tenant)
        await page.goto(f"{console.url}/login")
        seen.append(await page.locator("input[type=text], input[type=password]").evaluate_all("all => all.map(e => e.id)"))
    ids = [each for load in seen for each in load]
    assert len(ids) == len(set(ids)) == 8
    places = {tenant.columns["accounts"].index("balance") for tenant in TENANTS.values()}
    types = {tenant.columns["accounts"].index("type") for tenant in TENANTS.values()}
    assert len(places) == len(types) == len(TENANTS)


async def test_lakeside_must_be_told_to_go_on(page: Page, open_console: OpenConsole) -> None:
    """Its first-visit dialog covers the form until it is dismissed, and stays away afterwards."""
    walk = Walk(page, await open_console("lakeside"))
    await page.goto(walk.console.url)
    button = await walk.button("sign_in").bounding_box()
    assert button is not None
    covering = "([x, y]) => document.elementFromPoint(x, y).localName"
    spot = [button["x"] + 5, button["y"] + 5]
    assert await page.evaluate(covering, spot) == "tc-notice"
    await walk.button("notice_dismiss").click()
    assert await page.evaluate(covering, spot) != "tc-notice"
    await page.reload()
    await expect(walk.button("notice_dismiss")).to_have_count(0)


@pytest.mark.parametrize("tenant", ["harbor", "summit"])
async def test_other_notices_do_not_block(tenant: str, page: Page, open_console: OpenConsole) -> None:
    """On harbor and summit a teller can sign in with the notice still there."""
    walk = Walk(page, await open_console(tenant))
    await page.goto(walk.console.url)
    await walk.enter()
    await expect(walk.button("sign_out")).to_be_visible()
    await expect(walk.button("notice_dismiss")).to_be_visible()


async def test_a_long_result_is_turned_to_its_second_page(walk: Walk) -> None:
    """The next page shows the rest; on summit without loading the page again."""
    await walk.sign_in("/search")
    await walk.field("last_name").fill("Johnson")
    await walk.button("search").click()
    await expect(walk.page.get_by_role("row")).to_have_count(11)
    await walk.link("next").or_(walk.button("next")).click()
    await expect(walk.page.get_by_role("row")).to_have_count(4)
    assert [each["page"] for each in walk.done("search")] == ["1", "2"]


async def test_an_address_is_changed_after_a_correction(walk: Walk) -> None:
    """The error stands at the field, the second try is saved, once."""
    await walk.sign_in("/members/100231/address")
    await walk.field("street").fill("9 Pier Road")
    await walk.field("state").select_option("PA")
    await walk.field("zip_code").fill("165")
    await walk.button("save_address").click()
    await expect(walk.field("zip_code")).to_have_accessible_description("Enter a ZIP code of five digits.")
    await expect(walk.field("street")).to_have_value("9 Pier Road")
    await walk.field("zip_code").fill("16501")
    await walk.button("save_address").click()
    await expect(walk.page.get_by_role("status")).to_contain_text(walk.words["address_saved"])
    assert [(each["street"], each["state"], each["zip_code"]) for each in walk.done("change_address")] == [
        ("9 Pier Road", "PA", "16501")
    ]


async def test_a_transfer_happens_only_when_it_is_confirmed(walk: Walk) -> None:
    """The question names amount and accounts; no leaves everything as it was, yes moves the money once."""
    asked: list[str] = []
    answers = iter((False, True))

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await (dialog.accept() if next(answers) else dialog.dismiss())

    walk.page.on("dialog", answer)
    await walk.sign_in("/members/100231/transfer")
    await walk.field("from_account").select_option("100231-01")
    await walk.field("to_account").select_option("100231-70")
    await walk.field("amount").fill("25")
    await walk.button("send_transfer").click()
    assert walk.console.records.transfers == ()
    await walk.button("send_transfer").click()
    await walk.page.wait_for_url("**/transfers/T000001")
    assert asked == ["Transfer $25.00 from Savings 100231-01 to Checking 100231-70?"] * 2
    assert [(each["amount"], each["reference"]) for each in walk.done("transfer")] == [("25.00", "T000001")]


@pytest.mark.parametrize("kind", ["csv", "pdf"])
async def test_a_statement_is_downloaded(kind: str, walk: Walk) -> None:
    """The browser gets a file with the account and the month in its name."""
    await walk.sign_in("/members/100231/statements")
    await walk.field("account_number").select_option("100231-70")
    await walk.field("month").select_option("2026-03")
    async with walk.page.expect_download() as download:
        await walk.button(kind).click()
    assert (await download.value).suggested_filename == f"statement-100231-70-2026-03.{kind}"
    assert walk.done("download_statement") == [{"account": "100231-70", "month": "2026-03", "format": kind}]


async def test_a_note_is_added_in_the_frame(walk: Walk) -> None:
    """The page around it stays where it is."""
    await walk.sign_in("/members/100231")
    frame = walk.page.frame_locator("iframe")
    await frame.get_by_label(walk.words["new_note"]).fill("Called back.")
    await frame.get_by_role("button", name=walk.words["add_note"]).click()
    await expect(frame.get_by_role("listitem").first).to_contain_text("Called back.")
    assert walk.page.url == f"{walk.console.url}/members/100231"
    assert walk.done("add_note") == [{"text": "Called back."}]


async def test_an_expired_session_leads_through_login_back_to_the_page(walk: Walk) -> None:
    """The note says why; after it the member page is there."""
    await walk.sign_in("/search?member_number=100231&last_name=")
    opening = walk.page.get_by_role("link", name=walk.words["open_member"] or "100231", exact=True)
    await expect(opening).to_be_visible()
    walk.console.expire_sessions()
    await opening.click()
    await expect(walk.page.get_by_role("status")).to_contain_text(walk.words["expired"])
    await walk.enter()
    await expect(walk.page).to_have_url(f"{walk.console.url}/members/100231")


async def test_everything_has_a_name_but_the_known_flaw(walk: Walk) -> None:
    """Only the icon button of the member page has none; no script complains on any page."""
    complaints: list[str] = []
    walk.page.on("pageerror", lambda error: complaints.append(str(error)))
    walk.page.on("console", lambda message: complaints.append(message.text))
    await walk.page.goto(walk.console.url)
    assert not UNNAMED.findall(await walk.page.aria_snapshot(mode="ai"))
    await walk.sign_in()
    flaws: dict[str, int] = {}
    for path in ("/", "/search", "/members/100231", "/members/100231/transfer", "/members/100231/address"):
        await walk.page.goto(walk.console.url + path)
        unnamed = UNNAMED.findall(await walk.page.aria_snapshot(mode="ai"))
        flaws[path] = len([each for each in unnamed if "iframe" not in each])
    assert {path: count for path, count in flaws.items() if count} == {"/members/100231": 1}
    assert not complaints


async def test_no_page_is_wider_than_a_phone(walk: Walk) -> None:
    """At 390 pixels only tables scroll, each in its own box."""
    await walk.page.set_viewport_size({"width": 390, "height": 800})
    await walk.sign_in()
    await walk.page.wait_for_url(f"{walk.console.url}/")
    for path in ("/", "/search?member_number=&last_name=Johnson", "/members/100231", "/members/100231/accounts/100231-70"):
        await walk.page.goto(walk.console.url + path, wait_until="networkidle")
        assert await walk.page.evaluate("document.documentElement.scrollWidth") <= 390, path
