"""People at browsers of their own: signed in by a session, at any width, in any theme and language."""

from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.web.serving import Served


@dataclass
class Visitors:
    """Opens pages and remembers what they complained of on the console."""

    browser: Browser
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    async def page(self, served: Served, name: str = "", **options: Any) -> Page:
        """A page of a fresh context; signed in when a name is given."""
        page = await self.open(**options)
        if name:
            token = served.frame.sessions.start(name, local=False)
            await page.context.add_cookies([{"name": served.frame.cookie, "value": token, "url": f"{served.url}/admin"}])
        return page

    async def open(self, **options: Any) -> Page:
        """A page of a fresh context, of nobody."""
        context = await self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en", **options})
        self.contexts.append(context)
        page = await context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    async def leave(self) -> None:
        """Close everything."""
        for context in self.contexts:
            await context.close()

    def _said(self, message: ConsoleMessage) -> None:
        # A status of 4xx is what some tests are about; everything else that a browser complains of is a fault.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)
