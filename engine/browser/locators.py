"""Finds the element a capability's step means, and describes an element so that it can be found again."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, TypeAlias

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page
from playwright.async_api import Locator as Found
from pydantic import BaseModel, ConfigDict, ValidationError

from engine.browser.deadline import is_gone, within
from engine.browser.element import FACTS, ElementFacts
from engine.browser.frames import find_frame, path_of
from engine.domain.capability import Fingerprint, Locator, Target
from engine.domain.step import TargetSeen
from engine.domain.template import fill, fill_pattern
from engine.errors import ActionFailed, BrowserGone, DeadlineExceeded, StaleRef

ENGINE = "capwright"
_NAMES, _MATCHING, _DESCRIBING, _LOOKING = (
    files("engine.browser").joinpath(f"{name}.js").read_text() for name in ("names", "matching", "describe", "look")
)
_LIBRARY = _NAMES + _MATCHING
_DESCRIBE = f"(element) => {{ {_LIBRARY}{_DESCRIBING} return describe(element); }}"
_LOOK = f"(wanted) => {{ const factsOf = {FACTS.strip()}; {_LIBRARY}{_LOOKING} return look(wanted); }}"
_REVEAL = f"""() => {{ {_NAMES}
  const goes = (e) => e.scrollHeight > e.clientHeight + 4 && /auto|scroll/.test(getComputedStyle(e).overflowY) && visible(e);
  return everything(document).filter(goes).filter((e) => {{
    const before = e.scrollTop;
    e.scrollBy({{ top: e.clientHeight * 0.8, behavior: 'instant' }});
    return e.scrollTop > before;
  }}).length; }}"""
SELECTOR = (
    f"{{ queryAll(root, wanted) {{ {_LIBRARY} return find(JSON.parse(wanted)).elements; }}, "
    "query(root, wanted) { return this.queryAll(root, wanted)[0] ?? null; } }"
)
AMBIGUOUS_SECONDS = 0.6
"""How long two matches may stand before they count: a list that is being drawn anew shows old and new rows for a moment."""
LOADING_SECONDS = 10.0
LOOK_SECONDS = 2.0
"""What a look is given even when the time is nearly up: on a busy machine a look cut short would tell of an older page."""
LOADED_SECONDS = 0.15
_PAUSES = (0.004, 0.008, 0.015, 0.03, 0.05, 0.1)


class _Seen(BaseModel):
    """What describe.js answers."""

    model_config = ConfigDict(frozen=True)

    role: str
    name: str
    label: str
    text: str
    tag: str
    input_type: str
    region: str
    form_method: str
    form_action: str
    candidates: tuple[Locator, ...]
    cells: tuple[Locator, ...]
    box: tuple[float, float, float, float]
    column: str
    options: tuple[str, ...]
    said: tuple[str, ...]
    value: str
    headers: tuple[str, ...]
    lang: str
    framed: bool


class _Look(BaseModel):
    """What look.js answers: how many elements fit, and what is known of the only one."""

    model_config = ConfigDict(frozen=True)

    level: int
    count: int
    enabled: bool
    wrong: tuple[str, ...]
    login: bool
    loaded: bool
    url: str
    role: str
    name: str
    live: ElementFacts | None
    text: str


@dataclass(frozen=True)
class Resolved:
    """The one element that a target means; `locator` finds it again under the same conditions, and only it.

    `text` is its visible text, white space folded, where it was resolved to be read.
    """

    level: int
    locator: Found
    role: str
    name: str
    live: ElementFacts
    text: str = ""


@dataclass(frozen=True)
class Unresolved:
    """Why a target could not be used; `login` says that the page shows a password field."""

    kind: Literal["drift", "ambiguous"]
    expected: str
    seen: str
    login: bool = False


Resolution: TypeAlias = Resolved | Unresolved


async def describe(locator: Found) -> TargetSeen:
    """Facts of the live element and every locator that matches it alone now; one round trip, a few more inside frames.

    Raises StaleRef when the element is gone, ActionFailed for a page that answers with something else, BrowserGone, and
    DeadlineExceeded after 5 s.
    """
    try:
        raw = await within(5, locator.evaluate(_DESCRIBE, timeout=4000), "describing an element")
        seen = _Seen.model_validate(raw)
        frames = await within(5, path_of(locator), "finding an element's frame") if seen.framed else ()
    except ValidationError as error:
        raise ActionFailed("The page does not let its element be described; look at the page again.") from error
    except PlaywrightError as error:
        if is_gone(error) and locator.page.is_closed():
            raise BrowserGone("The page was closed while an element was described.") from error
        raise StaleRef("The element went away before anything was done; look at the page again.") from error
    print_ = Fingerprint(
        role=seen.role,
        tag=seen.tag,
        input_type=seen.input_type,
        region=seen.region,
        form_method=seen.form_method,
        form_action=seen.form_action,
        frames=frames,
    )
    return TargetSeen(
        role=seen.role,
        name=seen.name,
        label=seen.label,
        candidates=tuple(_dump(each) for each in seen.candidates),
        cells=tuple(_dump(each) for each in seen.cells),
        fingerprint=print_.model_dump_json(by_alias=True, exclude_defaults=True),
        box=seen.box,
        options=seen.options,
        said=seen.said,
        value_before=seen.value,
        text=seen.text,
        column=seen.column,
        headers=seen.headers,
        lang=seen.lang,
    )


async def resolve(page: Page, target: Target, inputs: Mapping[str, str], deadline: float, reads: bool = False) -> Resolution:
    """Wait until exactly one visible, enabled element fits; `deadline` is an instant of time.monotonic().

    Two fitting elements end it after AMBIGUOUS_SECONDS, everything else is waited for. While a document loads, an instant that
    is near is put off, at most by LOADING_SECONDS: what is not there yet is not gone. With `reads` its text is taken in the
    same look. Raises BrowserGone.
    """
    wanted = _Wanted(filled(target, inputs), inputs, reads)
    ambiguous_since: float | None = None
    last = Unresolved("drift", wanted.expected, "nothing like it on the page")
    tried, latest = 0, time.monotonic() + LOADING_SECONDS
    while True:
        frame = await find_frame(page, wanted.target.fingerprint.frames)
        look = await _look(frame, wanted, deadline) if frame else None
        now = time.monotonic()
        if look is not None:
            if not look.loaded:
                deadline = max(deadline, min(now + LOADED_SECONDS, latest))
            if frame and look.live and look.enabled and look.loaded:
                return Resolved(look.level, wanted.found(frame), look.role, look.name, look.live, " ".join(look.text.split()))
            ambiguous_since = (ambiguous_since or now) if look.count > 1 else None
            last = wanted.told(look)
        elif frame is None:
            last = Unresolved("drift", wanted.expected, f"no frame {' > '.join(wanted.target.fingerprint.frames)}")
        if now >= deadline or (ambiguous_since is not None and now - ambiguous_since >= AMBIGUOUS_SECONDS):
            return last
        await asyncio.sleep(min(_PAUSES[min(tried, len(_PAUSES) - 1)], max(deadline - now, 0.001)))
        tried += 1


async def reveal(page: Page) -> bool:
    """Scroll every list and box that goes on by most of its height: what is drawn only in view comes. Whether any moved."""
    try:
        return bool(await within(2, page.evaluate(_REVEAL), "scrolling what goes on"))
    except (PlaywrightError, DeadlineExceeded):
        return False


def filled(target: Target, inputs: Mapping[str, str]) -> Target:
    """The target with every placeholder replaced."""
    print_ = target.fingerprint
    patterns = {name: fill_pattern(getattr(print_, name), inputs) for name in ("name", "region", "form_action")}
    frames = tuple(fill_pattern(each, inputs) if each.startswith("path=") else fill(each, inputs) for each in print_.frames)
    return target.model_copy(
        update={
            "locators": tuple(_filled(each, inputs) for each in target.locators),
            "fingerprint": print_.model_copy(update={**patterns, "frames": frames}),
        }
    )


def _filled(locator: Locator, inputs: Mapping[str, str]) -> Locator:
    put = fill_pattern if locator.match == "pattern" else fill
    within_ = _filled(locator.within, inputs) if locator.within else None
    return locator.model_copy(
        update={"value": put(locator.value, inputs), "column": fill(locator.column, inputs), "within": within_}
    )


@dataclass(frozen=True)
class _Wanted:
    """A target with its values in place."""

    target: Target
    inputs: Mapping[str, str]
    reads: bool = False

    @property
    def spec(self) -> dict[str, Any]:
        """What the scripts are given."""
        return {
            "locators": [each.model_dump() for each in self.target.locators],
            "print": self.target.fingerprint.model_dump(exclude={"frames"}),
        }

    @property
    def expected(self) -> str:
        """For people."""
        return fill(self.target.description, self.inputs)

    def found(self, frame: Frame) -> Found:
        """A locator that holds to the same conditions when it acts."""
        # Playwright splits selectors at >>, also where none is meant
        return frame.locator(f"{ENGINE}={json.dumps(self.spec).replace('>', chr(92) + 'u003e')}")

    def told(self, look: _Look) -> Unresolved:
        """Why this look is not enough."""
        if look.count > 1:
            return Unresolved("ambiguous", self.expected, f"{look.count} elements that fit it", look.login)
        if look.count == 1 and not look.loaded:
            return Unresolved("drift", self.expected, "it is there, but the page is still loading", look.login)
        if look.count == 1:
            return Unresolved("drift", self.expected, "it is there, but disabled", look.login)
        seen = "; ".join(dict.fromkeys(look.wrong)) or f"nothing like it on {look.url}"
        return Unresolved("drift", self.expected, seen[:500], look.login)


async def _look(frame: Frame, wanted: _Wanted, deadline: float) -> _Look | None:
    """One look; None while the document is being replaced."""
    try:
        left = max(deadline - time.monotonic(), LOOK_SECONDS)
        return _Look.model_validate(
            await within(left, frame.evaluate(_LOOK, {**wanted.spec, "reads": wanted.reads}), "looking for an element")
        )
    except DeadlineExceeded:
        return None
    except PlaywrightError as error:
        if is_gone(error) and frame.page.is_closed():
            raise BrowserGone("The page was closed while a step looked for its element.") from error
        return None


def _dump(locator: Locator) -> str:
    return locator.model_dump_json(by_alias=True, exclude_defaults=True)
