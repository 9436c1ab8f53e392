"""Where the egress proxy connects to: names resolved and pinned here, private addresses and our own ports kept shut."""

import asyncio
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import TypeAlias

from engine.domain.request import Passage
from engine.domain.url import Address, Origin, host_address, is_private, is_reserved

LOOKUP_SECONDS = 10.0
CONNECT_SECONDS = 10.0
KEPT_DENIALS = 1000

Decide: TypeAlias = Callable[[Origin], Passage]
Lookup: TypeAlias = Callable[[str, int], Awaitable[tuple[str, ...]]]
Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(frozen=True)
class Denied:
    """One attempt that was kept inside; never a path, header or body."""

    scheme: str
    host: str
    port: int
    why: str


class NoPassage(Exception):
    """The origin may not be reached; an expected answer that stays inside the proxy."""


@dataclass
class Dialer:
    """Opens connections to permitted origins. A name keeps its first answer for the life of the browser: no rebinding."""

    decide: Decide
    own_ports: Callable[[], Collection[int]]
    lookup: Lookup
    denied: deque[Denied] = field(default_factory=lambda: deque(maxlen=KEPT_DENIALS))
    _pinned: dict[str, asyncio.Task[tuple[Address, ...]]] = field(default_factory=dict)

    async def open(self, origin: Origin) -> Streams:
        """Connect. Raises NoPassage when it is not permitted, OSError when nobody answers."""
        passage = self.judge(origin)
        problem: OSError = ConnectionRefusedError(f"no address for {origin.host}")
        for address in await self._permitted(origin, passage):
            try:
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await asyncio.open_connection(str(address), origin.port)
            except OSError as error:
                problem = error
        raise problem

    def judge(self, origin: Origin) -> Passage:
        """The passage that the scope gives to an origin. Raises NoPassage, and notes it."""
        passage = self.decide(origin)
        if not passage.allowed:
            raise self.deny(origin, passage.why or "outside the scope")
        return passage

    def deny(self, origin: Origin, why: str) -> NoPassage:
        """Note a denial; the exception to raise."""
        self.denied.append(Denied(origin.scheme, origin.host[:253], origin.port, why))
        return NoPassage(why)

    async def close(self) -> None:
        """Give up lookups under way."""
        for task in self._pinned.values():
            task.cancel()
        await asyncio.gather(*self._pinned.values(), return_exceptions=True)

    async def _permitted(self, origin: Origin, passage: Passage) -> tuple[Address, ...]:
        literal = origin.address
        addresses = (literal,) if literal else await self._resolved(origin.host)
        for address in addresses:
            why = self._against(address, origin, passage)
            if why:
                # One forbidden address among good ones is how rebinding begins: the whole name is refused.
                raise self.deny(origin, why)
        return addresses

    def _against(self, address: Address, origin: Origin, passage: Passage) -> str:
        if is_private(address) and origin.port in self.own_ports():
            return "one of our own ports"
        if is_reserved(address) and (origin.address is None or not passage.listed):
            return "a link-local or metadata address that is not listed itself"
        if is_private(address) and not passage.listed:
            return "a private address whose name is not listed"
        return ""

    async def _resolved(self, host: str) -> tuple[Address, ...]:
        task = self._pinned.get(host)
        if task is None:
            task = self._pinned[host] = asyncio.ensure_future(self._look_up(host))
        try:
            return await asyncio.shield(task)
        except OSError:
            self._pinned.pop(host, None)
            raise

    async def _look_up(self, host: str) -> tuple[Address, ...]:
        async with asyncio.timeout(LOOKUP_SECONDS):
            found = await self.lookup(host, 0)
        addresses = (host_address(text.partition("%")[0]) for text in dict.fromkeys(found))
        return tuple(address for address in addresses if address)


async def system_lookup(host: str, port: int) -> tuple[str, ...]:
    """The operating system's answer."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(str(entry[4][0]) for entry in found)
