"""The others, looking at the same page in the same browser: Playwright MCP and browser-use, as their registries have them."""

import asyncio
import json
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import TextContent

from tests.benchmarks.observation import tools

HERE = Path(__file__).parent


@dataclass(frozen=True)
class View:
    """What a peer would show a model, and the seconds it took to make."""

    text: str
    seconds: float


class Peer(Protocol):
    """Someone who looks at the current page."""

    name: str

    async def look(self) -> View:
        """The page now."""
        ...


class PlaywrightMcp:
    """Playwright MCP's own answer to its tool browser_snapshot."""

    name = "Playwright MCP"

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def look(self) -> View:
        """Page header and snapshot, as the tool gives them."""
        start = time.perf_counter()
        answer = await asyncio.wait_for(self._session.call_tool("browser_snapshot", {}), 120)
        seconds = time.perf_counter() - start
        return View("\n".join(part.text for part in answer.content if isinstance(part, TextContent)), seconds)


class BrowserUse:
    """browser-use's serialised DOM as its agent puts it into the prompt, with URL and title before it."""

    name = "browser-use"

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def look(self) -> View:
        """One line asked, one JSON line answered; the seconds are measured over there."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(b"look\n")
        await self._process.stdin.drain()
        answer = json.loads(await asyncio.wait_for(self._process.stdout.readline(), 180))
        return View(answer["text"], answer["seconds"])


@asynccontextmanager
async def playwright_mcp(address: str) -> AsyncIterator[Peer]:
    """Playwright MCP attached to the browser that answers at `address`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as output:
        arguments = [str(tools.mcp_program()), "--cdp-endpoint", address, "--output-dir", output]
        server = StdioServerParameters(command="node", args=arguments, cwd=output)
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            yield PlaywrightMcp(session)


@asynccontextmanager
async def browser_use(address: str) -> AsyncIterator[Peer]:
    """browser-use attached to the same browser, in its own environment."""
    process = await asyncio.create_subprocess_exec(
        str(tools.python()), str(HERE / "browser_use_peer.py"), address,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        limit=2**26,
    )  # fmt: skip
    try:
        assert process.stdout
        await asyncio.wait_for(process.stdout.readline(), 60)
        yield BrowserUse(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def present(address: str) -> AsyncIterator[tuple[Peer, ...]]:
    """Those peers that are installed."""
    async with AsyncExitStack() as stack:
        found: list[Peer] = []
        if tools.mcp_program().exists():
            found.append(await stack.enter_async_context(playwright_mcp(address)))
        if tools.python().exists():
            found.append(await stack.enter_async_context(browser_use(address)))
        yield tuple(found)
