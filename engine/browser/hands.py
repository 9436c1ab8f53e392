"""A person's hands on the page: what they do is held back and told, so that a run can do it under its own policy."""

import asyncio
from typing import Literal

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame
from pydantic import BaseModel, ConfigDict

from engine.browser.deadline import within
from engine.browser.frames import ask
from engine.browser.launch import HANDS
from engine.browser.session import Session
from engine.errors import DeadlineExceeded

PAUSE = 0.1
ASK_SECONDS = 2.0


class Gesture(BaseModel):
    """One thing that a person did; `ref` is Playwright's, None when the element is gone or has none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["click", "type", "select", "press", "read"]
    ref: str | None
    text: str = ""
    label: str = ""
    options: tuple[str, ...] = ()
    key: str = ""
    secret: bool = False


class Hands:
    """The hands on one session's current page and its frames; `ready` while they are watched."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.ready = asyncio.Event()

    async def next(self) -> Gesture | None:
        """Wait for the next gesture, its ref from a look taken after it; None when every window was closed."""
        while self._session.pages:
            self._session.follow()
            for frame in self._session.page.frames:
                if await ask(frame, HANDS, "watch", ASK_SECONDS):
                    await self._session.look()
                    said = await self._taken(frame)
                    await self._rest()
                    if said:
                        return Gesture.model_validate_json(said)
            self.ready.set()
            await asyncio.sleep(PAUSE)
        return None

    async def _rest(self) -> None:
        self.ready.clear()
        for frame in self._session.page.frames:
            await ask(frame, HANDS, "rest", ASK_SECONDS)

    async def _taken(self, frame: Frame) -> str | None:
        """The gesture that waits there, taken out of its queue."""
        try:
            return await within(3, frame.locator(f"{HANDS}=next").text_content(timeout=2000), "taking a gesture")
        except (PlaywrightError, DeadlineExceeded):
            return None
