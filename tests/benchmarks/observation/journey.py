"""One run on the teller console, as a person does it: what everyone sees before each of its steps."""

from collections.abc import AsyncIterator, Awaitable, Callable

from playwright.async_api import Page

from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole

Do = Callable[[Page], Awaitable[object]]
MEMBER = "100231"

STEPS: tuple[tuple[str, Do], ...] = (
    ("type the user", lambda page: page.get_by_label("User ID").fill(DEMO_USER)),
    ("type the password", lambda page: page.get_by_label("Password").fill(DEMO_PASSWORD)),
    ("sign in", lambda page: page.get_by_role("button", name="Sign in").click()),
    ("open the search", lambda page: page.get_by_role("link", name="Member search").click()),
    ("type the name", lambda page: page.get_by_label("Last name").fill("Johnson")),
    ("search", lambda page: page.get_by_role("button", name="Search").click()),
    ("next page", lambda page: page.get_by_role("link", name="Next").click()),
    ("type the number", lambda page: page.get_by_label("Member number").fill(MEMBER)),
    ("clear the name", lambda page: page.get_by_label("Last name").fill("")),
    ("search again", lambda page: page.get_by_role("button", name="Search").click()),
    ("open the member", lambda page: page.get_by_role("link", name=MEMBER).click()),
    ("read the balances", lambda page: page.title()),
    ("write a note", lambda page: page.frame_locator("iframe").get_by_label("New note").fill("Called back.")),
    ("add the note", lambda page: page.frame_locator("iframe").get_by_role("button", name="Add note").click()),
    ("open the transfer", lambda page: page.get_by_role("link", name="Transfer money").click()),
    ("from", lambda page: page.get_by_label("From account").select_option(index=1)),
    ("to", lambda page: page.get_by_label("To account").select_option(index=2)),
    ("amount", lambda page: page.get_by_label("Amount").fill("12.50")),
    ("memo", lambda page: page.get_by_label("Memo").fill("rent")),
)


async def journey(page: Page) -> AsyncIterator[str]:
    """Yields the name of the step that comes next, with the page in front of it; last the page after all of them."""
    async with TellerConsole("harbor") as console:
        await page.goto(console.url)
        for name, do in STEPS:
            await page.wait_for_load_state("networkidle")
            yield name
            await do(page)
        await page.wait_for_load_state("networkidle")
        yield "the end"
