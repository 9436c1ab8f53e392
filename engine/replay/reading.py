"""Reads outputs: one entry a kind of extractor; the same elements, rules and parsers as when the capability was distilled."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from engine.browser.element import Element
from engine.browser.locators import Resolved
from engine.browser.session import Session
from engine.domain.capability import Extractor
from engine.domain.observation import Download
from engine.domain.parse import parse

TEXTS = frozenset({"text", "after_label", "cell"})
"""Kinds whose value is the element's text, which the look that found it has brought along."""


async def read(extractor: Extractor, resolved: Resolved | None, session: Session, downloads: tuple[Download, ...]) -> Any:
    """The typed value of one output. Raises Unparsable and ActionFailed."""
    if extractor.kind in TEXTS:
        assert resolved is not None, "a text is read off a target; the schema of capabilities sees to it"
        return parse(resolved.text, extractor.parser)
    element = Element(resolved.locator, extractor.output) if resolved else None
    return await READERS[extractor.kind](extractor, element, session, downloads)


async def _field(extractor: Extractor, element: Element | None, _session: Session, _downloads: tuple[Download, ...]) -> Any:
    return parse(await there(element).value(), extractor.parser)


async def _table(extractor: Extractor, element: Element | None, _session: Session, _downloads: tuple[Download, ...]) -> Any:
    rows = await there(element).rows()
    if not extractor.columns:
        return rows
    head = next((number for number, row in enumerate(rows) if set(extractor.columns) <= set(row)), None)
    if head is None:
        return []
    places = [rows[head].index(column) for column in extractor.columns]
    return [
        {column: row[place] if place < len(row) else "" for column, place in zip(extractor.columns, places, strict=True)}
        for row in rows[head + 1 :]
    ]


async def _list(_extractor: Extractor, element: Element | None, _session: Session, _downloads: tuple[Download, ...]) -> Any:
    return [row[0] for row in await there(element).rows()]


async def _attribute(extractor: Extractor, element: Element | None, _session: Session, _downloads: tuple[Download, ...]) -> Any:
    return parse(await there(element).attribute(extractor.attribute), extractor.parser)


async def _url_part(extractor: Extractor, _element: Element | None, session: Session, _downloads: tuple[Download, ...]) -> Any:
    parts = urlsplit(session.url)
    if extractor.attribute.startswith("query."):
        return parse(parse_qs(parts.query).get(extractor.attribute.removeprefix("query."), [""])[0], extractor.parser)
    return parse(parts.path, extractor.parser)


async def _file(_extractor: Extractor, _element: Element | None, _session: Session, downloads: tuple[Download, ...]) -> Any:
    if not downloads:
        return None
    last = downloads[-1]
    return {"name": last.name, "path": last.path, "size": last.size, "sha256": last.sha256}


Reader = Callable[[Extractor, Element | None, Session, tuple[Download, ...]], Awaitable[Any]]
READERS: Mapping[str, Reader] = {
    "field": _field, "table": _table, "list": _list,
    "attribute": _attribute, "url_part": _url_part, "file": _file,
}  # fmt: skip


def there(element: Element | None) -> Element:
    """The element of an extractor that has a target."""
    assert element is not None, "an extractor of this kind has a target; the schema of capabilities sees to it"
    return element
