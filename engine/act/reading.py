"""Reading values off the page in discovery: what the planner says it read must be what the element holds."""

import json
import re

from engine.browser.element import Element
from engine.domain.action import Reading
from engine.domain.observation import Download
from engine.domain.step import Value
from engine.errors import ActionFailed


async def read(reading: Reading, element: Element, downloads: tuple[Download, ...]) -> Value:
    """The value that the page holds, raw. Raises ActionFailed when it is not what the planner claims to have read."""
    if reading.what == "file":
        return _file(reading, downloads)
    if reading.what in ("table", "list"):
        rows = await element.rows()
        if not rows:
            raise ActionFailed(f"{reading.ref} holds no rows to read as {reading.name}; point at the {reading.what} itself.")
        return Value(name=reading.name, raw=json.dumps(rows, ensure_ascii=False), parsed=rows)
    held = await _held(reading, element)
    if fold(reading.value) and fold(reading.value) not in fold(held):
        raise ActionFailed(
            f"{reading.ref} holds {held[:200]!r}, not {reading.value[:200]!r}; read {reading.name} where it stands."
        )
    return Value(name=reading.name, raw=reading.value.strip() or held, parsed=reading.value.strip() or held)


async def _held(reading: Reading, element: Element) -> str:
    if reading.what == "value":
        return await element.value()
    if reading.what == "url":
        return (await element.facts()).link
    return await element.text() or await element.value()


def _file(reading: Reading, downloads: tuple[Download, ...]) -> Value:
    if not downloads:
        raise ActionFailed(f"No file was downloaded in this run, so {reading.name} cannot be one; start the download first.")
    last = downloads[-1]
    return Value(name=reading.name, raw=last.name, parsed={"name": last.name, "path": last.path, "sha256": last.sha256})


def fold(text: str) -> str:
    """White space folded, case ignored: how two readings of the same text are compared."""
    return re.sub(r"\s+", " ", text).strip().casefold()
