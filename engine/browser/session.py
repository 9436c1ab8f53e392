"""One browser context and what a run does with it: open, look, act, settle, hear what happened, close in any case."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from engine.browser.deadline import is_gone, within
from engine.browser.element import Element
from engine.browser.events import DialogAnswerer, Events, Watch
from engine.browser.launch import ECHO, ECHOES, Browser
from engine.browser.settle import settle
from engine.browser.snapshot import Snapshot, take
from engine.domain.observation import Tab
from engine.errors import BrowserGone, DeadlineExceeded, TargetUnreachable

VIEWPORT = (1280, 800)
MARKS = files("engine.browser").joinpath("marks.js").read_text()
SHOWS = files("engine.browser").joinpath("shows.js").read_text()
SECRET_FIELDS = (
    "input[type=password], input[autocomplete^=cc-], input[autocomplete*=password], input[autocomplete=one-time-code]"
)


@dataclass(frozen=True)
class SessionSettings:
    """How one context is made: `prepare` puts routing below the first page, `secrets_in` finds the secrets in a text."""

    downloads: Path
    answer: DialogAnswerer
    prepare: Callable[[BrowserContext], Awaitable[None]] | None = None
    secrets_in: Callable[[str], tuple[str, ...]] | None = None
    open_seconds: float = 30.0
    settle_seconds: float = 6.0
    locale: str = "en-US"
    ignore_https_errors: bool = False


class Session:
    """One context, the page that is current in it, and the events of both."""

    def __init__(self, context: BrowserContext, watch: Watch, settings: SessionSettings) -> None:
        self.context = context
        self.watch = watch
        self.settings = settings
        self._current: Page | None = None
        self._latest: Snapshot | None = None

    @property
    def pages(self) -> list[Page]:
        """All open pages, oldest first."""
        return self.context.pages

    @property
    def page(self) -> Page:
        """The current page: the newest that was opened or switched to and is still there. Raises BrowserGone."""
        if self._current is None or self._current.is_closed():
            if not self.pages:
                raise BrowserGone("Every page of this run was closed; run it again.")
            self._current = self.pages[-1]
        return self._current

    @property
    def url(self) -> str:
        """URL of the current page."""
        return self.page.url

    async def open(self, url: str, *, settle: bool = True) -> None:
        """Go to a URL and settle. Raises TargetUnreachable with the browser's own reason, or when the site answers 5xx."""
        self.watch.main_status = None
        wait = self.settings.open_seconds
        try:
            await within(wait + 3, self.page.goto(url, wait_until="commit", timeout=wait * 1000), f"opening {url}")
        except (PlaywrightTimeout, DeadlineExceeded) as error:
            raise TargetUnreachable(f"{url} did not answer within {wait:g} s. Check that the site is up.") from error
        except PlaywrightError as error:
            if is_gone(error):
                raise BrowserGone(f"The browser went away while opening {url}.") from error
            if "is interrupted by another navigation" not in str(error) and "Download is starting" not in str(error):
                why = str(error).splitlines()[0].removeprefix("Page.goto: ")
                raise TargetUnreachable(f"{url} could not be opened: {why}. Check the URL and that the site is up.") from error
        if settle:
            await self.settle()

    async def start(self, url: str, *, settle: bool = True) -> None:
        """Open the target of a run; an answer that is an error of the site leaves nothing to do. Raises TargetUnreachable."""
        await self.open(url, settle=settle)
        if self.watch.refusing:
            raise TargetUnreachable(f"{url} answered {self.watch.main_status}. Check that the application is up.")

    async def settle(self, seconds: float | None = None) -> bool:
        """Follow a newly opened tab, then wait for quiet; False when the page still moved at the bound."""
        self.follow()
        still = await settle(self.page, self.watch.traffic, self.settings.settle_seconds if seconds is None else seconds)
        if self.follow():
            still = await settle(self.page, self.watch.traffic, self.settings.settle_seconds)
        if self.watch.crashed:
            raise BrowserGone("The page's renderer crashed. Run it again; the evidence so far is kept.")
        return still

    async def switch(self, tab: int) -> bool:
        """Make another tab current; False when there is no such tab."""
        if tab >= len(self.pages):
            return False
        self._current = self.pages[tab]
        await within(5, self._current.bring_to_front(), "switching tabs")
        return True

    async def go_back(self) -> bool:
        """One page back in the history; False when there is none."""
        response = await within(35, self.page.go_back(wait_until="commit"), "going back")
        await self.settle()
        return response is not None

    async def look(self, widened: frozenset[str] = frozenset()) -> Snapshot:
        """A snapshot of the current page; from now on refs are its refs. What `widened` names is read to its end."""
        whole = frozenset(self._latest.native(ref) for ref in widened) if self._latest else widened
        self._latest = await take(self.page, whole=whole)
        return self._latest

    def element(self, ref: str) -> Element:
        """The element that the latest snapshot named `ref`."""
        native = self._latest.native(ref) if self._latest else ref
        return Element(self.page.get_by_ref(native), f"element {ref}")

    def ours(self, native: str) -> str | None:
        """Our name of a ref that Playwright gave, by the latest snapshot."""
        frames = {theirs: ours for ours, theirs in self._latest.frames.items()} if self._latest else {}
        prefix, number = native.split("e", 1)
        return f"{frames[prefix]}e{number}" if prefix in frames else None

    async def press(self, key: str) -> None:
        """Press a key wherever the focus is."""
        await within(10, self.page.keyboard.press(key), f"pressing {key}")

    async def tabs(self) -> tuple[Tab, ...]:
        """All tabs as the model sees them."""
        found = []
        for index, page in enumerate(self.pages):
            title = await within(3, page.title(), "reading a tab's title")
            found.append(Tab(index=index, url=page.url, title=title, current=page is self.page))
        return tuple(found)

    async def screenshot(self, quality: int = 60) -> bytes:
        """The view as JPEG, at most 1,280 px wide; password and card fields and every text that holds a secret are covered.

        A page that shows ever more secrets meanwhile, or a frame that cannot be asked, is covered as a whole.
        """
        known = await self._echoes()
        for _ in range(3):
            shot = await self._shot(SECRET_FIELDS, quality, known)
            seen = await self._echoes()
            if known is None or seen is None:
                break
            if seen <= known:
                return shot
            known |= seen
        return await self._shot("html", quality)

    async def _shot(self, covered: str, quality: int, texts: frozenset[str] | None = None) -> bytes:
        page = self.page
        echoes = json.dumps(sorted(texts or ())).replace(">", "\\u003e")
        selectors = (covered, f"{ECHO}={echoes}") if texts else (covered,)
        masks = [frame.locator(selector) for frame in page.frames for selector in selectors]
        shot = page.screenshot(type="jpeg", quality=quality, scale="css", mask=masks, mask_color="#808080", timeout=8000)
        return await within(10, shot, "taking a screenshot")

    async def _echoes(self) -> frozenset[str] | None:
        """The secrets that the page shows now, as they stand there; None when a frame does not answer."""
        if self.settings.secrets_in is None:
            return frozenset()
        found: set[str] = set()
        for frame in self.page.frames:
            try:
                text = await within(2, frame.evaluate(f"({ECHOES}).texts()"), "looking for secrets on the page")
            except (PlaywrightError, DeadlineExceeded):
                return None
            found.update(self.settings.secrets_in(str(text)))
        return frozenset(found)

    async def marks(self) -> tuple[str, ...]:
        """Headings, alerts, statuses and dialogs that are visible now; empty while the page is being replaced or busy."""
        try:
            return tuple(await within(4, self.page.evaluate(MARKS), "looking at headings"))
        except (PlaywrightError, DeadlineExceeded):
            return ()

    async def shows(self, text: str) -> bool:
        """Whether a text is visible now, in any frame; False while a document is being replaced."""
        for frame in self.page.frames:
            try:
                if await within(4, frame.evaluate(SHOWS, text), "looking for a text"):
                    return True
            except PlaywrightError:
                continue
        return False

    async def asks_for_login(self) -> bool:
        """Whether a password field is visible on the page."""
        try:
            fields = self.page.locator("input[type=password]:visible")
            return await within(4, fields.count(), "looking for a login form") > 0
        except PlaywrightError:
            return False

    async def wait_for_text(self, text: str, gone: bool, seconds: float) -> bool:
        """Whether the text appeared (or vanished) within `seconds`."""
        found = self.page.get_by_text(text).first
        try:
            waiting = found.wait_for(state="hidden" if gone else "visible", timeout=seconds * 1000)
            await within(seconds + 2, waiting, f"waiting for {text!r}")
        except PlaywrightTimeout:
            return False
        return True

    async def drain(self) -> Events:
        """What happened since the last drain."""
        return await self.watch.drain()

    def pending(self) -> Events:
        """The same, left where it is for the next drain."""
        return self.watch.pending()

    async def close(self) -> None:
        """Close the context; a hanging renderer is left to the browser's own end."""
        closing = asyncio.ensure_future(self.context.close())
        done, _ = await asyncio.wait({closing}, timeout=2)
        if not done:
            closing.cancel()
        await asyncio.gather(closing, return_exceptions=True)

    def follow(self) -> bool:
        """Make the newest opened tab the current one; whether there was one."""
        fresh = [page for page in self.watch.opened if not page.is_closed() and page is not self._current]
        if not fresh or self._current is None:
            return False
        self._current = fresh[-1]
        return True


@asynccontextmanager
async def open_session(browser: Browser, settings: SessionSettings) -> AsyncIterator[Session]:
    """A fresh context: no cookie, storage or cache of another run in it."""
    settings.downloads.mkdir(parents=True, exist_ok=True)
    context = await within(
        15,
        browser.playwright.new_context(
            viewport={"width": VIEWPORT[0], "height": VIEWPORT[1]},
            service_workers="block",
            accept_downloads=True,
            locale=settings.locale,
            ignore_https_errors=settings.ignore_https_errors,
        ),
        "making a context",
    )
    watch = Watch(answer=settings.answer, folder=settings.downloads)
    session = Session(context, watch, settings)
    try:
        watch.attach(context)
        if settings.prepare:
            await settings.prepare(context)
        session._current = await within(15, context.new_page(), "opening the first page")
        watch.opened.clear()
        yield session
    finally:
        await session.close()
