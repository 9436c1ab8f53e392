"""The egress proxy: every byte of a driven browser passes it, and only origins in the scope get any.

It sits below Playwright on purpose: routing there misses redirects, workers and sockets, and a proxy misses none of them
(safety spec §3). Plain HTTP is parsed request by request; CONNECT is judged by host and port, then by what is spoken inside.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from typing import Protocol

import h11

from engine.browser.egress_dial import Decide, Denied, Dialer, Lookup, NoPassage, Streams, system_lookup
from engine.browser.egress_peer import CHUNK, Peer, ambiguous, forwarded, is_preflight, pipe
from engine.domain.url import Origin, Url, UrlRefused, classify

IDLE_SECONDS = 300.0
HEAD_SECONDS = 30.0
SNIFF_SECONDS = 30.0
MOST_CONNECTIONS = 512
TLS_HANDSHAKE = 0x16
SAFE = frozenset({b"GET", b"HEAD"})

BROKEN = (OSError, TimeoutError, h11.ProtocolError, asyncio.IncompleteReadError)
"""How either side ends a conversation badly: never more than the end of that one conversation."""


class WritePasses(Protocol):
    """Knows which writes the route layer let go."""

    def take(self, method: str, url: Url) -> bool:
        """Whether a write may leave now."""
        ...


class EgressProxy:
    """A filtering forward proxy on loopback for one browser; use `open_egress`."""

    def __init__(self, dialer: Dialer, writes: WritePasses | None = None) -> None:
        self._dialer = dialer
        self._writes = writes
        self._server: asyncio.Server | None = None
        self._running: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def address(self) -> str:
        """What Chromium takes as its proxy server."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def denied(self) -> tuple[Denied, ...]:
        """The attempts that were kept inside, oldest first, the last thousand."""
        return tuple(self._dialer.denied)

    async def start(self) -> None:
        """Listen on a free loopback port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=CHUNK)

    async def close(self) -> None:
        """Stop listening and drop every conversation."""
        if self._server is not None:
            self._server.close()
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._dialer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or len(self._running) >= MOST_CONNECTIONS:
            writer.transport.abort()
            return
        self._running.add(task)
        client = Peer.of((reader, writer), h11.SERVER)
        try:
            await self._converse(client)
        except (*BROKEN, NoPassage):
            client.abort()
        except asyncio.CancelledError:
            client.abort()  # the browser is being closed; asyncio's own callback would log a raised cancellation
        finally:
            self._running.discard(task)
            writer.close()

    async def _converse(self, client: Peer) -> None:
        upstreams: dict[Origin, Peer] = {}
        try:
            while True:
                request = await client.receive(HEAD_SECONDS if not upstreams else IDLE_SECONDS)
                if not isinstance(request, h11.Request):
                    return
                if request.method == b"CONNECT":
                    await self._tunnel(client, request.target)
                    return
                if not await self._exchange(client, request, upstreams):
                    return
                client.protocol.start_next_cycle()
        finally:
            for upstream in upstreams.values():
                upstream.abort()

    async def _exchange(self, client: Peer, request: h11.Request, upstreams: dict[Origin, Peer]) -> bool:
        """One plain HTTP request and its response; whether the client's connection may be used again."""
        url = classify(request.target.decode("ascii", "replace"))
        if isinstance(url, UrlRefused) or not request.target.lower().startswith(b"http://") or ambiguous(request):
            return await answer(client, 400, "This proxy takes plain http:// URLs and CONNECT.")
        try:
            self._held_back(request, url)
            upstream = await self._upstream(url.origin, upstreams, fresh=request.method not in SAFE)
        except NoPassage as denial:
            return await answer(client, 403, f"Outside what this browser may reach: {denial}.")
        except (OSError, TimeoutError):
            return await answer(client, 502, f"{url.origin} did not answer.")
        try:
            await self._send(client, request, url, upstream)
            await self._relay(client, upstream)
        except BaseException as error:
            upstream.abort()
            if isinstance(error, BROKEN) and request.method not in SAFE:
                # A browser that hears nothing sends a request on a kept connection once more, also one that has an effect.
                if client.protocol.our_state is h11.SEND_RESPONSE:
                    return await answer(client, 502, f"{url.origin} did not answer.")
                await client.flush()
            raise
        if upstream.reusable and client.reusable:
            upstream.protocol.start_next_cycle()
            upstreams[url.origin] = upstream
        else:
            upstream.abort()
        return client.reusable

    def _held_back(self, request: h11.Request, url: Url) -> None:
        """Stop a write that the route layer never let go. Raises NoPassage."""
        if self._writes is None or request.method in SAFE or is_preflight(request):
            return
        self._dialer.judge(url.origin)
        if not self._writes.take(request.method.decode(), url):
            raise self._dialer.deny(url.origin, f"a {request.method.decode()} that nobody let go")

    async def _upstream(self, origin: Origin, upstreams: dict[Origin, Peer], *, fresh: bool) -> Peer:
        kept = upstreams.pop(origin, None)
        self._dialer.judge(origin)
        # Only a read may go over a connection that the server may just be closing: a write is never sent twice.
        if kept is not None and not fresh and not kept.reader.at_eof() and not kept.writer.is_closing():
            return kept
        if kept is not None:
            kept.abort()
        return Peer.of(await self._dialer.open(origin), h11.CLIENT)

    async def _send(self, client: Peer, request: h11.Request, url: Url, upstream: Peer) -> None:
        host = str(url.origin).partition("://")[2].encode()
        headers = forwarded(request, replaced=[(b"Host", host)])
        target = f"{url.path}{url.query}".encode()
        with suppress(OSError):  # a server may answer and hang up before it has read it all: its answer still counts
            await upstream.send(h11.Request(method=request.method, target=target, headers=headers))
            while isinstance(piece := await client.receive(IDLE_SECONDS), h11.Data):
                await upstream.send(h11.Data(data=piece.data))
            await upstream.send(h11.EndOfMessage())

    async def _relay(self, client: Peer, upstream: Peer) -> None:
        answered = False
        while True:
            event = await upstream.receive(IDLE_SECONDS, client)
            if isinstance(event, h11.InformationalResponse):
                continue
            if isinstance(event, h11.Response):
                answered = True
                headers = forwarded(event)
                client.hold(h11.Response(status_code=event.status_code, reason=event.reason, headers=headers))
            elif isinstance(event, h11.Data):
                client.hold(h11.Data(data=event.data))
                if len(client.held) > CHUNK:
                    await client.flush()
            elif isinstance(event, h11.EndOfMessage) and answered:
                await client.send(h11.EndOfMessage())
                return
            else:
                raise ConnectionResetError("the server hung up before its answer was whole")

    async def _tunnel(self, client: Peer, target: bytes) -> None:
        """CONNECT: TLS or a plain WebSocket inside. Bytes flow only when the scheme that is spoken is the one in the scope."""
        secure = classify(f"https://{target.decode('ascii', 'replace')}/")
        if isinstance(secure, UrlRefused) or b":" not in target or secure.path != "/":
            await answer(client, 400, "CONNECT takes host:port.")
            return
        plain = Origin("http", secure.origin.host, secure.origin.port)
        try:
            upstream = await self._dialer.open(self._either(secure.origin, plain))
        except NoPassage as denial:
            await answer(client, 403, f"Outside what this browser may reach: {denial}.")
            return
        except (OSError, TimeoutError):
            await answer(client, 502, "The server did not answer.")
            return
        try:
            await client.send(h11.Response(status_code=200, reason=b"Connection established", headers=[]))
            async with asyncio.timeout(SNIFF_SECONDS):
                first = client.protocol.trailing_data[0] or await client.reader.read(CHUNK)
            if first:
                self._dialer.judge(secure.origin if first[0] == TLS_HANDSHAKE else plain)
                await join(client, upstream, first)
        finally:
            upstream[1].transport.abort()

    def _either(self, secure: Origin, plain: Origin) -> Origin:
        """The one of the two that has a passage; the secure one, to be refused, when neither has."""
        return plain if not self._dialer.decide(secure).allowed and self._dialer.decide(plain).allowed else secure


async def join(client: Peer, upstream: Streams, first: bytes) -> None:
    """Copy both ways until one side is broken or both are done."""
    upstream[1].write(first)
    up = asyncio.ensure_future(pipe(client.reader, upstream[1], IDLE_SECONDS * 4))
    down = asyncio.ensure_future(pipe(upstream[0], client.writer, IDLE_SECONDS * 4))
    try:
        await asyncio.wait({up, down}, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in (up, down):
            task.cancel()
        await asyncio.gather(up, down, return_exceptions=True)


async def answer(client: Peer, status: int, text: str) -> bool:
    """An answer of the proxy itself; the connection ends with it, since the request's body was not read."""
    headers = [(b"Content-Type", b"text/plain; charset=utf-8"), (b"Connection", b"close"), (b"Cache-Control", b"no-store")]
    content = text.encode()
    await client.send(h11.Response(status_code=status, headers=[*headers, (b"Content-Length", str(len(content)).encode())]))
    await client.send(h11.Data(data=content))
    await client.send(h11.EndOfMessage())
    return False


@asynccontextmanager
async def open_egress(
    decide: Decide,
    own_ports: Callable[[], Collection[int]] = tuple,
    lookup: Lookup = system_lookup,
    writes: WritePasses | None = None,
) -> AsyncIterator[EgressProxy]:
    """A running proxy that asks `decide` about every origin. `own_ports` are ports of ours that no page may reach.

    With `writes` a plain HTTP write leaves only if the route layer of some context let it go.
    """
    proxy: EgressProxy
    dialer = Dialer(decide, lambda: {*own_ports(), proxy.port}, lookup)
    proxy = EgressProxy(dialer, writes)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.close()
