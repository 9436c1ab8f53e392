"""One live element and what can be done with it; every call has a deadline and waits for actionability as Playwright does."""

import hashlib
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeVar

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Locator
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import BaseModel, ConfigDict

from engine.browser.deadline import is_gone, within
from engine.domain.verdict import Facts
from engine.errors import ActionFailed, BrowserGone, StaleRef

FACTS = files("engine.browser").joinpath("facts.js").read_text()
TABLE = files("engine.browser").joinpath("table.js").read_text()
ACT_SECONDS = 8.0
TELLING = (
    "intercepts pointer",
    "not enabled",
    "not visible",
    "not editable",
    "not stable",
    "outside of the viewport",
    "did not find",
)

NO_FIELD = "Node is not an"
"""What Playwright says when it is asked for the value of an element that is no field."""

T = TypeVar("T")


class ElementFacts(BaseModel):
    """What facts.js answers: the element's type, its form, its document."""

    model_config = ConfigDict(frozen=True)

    tag: str
    input_type: str
    form_action: str
    form_method: str
    form_password: bool
    filled: str
    submits: bool
    page_url: str
    value: str
    checked: bool
    link: str

    def digest(self, role: str, name: str) -> str:
        """What must be the same right before dispatch as when a person approved: equal digests, same element and form."""
        place = (role, name, self.tag, self.input_type, self.page_url, self.link)
        parts = (*place, self.form_method, self.form_action, self.filled)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()

    def place(self, page_url: str, role: str, name: str) -> Facts:
        """Facts for the guard, together with the role and name that the snapshot or the matching found."""
        return Facts(
            page_url=page_url,
            role=role,
            name=name,
            input_type=self.input_type,
            form_action=self.form_action,
            form_method=self.form_method,
            form_password=self.form_password,
            submits=self.submits,
            link=self.link,
            frame_url=self.page_url,
            fingerprint=self.digest(role, name),
        )


@dataclass(frozen=True)
class Element:
    """Wraps one Playwright locator that must match exactly one element."""

    locator: Locator
    what: str

    async def facts(self) -> ElementFacts:
        """The live element's facts. Raises StaleRef when it is gone."""
        try:
            facts = await self._do(self.locator.evaluate(FACTS, timeout=2000), "reading its facts", 4)
        except ActionFailed as error:
            raise StaleRef(f"{self.what} is no longer on the page; look at the page again.") from error
        return ElementFacts.model_validate(facts)

    async def click(self) -> None:
        """Scroll into view, wait until it can receive the click, click."""
        await self._do(self.locator.click(timeout=ACT_SECONDS * 1000), "clicking it")

    async def hover(self) -> None:
        """Move the pointer over it."""
        await self._do(self.locator.hover(timeout=ACT_SECONDS * 1000), "hovering over it")

    async def fill(self, text: str) -> None:
        """Replace the content of a field."""
        await self._do(self.locator.fill(text, timeout=ACT_SECONDS * 1000), "typing into it")

    async def type_keys(self, text: str) -> None:
        """Clear the field and type key by key: for fields that format or react while a person types."""
        await self._do(self.locator.fill("", timeout=ACT_SECONDS * 1000), "clearing it")
        await self._do(self.locator.press_sequentially(text, timeout=ACT_SECONDS * 1000), "typing into it")

    async def press(self, key: str) -> None:
        """Focus it and press a key."""
        await self._do(self.locator.press(key, timeout=ACT_SECONDS * 1000), f"pressing {key} on it")

    async def select(self, labels: tuple[str, ...]) -> list[str]:
        """Choose the options of a native select by visible label; the labels now chosen."""
        await self._do(self.locator.select_option(label=list(labels), timeout=ACT_SECONDS * 1000), "choosing in it")
        script = "element => [...element.selectedOptions].map(option => option.label.replace(/\\s+/g, ' ').trim())"
        chosen: list[str] = await self._do(self.locator.evaluate(script, timeout=2000), "reading it back")
        return chosen

    async def options(self) -> list[str]:
        """Labels of a native select's options that can be chosen."""
        script = "e => [...e.options].filter(o => !o.disabled).map(o => o.label.replace(/\\s+/g, ' ').trim())"
        labels: list[str] = await self._do(self.locator.evaluate(script, timeout=2000), "reading its options")
        return labels

    async def upload(self, path: str) -> None:
        """Put one file into a file field, or into the hidden one that a button or area opens a file chooser for."""
        try:
            await self._do(self.locator.set_input_files(path, timeout=ACT_SECONDS * 1000), "giving it a file")
        except ActionFailed as error:
            if NO_FIELD not in str(error):
                raise
            await self._do(self._choose(path), "giving it a file")

    async def _choose(self, path: str) -> None:
        async with self.locator.page.expect_file_chooser(timeout=ACT_SECONDS * 1000) as chosen:
            await self.locator.click(timeout=ACT_SECONDS * 1000)
        await (await chosen.value).set_files(path, timeout=ACT_SECONDS * 1000)

    async def scroll(self, down: bool) -> None:
        """Scroll its content by nine tenths of its height."""
        script = "(element, sign) => element.scrollBy(0, sign * element.clientHeight * 0.9)"
        await self._do(self.locator.evaluate(script, 1 if down else -1, timeout=2000), "scrolling it")

    async def value(self) -> str:
        """The value of a field, or the text of an editable element."""
        try:
            # For a field one round trip where an evaluation on a locator takes several.
            return await self._do(self.locator.input_value(timeout=2000), "reading it back")
        except ActionFailed as error:
            if NO_FIELD not in str(error):
                raise
        script = "element => 'value' in element ? String(element.value) : element.innerText"
        value: str = await self._do(self.locator.evaluate(script, timeout=2000), "reading it back")
        return value

    async def held(self) -> str | None:
        """The value of a field, or the labels chosen in a select, one a line, without waiting; None when it is not there."""
        script = (
            "all => all.map(e => e.selectedOptions ? [...e.selectedOptions].map(o => o.label).join('\\n')"
            " : 'value' in e ? String(e.value) : e.innerText)"
        )
        values: list[str] = await self._do(self.locator.evaluate_all(script), "reading it back", 4)
        return values[0] if len(values) == 1 else None

    async def attribute(self, name: str) -> str:
        """An attribute as written; a link's address is resolved."""
        script = "(element, name) => (name === 'href' ? element.href : element.getAttribute(name)) ?? ''"
        value: str = await self._do(self.locator.evaluate(script, name, timeout=2000), "reading it")
        return value

    async def text(self) -> str:
        """Its visible text with white space folded."""
        text: str = await self._do(self.locator.inner_text(timeout=2000), "reading its text")
        return re.sub(r"\s+", " ", text).strip()

    async def rows(self) -> list[list[str]]:
        """All rows of a table, grid or list as cell texts."""
        rows: list[list[str]] = await self._do(self.locator.evaluate(TABLE, timeout=2000), "reading its rows")
        return rows

    async def _do(self, awaitable: Awaitable[T], what: str, seconds: float = ACT_SECONDS + 2) -> T:
        try:
            return await within(seconds, awaitable, f"{what} ({self.what})")
        except PlaywrightTimeout as error:
            raise ActionFailed(f"{self.what}: {what} did not work: {reason(error)}") from error
        except PlaywrightError as error:
            if is_gone(error):
                raise BrowserGone(f"The browser went away while {what} ({self.what}).") from error
            if "strict mode violation" in str(error) or "not attached" in str(error) or "aria-ref" in str(error):
                raise StaleRef(f"{self.what} is no longer one element on the page; look at the page again.") from error
            raise ActionFailed(f"{self.what}: {what} did not work: {reason(error)}") from error


def reason(error: PlaywrightError) -> str:
    """The telling line of Playwright's message: what covered, disabled or hid the element."""
    lines = [line.strip(" -\t") for line in str(error).splitlines()]
    telling = [line for line in lines if any(word in line for word in TELLING)]
    return (telling[-1] if telling else lines[0])[:300]
