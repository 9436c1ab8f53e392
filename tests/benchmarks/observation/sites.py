"""The pages that everyone looks at: the teller console, MiniWoB++, Django's admin, and a page of 15,000 elements."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Page

from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole
from tests.benchmarks.observation import tools
from tests.miniwob.site import serve_tasks
from tests.pages import serve

Open = Callable[[Page], Awaitable[None]]
HERE = Path(__file__).parent
MEMBER = "100231"
TASKS = ("click-checkboxes-large", "login-user", "choose-list", "read-table", "email-inbox", "book-flight-nodelay")
START = "seed => { Math.seedrandom(seed); core.EPISODE_MAX_TIME = 3600000; core.startEpisodeReal(); core.hideDisplay(); }"


@dataclass(frozen=True)
class Shown:
    """One page: its name in the table, and how to have it in front of everyone."""

    name: str
    open: Open


def big(rows: int = 2500) -> str:
    """A page with six elements a row: 15,012 elements with 2,500 rows."""
    cells = "".join(
        f"<tr><td>{row:05d}<td>Item number {row}<td>${row * 7 % 1000}.{row % 100:02d}<td><a href=/x/{row}>Open</a>"
        for row in range(rows)
    )
    head = "<tr><th>No<th>Name<th>Price<th>More"
    return f"<title>Items</title><h1>All items</h1><table><thead>{head}</thead><tbody>{cells}</tbody></table>"


def visit(url: str) -> Open:
    """Go there and let it settle."""

    async def go(page: Page) -> None:
        await page.goto(url, wait_until="load")
        await page.wait_for_load_state("networkidle")

    return go


async def sign_in(page: Page) -> None:
    """Sign in to the console that is open."""
    for word in ("Dismiss", "Continue", "Got it"):
        button = page.get_by_role("button", name=word)
        if await button.count():
            await button.first.click()
    await page.locator("input:visible").first.fill(DEMO_USER)
    await page.locator("input[type=password]").fill(DEMO_PASSWORD)
    await page.keyboard.press("Enter")
    await page.wait_for_url(lambda url: "/login" not in url)


@asynccontextmanager
async def console(tenant: str) -> AsyncIterator[tuple[Shown, ...]]:
    """Pages of one tenant, signed in after the first."""
    async with TellerConsole(tenant) as running:

        async def enter(page: Page) -> None:
            await visit(running.url)(page)
            await sign_in(page)
            await visit(f"{running.url}/search?last_name=Johnson")(page)

        account = running.records.accounts(MEMBER)[0].number
        member = f"{running.url}/members/{MEMBER}"
        yield (
            Shown(f"{tenant}: sign-in", visit(running.url)),
            Shown(f"{tenant}: search results", enter),
            Shown(f"{tenant}: member", visit(member)),
            Shown(f"{tenant}: transactions", visit(f"{member}/accounts/{account}")),
            Shown(f"{tenant}: transfer", visit(f"{member}/transfer")),
        )


@asynccontextmanager
async def miniwob() -> AsyncIterator[tuple[Shown, ...]]:
    """Tasks of the package, each started with the same seed."""
    async with serve_tasks() as address:

        def task(name: str) -> Open:
            async def start(page: Page) -> None:
                await page.goto(f"{address}/miniwob/{name}.html")
                await page.wait_for_function("() => core.cover_div")
                await page.evaluate(START, 7)
                await page.wait_for_function("() => WOB_TASK_READY")

            return start

        yield tuple(Shown(f"MiniWoB++: {name}", task(name)) for name in TASKS)


@asynccontextmanager
async def django() -> AsyncIterator[tuple[Shown, ...]]:
    """Django's own admin with sixty users, if the peers' environment is there."""
    if not tools.python().exists():
        yield ()
        return
    process = await asyncio.create_subprocess_exec(
        str(tools.python()), str(HERE / "django_site.py"), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout
        address = (await asyncio.wait_for(process.stdout.readline(), 60)).decode().strip()

        async def enter(page: Page) -> None:
            await page.goto(f"{address}/admin/")
            await page.fill("#id_username", "admin")
            await page.fill("#id_password", "admin-Pass-1")
            await page.keyboard.press("Enter")
            await page.wait_for_selector("#site-name")
            await visit(f"{address}/admin/auth/user/")(page)

        yield (
            Shown("Django admin: user list", enter),
            Shown("Django admin: change user", visit(f"{address}/admin/auth/user/2/change/")),
        )
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def generated() -> AsyncIterator[tuple[Shown, ...]]:
    """The page of 15,000 elements."""
    async with serve() as pages:
        pages["/big"] = big()
        yield (Shown("generated: 15,012 elements", visit(f"{pages.url}/big")),)


@asynccontextmanager
async def everything() -> AsyncIterator[tuple[Shown, ...]]:
    """All pages, in the order of the table."""
    async with AsyncExitStack() as stack:
        found: list[Shown] = []
        for site in (console("harbor"), console("summit"), console("lakeside"), miniwob(), django(), generated()):
            found += await stack.enter_async_context(site)
        yield tuple(found)
