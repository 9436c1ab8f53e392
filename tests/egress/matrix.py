"""Runs every vector under a layer and says which of them reached the forbidden server."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from playwright.async_api import Error as PlaywrightError

from tests.egress.layers import Layer, Opened, open_layer
from tests.egress.servers import Allowed, hostile_site

AT_ONCE = 6
LOOK_SECONDS = 2.0
TRIES = 3


async def leaks(
    vectors: Mapping[str, str], scheme: str, layers: Mapping[str, Layer], folder: Path
) -> dict[str, frozenset[str]]:
    """Per layer, the vectors that reached E."""
    found = {}
    async with hostile_site(vectors, scheme, folder) as site:
        for name, layer in layers.items():
            site.forbidden.forget()
            async with open_layer(layer, site.url) as opened:
                # What gets through once is a leak; on a busy machine some vectors of an open layer are late, and tried again.
                for _ in range(1 if layer.proxy else TRIES):
                    await run(opened, site, [vector for vector in vectors if not site.forbidden.reached(vector)])
            found[name] = frozenset(vector for vector in vectors if site.forbidden.reached(vector))
    return found


async def run(opened: Opened, site: Allowed, vectors: Sequence[str]) -> None:
    """Open all vectors, some at once, each in a context of its own."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(vector: str) -> None:
        async with slots:
            await visit(opened, site, vector)

    await asyncio.gather(*(one(vector) for vector in vectors))


async def visit(opened: Opened, site: Allowed, vector: str) -> None:
    """Open the vector's page, give it time, leave it (some only fire then), give it time again."""
    context = await opened.new_context()
    try:
        page = await opened.new_page(context)
        with suppress(PlaywrightError):
            await page.goto(f"{site.url}/v/{quote(vector)}", wait_until="commit", timeout=10_000)
        await asyncio.sleep(LOOK_SECONDS)
        with suppress(PlaywrightError):
            await page.goto(f"{site.url}/rest", wait_until="commit", timeout=5_000)
        await asyncio.sleep(LOOK_SECONDS / 2)
    finally:
        await context.close()
