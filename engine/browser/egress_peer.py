"""One side of a proxied HTTP/1.1 conversation: h11 keeps the framing, so that no two readers can disagree about it."""

import asyncio
from dataclasses import dataclass
from typing import TypeAlias

import h11

from engine.browser.egress_dial import Streams

HEAD_LIMIT = 128 * 1024
CHUNK = 64 * 1024
HOP_BY_HOP = frozenset(
    {
        b"connection",
        b"keep-alive",
        b"proxy-connection",
        b"proxy-authorization",
        b"proxy-authenticate",
        b"te",
        b"trailer",
        b"upgrade",
    }
)

Event: TypeAlias = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]
Headers: TypeAlias = list[tuple[bytes, bytes]]


@dataclass
class Peer:
    """Streams and the state of the protocol on them."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    protocol: h11.Connection
    held: bytes = b""

    @classmethod
    def of(cls, streams: Streams, role: type[h11.CLIENT] | type[h11.SERVER]) -> "Peer":
        """A fresh conversation in which we are `role`."""
        return cls(*streams, h11.Connection(role, max_incomplete_event_size=HEAD_LIMIT))

    async def receive(self, seconds: float, first: "Peer | None" = None) -> Event:
        """The next event; before it is waited for, what is held for the `first` side goes out.

        Raises TimeoutError after so long without a byte, h11.RemoteProtocolError for broken framing.
        """
        while True:
            event = self.protocol.next_event()
            if event is not h11.NEED_DATA:
                return event
            if first is not None:
                await first.flush()
            async with asyncio.timeout(seconds):
                self.protocol.receive_data(await self.reader.read(CHUNK))

    async def send(self, event: h11.Event) -> None:
        """Write one event; waits while the other side reads slowly."""
        self.hold(event)
        await self.flush()

    def hold(self, event: h11.Event) -> None:
        """One event that goes out with the next flush: a head and its body in one packet."""
        self.held += self.protocol.send(event) or b""

    async def flush(self) -> None:
        """Write what is held; waits while the other side reads slowly."""
        if self.held:
            self.writer.write(self.held)
            self.held = b""
        await self.writer.drain()

    @property
    def reusable(self) -> bool:
        """Whether both sides are done with one exchange and may begin another."""
        return self.protocol.our_state is h11.DONE and self.protocol.their_state is h11.DONE and not self.reader.at_eof()

    def abort(self) -> None:
        """Drop the connection at once."""
        self.writer.transport.abort()


def forwarded(message: h11.Request | h11.Response, replaced: Headers | None = None) -> Headers:
    """End-to-end headers only, in their order and spelling; `replaced` come first instead of those of the same name."""
    named = {
        token.strip().lower() for name, value in message.headers if name == b"connection" for token in value.split(b",")
    } - {
        b"content-length",
        b"transfer-encoding",
        b"host",
    }
    dropped = HOP_BY_HOP | named | {name.lower() for name, _ in replaced or ()}
    kept = [(name, value) for name, value in message.headers.raw_items() if name.lower() not in dropped]
    return [*(replaced or ()), *kept]


def ambiguous(request: h11.Request) -> bool:
    """Whether two readers could disagree about where the request ends."""
    return {b"content-length", b"transfer-encoding"} <= {name for name, _ in request.headers}


def is_preflight(request: h11.Request) -> bool:
    """A browser's own question before a cross-origin request; no page can make one up, and no server acts on one."""
    return request.method == b"OPTIONS" and any(name == b"access-control-request-method" for name, _ in request.headers)


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Copy until the end of the stream or until nothing came for so long, then say so to the other side."""
    while True:
        async with asyncio.timeout(seconds):
            piece = await reader.read(CHUNK)
        if not piece:
            break
        writer.write(piece)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
