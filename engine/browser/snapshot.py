"""Looks at a page once: the accessibility tree with refs, frames and open shadow roots in it, secret fields masked."""

import asyncio
import json
import secrets as randomness
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Page
from playwright.async_api import TimeoutError as PlaywrightTimeout
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.browser.deadline import is_gone, within
from engine.browser.frames import ask
from engine.browser.snapshot_mask import mask
from engine.browser.snapshot_text import Parsed, parse, render
from engine.domain.observation import Node
from engine.errors import BrowserGone, DeadlineExceeded

FIELDS, LONG = (files("engine.browser").joinpath(f"snapshot_{name}.js").read_text() for name in ("fields", "long"))
ENGINE = "capwright-long"
"""A selector engine that makes Playwright leave out what is far down in a huge document."""
HUGE = 5_000
"""Elements from which on a document's longest runs of children are not read to their end, unless they are widened."""
FRAME_SECONDS = 2.0
EMPTY_PAUSE = 0.05


@dataclass(frozen=True)
class Snapshot:
    """One look. `yaml` is the whole masked text, `notices` say what could not be seen.

    `pictures` is the share of the view, 0 to 1, that canvases cover; `frames` is Playwright's name of each frame by ours.
    """

    url: str
    title: str
    root: Node
    yaml: str
    focused: str | None = None
    notices: tuple[str, ...] = ()
    pictures: float = 0.0
    frames: Mapping[str, str] = field(default_factory=dict)

    def native(self, ref: str) -> str:
        """The ref as Playwright knows it."""
        prefix, number = ref.split("e", 1)
        return f"{self.frames.get(prefix, prefix)}e{number}"


class Fields(BaseModel):
    """What snapshot_fields.js answers for one document; a page that tampers with the answer fails to parse."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    secrets: list[str] = Field(default=[], max_length=10_000)
    elements: int = 0
    closed: list[str] = []
    files: list[str] = []
    pictures: float = 0.0


NOTHING = Fields()


async def take(page: Page, *, deadline_s: float = 10, whole: frozenset[str] = frozenset()) -> Snapshot:
    """The page now, within `deadline_s`. An empty tree is looked at again for up to half of that: the page may yet be drawn.

    Of a huge document the longest runs of children are read in part, and a node of role `more` says how many are left;
    `whole` are Playwright's refs of what is read to its end all the same.

    Raises DeadlineExceeded when the page does not answer, BrowserGone when it no longer exists.
    """
    start = time.monotonic()
    while True:
        there = _documents(page)
        before = await _ask(page)
        async with _shortened(page, before, whole) as mark:
            text = await _text(page, start + deadline_s - time.monotonic())
        # the page answers about its fields while a thread of ours reads what it said of its tree
        after, title, parsed = await asyncio.gather(_ask(page), _title(page), asyncio.to_thread(parse, text, mark))
        replaced = (None,) if _documents(page) != there else ()
        waited = time.monotonic() - start
        if text.strip() or page.url == "about:blank" or waited > deadline_s / 2:
            return _snapshot(page.url, title, parsed, (*before, *after, *replaced))
        await asyncio.sleep(EMPTY_PAUSE)


async def _text(page: Page, seconds: float) -> str:
    try:
        snapshot = page.aria_snapshot(mode="ai", timeout=max(seconds, 0.1) * 1000)
        return await within(max(seconds, 0.1) + 0.5, snapshot, "reading the page")
    except PlaywrightTimeout as error:
        raise DeadlineExceeded(f"The page could not be read within {seconds:.0f} s; it may be busy or stopped.") from error
    except PlaywrightError as error:
        if page.is_closed() or is_gone(error):
            raise BrowserGone("The page was closed while it was being read.") from error
        return ""  # the document was replaced while we looked: look again


@asynccontextmanager
async def _shortened(page: Page, asked: tuple[Fields | None, ...], whole: frozenset[str]) -> AsyncIterator[str]:
    """While it is open, huge documents are walked in part; the mark stands before every count of what is left."""
    huge = [frame for frame, fields in zip(page.frames, asked, strict=False) if fields and fields.elements > HUGE]
    mark = f"{randomness.token_hex(8)} "
    await _tell(huge, json.dumps({"mark": mark, "whole": sorted(whole)}))
    try:
        yield mark
    finally:
        await _tell(huge, "")


async def _tell(frames: list[Frame], wanted: str) -> None:
    """A frame that does not take it is read whole."""
    await asyncio.gather(*(ask(frame, ENGINE, wanted, FRAME_SECONDS) for frame in frames))


def _documents(page: Page) -> list[tuple[Frame, str]]:
    """What is loaded; when it changes during a look, some document may have been read and never asked about its secrets."""
    return [(frame, frame.url) for frame in page.frames]


async def _ask(page: Page) -> tuple[Fields | None, ...]:
    """Every frame's fields; None for a frame that did not answer in time or with something else."""
    return tuple(await asyncio.gather(*(_ask_frame(frame) for frame in page.frames)))


async def _ask_frame(frame: Frame) -> Fields | None:
    try:
        return Fields.model_validate(await within(FRAME_SECONDS, frame.evaluate(FIELDS), "looking at fields"))
    except (PlaywrightError, DeadlineExceeded, ValidationError):
        return None if not frame.is_detached() else NOTHING


async def _title(page: Page) -> str:
    return await within(FRAME_SECONDS, page.title(), "reading the title")


def _snapshot(url: str, title: str, parsed: Parsed, asked: tuple[Fields | None, ...]) -> Snapshot:
    known = [fields for fields in asked if fields]
    secrets = frozenset(secret for fields in known for secret in fields.secrets)
    silent = len(known) < len(asked)
    root = mask(parsed.root, secrets, all_fields=silent)
    return Snapshot(
        url=url,
        title=title,
        root=root,
        yaml=render(root) if secrets or silent else parsed.text,
        focused=_focused(root),
        notices=_notices(root, known, silent),
        pictures=max((fields.pictures for fields in known), default=0.0),
        frames=parsed.frames,
    )


def _focused(root: Node) -> str | None:
    """The innermost node that has the focus; the bare document having it means that nothing has."""
    active = [node for node in root.walk() if "active" in node.states and not (node.role == "generic" and not node.name)]
    return active[-1].ref if active else None


def _notices(root: Node, known: list[Fields], silent: bool) -> tuple[str, ...]:
    """Sentences about what a person may see and the tree does not hold; each once."""
    empty = [node for node in root.walk() if node.role == "iframe" and not node.children and not node.text]
    said = [f"The frame {node.ref or node.name} shows nothing: it is empty, failed or did not answer." for node in empty]
    closed = sorted({name for fields in known for name in fields.closed})
    said += [f"<{name}> is drawn but its inside cannot be read (closed shadow root or no content)." for name in closed]
    hidden = sorted({name for fields in known for name in fields.files})
    said += [f"There is a hidden file field{f' ({name})' if name else ''}; it has no ref." for name in hidden]
    if silent:
        said.append("A frame did not answer or was replaced meanwhile, so whatever fields hold is masked.")
    return tuple(said)
