"""What the browser does on its own while an action runs: dialogs, downloads, writes, new tabs; collected until drained."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import BrowserContext, Dialog, Page, Request
from playwright.async_api import Download as PlaywrightDownload
from playwright.async_api import Error as PlaywrightError

from engine.browser.settle import Traffic
from engine.domain.observation import DialogSeen, Download
from engine.domain.step import RequestSeen

KEPT_DIALOGS = 50
KEPT_REQUESTS = 200
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

DialogAnswerer = Callable[[str, str, str], Awaitable[bool]]
"""Given type, message and page URL of a dialog: whether to accept it."""


@dataclass(frozen=True)
class Events:
    """All that happened since the last drain."""

    dialogs: tuple[DialogSeen, ...] = ()
    downloads: tuple[Download, ...] = ()
    requests: tuple[RequestSeen, ...] = ()
    new_tab: bool = False


@dataclass
class Watch:
    """Listens to one context. Every dialog is answered, so that none can hang the page."""

    answer: DialogAnswerer
    folder: Path
    traffic: Traffic = field(default_factory=Traffic)
    opened: list[Page] = field(default_factory=list)
    dialogs: list[DialogSeen] = field(default_factory=list)
    downloads: list[Download] = field(default_factory=list)
    requests: list[RequestSeen] = field(default_factory=list)
    crashed: bool = False
    main_status: int | None = None
    _saving: set[asyncio.Task[None]] = field(default_factory=set)
    _saved: int = 0

    @property
    def refusing(self) -> bool:
        """Whether the site answered the last navigation with an error of its own: 500 or more, or 429, too many requests."""
        return self.main_status is not None and (self.main_status >= 500 or self.main_status == 429)

    def attach(self, context: BrowserContext) -> None:
        """Listen to the context and to every page it opens."""
        context.on("page", self._page)
        context.on("dialog", self._dialog)
        context.on("request", self._request)
        context.on("response", lambda response: self._status(response.request, response.status))
        context.on("requestfinished", self.traffic.ended)
        context.on("requestfailed", self.traffic.ended)

    async def drain(self, seconds: float = 10.0) -> Events:
        """Everything since the last drain; downloads under way are waited for, at most `seconds`."""
        if self._saving:
            await asyncio.wait(set(self._saving), timeout=seconds)
        events = self.pending()
        self.dialogs, self.downloads, self.requests, self.opened = [], [], [], []
        return events

    def pending(self) -> Events:
        """What would be drained now, left where it is: looking at the page takes nothing from the next action's outcome."""
        return Events(
            dialogs=tuple(self.dialogs),
            downloads=tuple(self.downloads),
            requests=tuple(self.requests),
            new_tab=bool(self.opened),
        )

    def _page(self, page: Page) -> None:
        self.opened.append(page)
        page.on("crash", self._crash)
        page.on("download", self._download)

    def _crash(self, _page: Page) -> None:
        self.crashed = True

    def _request(self, request: Request) -> None:
        self.traffic.started(request)
        if request.method not in SAFE and len(self.requests) < KEPT_REQUESTS:
            self.requests.append(RequestSeen(method=request.method, url=request.url))

    def _status(self, request: Request, status: int) -> None:
        if request.is_navigation_request():
            self.main_status = status
        for index, seen in enumerate(self.requests):
            if seen.status is None and (seen.method, seen.url) == (request.method, request.url):
                self.requests[index] = seen.model_copy(update={"status": status})
                return

    async def _dialog(self, dialog: Dialog) -> None:
        try:
            url = dialog.page.url if dialog.page else ""
            accept = await self.answer(dialog.type, dialog.message, url)
            if len(self.dialogs) < KEPT_DIALOGS:
                answer = "accepted" if accept else "dismissed"
                self.dialogs.append(DialogSeen(type=dialog.type, message=dialog.message[:2000], answer=answer, url=url))
            await (dialog.accept() if accept else dialog.dismiss())
        except PlaywrightError:
            return  # the page closed under the dialog: nothing is left to answer

    def _download(self, download: PlaywrightDownload) -> None:
        task = asyncio.ensure_future(self._save(download))
        self._saving.add(task)
        task.add_done_callback(self._saving.discard)

    async def _save(self, download: PlaywrightDownload) -> None:
        self._saved += 1
        name = safe_name(download.suggested_filename, self._saved)
        path = self.folder / name
        try:
            await download.save_as(path)
        except PlaywrightError:
            return  # cancelled by the site or by closing: no file, so no download
        content = path.read_bytes()
        self.downloads.append(
            Download(
                name=download.suggested_filename[:200],
                path=f"{self.folder.name}/{name}",
                size=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
            )
        )


def safe_name(suggested: str, number: int) -> str:
    """A file name of ours for a name that the site chose: no folders, no leading dots, no control characters, numbered."""
    last = re.split(r"[\\/]", suggested)[-1]
    clean = re.sub(r"[^\w.-]+", "_", last).strip("._")[-80:]
    return f"{number:02d}-{clean or 'download'}"
