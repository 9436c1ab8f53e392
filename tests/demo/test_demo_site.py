import csv
import io
from decimal import Decimal

import httpx
import pytest

from engine.demo import DEMO_PASSWORD, DEMO_USER, TENANTS, TellerConsole
from tests.demo.opening import Clock, OpenClient, OpenConsole

MEMBER = "/members/100231"
ADDRESS = {"street": "9 Pier Road", "city": "Erie", "state": "PA", "zip_code": "16501"}
TRANSFER = {"from_account": "100231-01", "to_account": "100231-70", "amount": "25.00", "memo": "rent"}


def kinds(console: TellerConsole) -> list[str]:
    return [operation.kind for operation in console.operations()]


async def test_a_wrong_password_is_told_and_logged(console: TellerConsole, visitor: OpenClient) -> None:
    """The form comes back with the user kept, and the password is nowhere in the log."""
    client = await visitor(console)
    answer = await client.post("/login", data={"user": DEMO_USER, "password": "guess-9"})
    assert TENANTS[console.tenant].words["wrong_password"] in answer.text
    assert f'value="{DEMO_USER}"' in answer.text
    assert kinds(console) == ["login_failed"]
    assert "guess-9" not in repr(console.operations())


async def test_the_session_cookie_is_out_of_reach_of_scripts(console: TellerConsole, visitor: OpenClient) -> None:
    """HttpOnly, and the right password is nowhere in the log either."""
    client = await visitor(console)
    answer = await client.post("/login", data={"user": DEMO_USER, "password": DEMO_PASSWORD})
    assert answer.url.path == "/"
    assert "httponly" in answer.history[0].headers["set-cookie"].lower()
    assert kinds(console) == ["login"]
    assert DEMO_PASSWORD not in repr(console.operations())


async def test_a_visitor_is_sent_to_the_login_page_and_back(console: TellerConsole, visitor: OpenClient) -> None:
    """The page that was asked for comes after the login, its query included."""
    client = await visitor(console)
    asked = "/search?member_number=100231&last_name="
    login = await client.get(asked)
    assert login.url.path == "/login"
    form = {"user": DEMO_USER, "password": DEMO_PASSWORD, "next": login.url.params["next"]}
    answer = await client.post("/login", data=form)
    assert str(answer.url) == console.url + asked


@pytest.mark.parametrize("wanted", ["https://example.com/", "//example.com/", "/\\example.com", "", "javascript:1"])
async def test_a_login_never_leads_to_another_site(wanted: str, open_console: OpenConsole, visitor: OpenClient) -> None:
    """Only a path on this site is taken as the page to go back to."""
    console = await open_console()
    client = await visitor(console)
    form = {"user": DEMO_USER, "password": DEMO_PASSWORD, "next": wanted}
    answer = await client.post("/login", data=form, follow_redirects=False)
    assert answer.headers["location"] == "/"


async def test_an_idle_session_expires_and_says_so(open_console: OpenConsole, teller: OpenClient, clock: Clock) -> None:
    """Activity keeps the session; after the idle time the login page tells why it is shown."""
    console = await open_console(session_seconds=60, clock=clock)
    client = await teller(console)
    for clock.now in (50, 100):
        assert (await client.get(MEMBER)).url.path == MEMBER
    clock.now = 161
    answer = await client.get(MEMBER)
    assert answer.url.path == "/login"
    assert TENANTS["harbor"].words["expired"] in answer.text
    assert (await client.get("/api/members?last_name=a")).status_code == 401
    assert (await client.get(f"{MEMBER}/notes")).status_code == 401


async def test_nothing_is_done_for_an_expired_session(console: TellerConsole, teller: OpenClient) -> None:
    """A form sent too late has no effect and leaves no entry."""
    client = await teller(console)
    console.expire_sessions()
    answer = await client.post(f"{MEMBER}/transfer", data=TRANSFER)
    assert answer.url.path == "/login"
    assert answer.url.params["next"] == f"{MEMBER}/transfer"
    assert kinds(console) == ["login"]
    assert console.records.transfers == ()


async def test_signing_out_ends_the_session(console: TellerConsole, teller: OpenClient) -> None:
    """The old cookie opens nothing any more."""
    client = await teller(console)
    token = client.cookies["tc_session"]
    answer = await client.post("/logout")
    assert TENANTS[console.tenant].words["signed_out"] in answer.text
    client.cookies.set("tc_session", token, domain="127.0.0.1")
    assert (await client.get("/")).url.path == "/login"
    assert kinds(console)[-1] == "logout"


async def test_a_common_name_fills_more_than_one_page(console: TellerConsole, teller: OpenClient) -> None:
    """Both pages together show everyone of that name once, however it is typed."""
    client = await teller(console)
    pages = [(await client.get("/api/members", params={"last_name": "jOHNson", "page": n})).json() for n in (1, 2)]
    shown = [row["number"] for page in pages for row in page["rows"]]
    truth = [member.id for member in console.records.members if member.last_name == "Johnson"]
    assert sorted(shown) == truth
    assert [len(page["rows"]) for page in pages] == [10, len(truth) - 10]
    logged = console.operations()[-1]
    assert (logged.kind, logged.parameter("last_name"), logged.parameter("page")) == ("search", "jOHNson", "2")


@pytest.mark.parametrize("page", ["0", "-1", "99", "x", "²", ""])
async def test_an_impossible_page_is_answered_with_a_possible_one(
    page: str, open_console: OpenConsole, teller: OpenClient
) -> None:
    """Page numbers from outside never break the search."""
    client = await teller(await open_console())
    answer = await client.get("/api/members", params={"last_name": "Johnson", "page": page})
    assert answer.json()["page"] in (1, 2)


async def test_a_search_for_nothing_is_refused(open_console: OpenConsole, teller: OpenClient) -> None:
    """It says what to enter, and is no search in the log."""
    console = await open_console()
    client = await teller(console)
    assert TENANTS["harbor"].words["search_empty"] in (await client.get("/search?member_number=+&last_name=")).text
    assert (await client.get("/api/members?last_name=+")).status_code == 400
    assert TENANTS["harbor"].words["search_none"] in (await client.get("/search?member_number=999999&last_name=")).text
    assert kinds(console) == ["login", "search"]


@pytest.mark.parametrize(
    "path",
    [
        "/members/999999",
        "/members/100231/accounts/100232-01",
        "/members/100231/statements/file?account=100232-01&month=2026-03&format=csv",
        "/members/100231/statements/file?account=100231-01&month=2026-03&format=exe",
        "/members/100231/transfers/T000001",
        "/nowhere",
    ],
)
async def test_what_does_not_exist_is_not_found(path: str, console: TellerConsole, teller: OpenClient) -> None:
    """An unknown member, another member's account, an unknown format: 404, and nothing in the log."""
    client = await teller(console)
    assert (await client.get(path)).status_code == 404
    assert kinds(console) == ["login"]


async def test_an_address_change_is_written_and_told(console: TellerConsole, teller: OpenClient) -> None:
    """The member page shows the message once, the records and the log hold the new address."""
    client = await teller(console)
    answer = await client.post(f"{MEMBER}/address", data=ADDRESS)
    said = TENANTS[console.tenant].words["address_saved"]
    assert answer.url.path == MEMBER
    assert said in answer.text
    assert said not in (await client.get(MEMBER)).text
    member = console.records.member("100231")
    assert member is not None
    assert member.address.street == "9 Pier Road"
    changed = [each for each in console.operations() if each.kind == "change_address"]
    assert [dict(each.parameters) for each in changed] == [ADDRESS]


async def test_a_bad_address_is_shown_again_with_what_was_typed(console: TellerConsole, teller: OpenClient) -> None:
    """Errors stand beside their fields, values are kept, nothing is written."""
    client = await teller(console)
    before = console.records.member("100231")
    answer = await client.post(f"{MEMBER}/address", data=ADDRESS | {"zip_code": "1", "street": '"><b>'})
    assert 'aria-invalid="true"' in answer.text
    assert "five digits" in answer.text
    assert 'value="&#34;&gt;&lt;b&gt;"' in answer.text
    assert console.records.member("100231") == before
    assert kinds(console) == ["login"]


async def test_a_form_sent_twice_transfers_twice(console: TellerConsole, teller: OpenClient) -> None:
    """The site does not protect from double submission, and the log tells."""
    client = await teller(console)
    savings, checking = (each.balance for each in console.records.accounts("100231"))
    for _ in range(2):
        answer = await client.post(f"{MEMBER}/transfer", data=TRANSFER)
        assert answer.url.path.startswith(f"{MEMBER}/transfers/T")
    moved = Decimal("50.00")
    assert [each.balance for each in console.records.accounts("100231")] == [savings - moved, checking + moved]
    logged = [each for each in console.operations() if each.kind == "transfer"]
    assert [each.parameter("amount") for each in logged] == ["25.00", "25.00"]
    assert [each.parameter("reference") for each in logged] == [each.reference for each in console.records.transfers]


@pytest.mark.parametrize("wrong", [{"amount": "0"}, {"amount": "9999999"}, {"to_account": "100232-70"}])
async def test_an_impossible_transfer_has_no_effect(wrong: dict[str, str], console: TellerConsole, teller: OpenClient) -> None:
    """The form comes back with an error, and neither books nor log changed."""
    client = await teller(console)
    answer = await client.post(f"{MEMBER}/transfer", data=TRANSFER | wrong)
    assert 'aria-invalid="true"' in answer.text
    assert console.records.transfers == ()
    assert kinds(console) == ["login"]


async def test_a_statement_holds_the_months_transactions(console: TellerConsole, teller: OpenClient) -> None:
    """As a file to download, in both formats."""
    client = await teller(console)
    asked = {"account": "100231-70", "month": "2026-03"}
    answer = await client.get(f"{MEMBER}/statements/file", params=asked | {"format": "csv"})
    assert answer.headers["content-disposition"] == 'attachment; filename="statement-100231-70-2026-03.csv"'
    truth = [each for each in console.records.transactions("100231-70") if f"{each.posted:%Y-%m}" == "2026-03"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [Decimal(row["Balance"]) for row in rows] == [each.balance for each in truth]
    answer = await client.get(f"{MEMBER}/statements/file", params=asked | {"format": "pdf"})
    assert answer.content.startswith(b"%PDF-1.4")
    downloads = [dict(each.parameters) for each in console.operations() if each.kind == "download_statement"]
    assert downloads == [asked | {"format": "csv"}, asked | {"format": "pdf"}]


async def test_an_empty_month_gives_no_file(open_console: OpenConsole, teller: OpenClient) -> None:
    """It says so, and nothing is logged."""
    console = await open_console()
    client = await teller(console)
    answer = await client.get(f"{MEMBER}/statements/file?account=100231-01&month=1999-01&format=csv")
    assert TENANTS["harbor"].words["no_statement"] in answer.text
    assert kinds(console) == ["login"]


async def test_notes_are_kept_and_escaped(console: TellerConsole, teller: OpenClient) -> None:
    """The newest comes first, and what it says stays text; an empty one is refused."""
    client = await teller(console)
    answer = await client.post(f"{MEMBER}/notes", data={"text": "<script>alert(1)</script>"})
    assert "&lt;script&gt;alert(1)" in answer.text
    assert "<script>alert" not in answer.text
    await client.post(f"{MEMBER}/notes", data={"text": " "})
    assert console.records.notes("100231")[0].text == "<script>alert(1)</script>"
    assert kinds(console) == ["login", "add_note"]


async def test_the_operations_log_answers_on_its_own_port(console: TellerConsole, teller: OpenClient) -> None:
    """As JSON, from a sequence number on; the console itself does not show it."""
    client = await teller(console)
    await client.get(MEMBER)
    assert (await client.get("/__ops")).status_code == 404
    async with httpx.AsyncClient(base_url=console.ops_url, trust_env=False) as ops:
        entries = (await ops.get("/__ops")).json()["operations"]
        assert [(each["seq"], each["kind"], each["member_id"]) for each in entries] == [
            (1, "login", None),
            (2, "view_member", "100231"),
        ]
        assert set(entries[0]) == {"seq", "at", "kind", "member_id", "parameters", "teller"}
        assert [each["seq"] for each in (await ops.get("/__ops?after=1")).json()["operations"]] == [2]
        assert (await ops.get("/__ops?after=x")).status_code == 400
