"""Names a frame by what stays: its name, its title, or the path of its document; and finds it again."""

import re
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Locator, Page

from engine.browser.deadline import within
from engine.errors import DeadlineExceeded

_ATTRIBUTES = "element => ({name: element.getAttribute('name') ?? '', title: element.getAttribute('title') ?? ''})"
_GENERATED = re.compile(r"\d{2,}|[\s:]|^[0-9a-f-]{8,}$")


async def path_of(locator: Locator) -> tuple[str, ...]:
    """The frames around an element, outermost first; empty in the main frame."""
    handle = await locator.element_handle(timeout=2000)
    frame = await handle.owner_frame()
    await handle.dispose()
    parts: list[str] = []
    while frame is not None and frame.parent_frame is not None:
        parts.append(await _part(frame))
        frame = frame.parent_frame
    return tuple(reversed(parts))


async def find_frame(page: Page, path: tuple[str, ...]) -> Frame | None:
    """The only frame at this path, or None."""
    level = [page.main_frame]
    for part in path:
        children = [child for frame in level for child in frame.child_frames]
        level = [child for child in children if await _is(child, part)]
    return level[0] if len(level) == 1 else None


async def ask(frame: Frame, engine: str, body: str, seconds: float) -> int:
    """Tell one of our selector engines something; how many elements it answers with, none from a document that is going."""
    try:
        return await within(seconds, frame.locator(f"{engine}={body}").count(), f"asking a frame's {engine}")
    except (PlaywrightError, DeadlineExceeded):
        return 0


async def _part(frame: Frame) -> str:
    siblings = frame.parent_frame.child_frames if frame.parent_frame else []
    attributes = await _attributes(frame)
    name, title = attributes.get("name", ""), attributes.get("title", "")
    if name and not _GENERATED.search(name) and [each.name for each in siblings].count(name) == 1:
        return f"name={name}"
    if title and not re.search(r"\d", title):
        return f"title={title}"
    return f"path={urlsplit(frame.url).path}"


async def _is(frame: Frame, part: str) -> bool:
    kind, _, value = part.partition("=")
    if kind == "name":
        return frame.name == value
    if kind == "path":
        return re.fullmatch(value, urlsplit(frame.url).path) is not None
    return (await _attributes(frame)).get("title", "") == value


async def _attributes(frame: Frame) -> dict[str, str]:
    try:
        element = await frame.frame_element()
        found: dict[str, str] = await element.evaluate(_ATTRIBUTES)
    except PlaywrightError:
        return {}  # the frame is being replaced: it is not the one that is looked for yet
    return found
