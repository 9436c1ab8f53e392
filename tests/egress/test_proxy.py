"""The egress proxy by itself: what passes, what is kept inside, and what hostile clients and servers can do to it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from engine.browser.egress import EgressProxy, open_egress
from engine.domain.policy import Policy, Scope
from engine.guard.passage import passage
from tests.pages import Pages, serve


@pytest.fixture
async def foreign() -> AsyncIterator[Pages]:
    """A second server, outside every scope."""
    async with serve() as served:
        yield served


@asynccontextmanager
async def proxy_for(
    *origins: str, names: dict[str, list[tuple[str, ...]]] | None = None, own: tuple[int, ...] = ()
) -> AsyncIterator[EgressProxy]:
    """A proxy whose names are answered from a list, one answer after the other."""

    async def lookup(host: str, _port: int) -> tuple[str, ...]:
        answers = (names or {})[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    policy = Policy(scope=Scope(navigate=origins))
    async with open_egress(passage(policy), lambda: own, lookup) as proxy:
        yield proxy


async def say(proxy: EgressProxy, *pieces: bytes) -> bytes:
    """Send raw bytes and read until the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    for piece in pieces:
        writer.write(piece)
        await writer.drain()
    answer = await asyncio.wait_for(reader.read(), 10)
    writer.close()
    return answer


def via(proxy: EgressProxy) -> httpx.AsyncClient:
    return httpx.AsyncClient(proxy=proxy.address, trust_env=False)


async def test_a_listed_origin_is_reached_and_nothing_else(pages: Pages, foreign: Pages) -> None:
    """GET and POST arrive whole where the scope says; the other server hears nothing and the attempt is noted."""
    pages["/x"] = "hello" * 50_000
    async with proxy_for(pages.url) as proxy, via(proxy) as client:
        assert (await client.get(f"{pages.url}/x")).text == "hello" * 50_000
        assert (await client.post(f"{pages.url}/x", content=b"a" * 300_000)).status_code == 200
        assert (await client.get(f"{foreign.url}/x?secret=1")).status_code == 403
        assert [(one.host, one.port) for one in proxy.denied] == [("127.0.0.1", int(foreign.url.rpartition(":")[2]))]
        assert "secret" not in str(proxy.denied)
    assert [len(hit.body) for hit in pages.hits] == [0, 300_000]
    assert foreign.hits == []


async def test_the_host_header_and_hop_headers_are_ours(pages: Pages) -> None:
    """A request for a listed URL cannot name another site in its Host header, nor smuggle a second request."""
    pages["/x"] = "fine"
    host = pages.url.removeprefix("http://")
    request = f"GET {pages.url}/x HTTP/1.1\r\nHost: evil.test\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\n\r\n".encode()
    async with proxy_for(pages.url) as proxy:
        assert b"fine" in await say(proxy, request)
        both = "Content-Length: 5\r\nTransfer-Encoding: chunked"
        smuggled = f"POST {pages.url}/x HTTP/1.1\r\nHost: {host}\r\n{both}\r\n\r\n0\r\n\r\nGET /y".encode()
        assert (await say(proxy, smuggled)).startswith(b"HTTP/1.1 400")
    assert all(hit.path == "/x" for hit in pages.hits)


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET https://127.0.0.1/ HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET http://u@127.0.0.1:1/ HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET http://127.1:1/ HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT 127.0.0.1 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT u@127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT 127.0.0.1:1/x HTTP/1.1\r\nHost: a\r\n\r\n",
        b"CONNECT [::ffff:127.0.0.1]:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    ],
)
async def test_odd_requests_are_refused(request_bytes: bytes) -> None:
    """Only plain http:// URLs and CONNECT host:port in canonical form."""
    async with proxy_for("http://127.0.0.1:1") as proxy:
        assert (await say(proxy, request_bytes)).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "garbage", [b"\x16\x03\x01\x02", b"\x00" * 200_000, b"GET http://a.test/ HTTP/1.1\r\n" + b"A: b\r\n" * 60_000, b"\r\n\r\n"]
)
async def test_garbage_ends_one_conversation_and_nothing_more(garbage: bytes, pages: Pages) -> None:
    """After any nonsense the proxy still serves the next client."""
    pages["/x"] = "fine"
    async with proxy_for(pages.url) as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        try:
            writer.write(garbage)
            writer.write_eof()
            await asyncio.wait_for(reader.read(), 10)
        except ConnectionError:
            pass
        writer.close()
        async with via(proxy) as client:
            assert (await client.get(f"{pages.url}/x")).text == "fine"


async def test_a_tunnel_speaks_only_the_scheme_that_is_listed(pages: Pages) -> None:
    """CONNECT to a host listed as http lets a plain handshake through and stops TLS before a byte of it arrives."""
    pages["/x"] = "fine"
    host = pages.url.removeprefix("http://")
    connect = f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
    get = f"GET /x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    async with proxy_for(pages.url) as proxy:
        assert b"fine" in await say(proxy, connect, get)
        assert (await say(proxy, connect, b"\x16\x03\x01\x00\x05hello")).count(b"HTTP/1.1") == 1
        assert [one.scheme for one in proxy.denied] == ["https"]
    assert len(pages.hits) == 1


async def test_a_name_keeps_its_first_address(pages: Pages, foreign: Pages) -> None:
    """DNS rebinding: the second answer is never asked for."""
    pages["/x"] = "fine"
    port = int(pages.url.rpartition(":")[2])
    names = {"site.test": [("127.0.0.1",), ("127.0.0.2",)]}
    async with proxy_for(f"http://site.test:{port}", names=names) as proxy, via(proxy) as client:
        for _ in range(3):
            assert (await client.get(f"http://site.test:{port}/x")).status_code == 200
            await client.post(f"http://site.test:{port}/x")
        assert names["site.test"] == [("127.0.0.2",)]
    assert len(pages.hits) == 6


@pytest.mark.parametrize(
    ("pattern", "host", "addresses", "why"),
    [
        ("http://*.site.test:{port}", "a.site.test", ("127.0.0.1",), "a private address whose name is not listed"),
        ("http://*.site.test:{port}", "a.site.test", ("8.8.8.8", "10.0.0.1"), "a private address whose name is not listed"),
        (
            "http://site.test:{port}",
            "site.test",
            ("169.254.169.254",),
            "a link-local or metadata address that is not listed itself",
        ),
        ("http://site.test:{port}", "site.test", ("0.0.0.0",), "a link-local or metadata address that is not listed itself"),
        ("http://*.site.test:{port}", "a.site.test", ("::ffff:127.0.0.1",), "a private address whose name is not listed"),
    ],
)
async def test_private_addresses_need_their_own_line(
    pattern: str, host: str, addresses: tuple[str, ...], why: str, pages: Pages
) -> None:
    """A wildcard never reaches into the private network, and a name never reaches the metadata service."""
    port = pages.url.rpartition(":")[2]
    async with proxy_for(pattern.format(port=port), names={host: [addresses]}) as proxy, via(proxy) as client:
        assert (await client.get(f"http://{host}:{port}/x")).status_code == 403
        assert [one.why for one in proxy.denied] == [why]
    assert pages.hits == []


async def test_our_own_ports_are_shut_even_when_listed(pages: Pages) -> None:
    """The admin, and the proxy itself, are out of a page's reach whatever the policy lists."""
    port = int(pages.url.rpartition(":")[2])
    async with proxy_for(pages.url, own=(port,)) as proxy, via(proxy) as client:
        assert (await client.get(f"{pages.url}/x")).status_code == 403
        assert (await say(proxy, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: a\r\n\r\n".encode())).startswith(b"HTTP/1.1 403")
    assert pages.hits == []


Script = Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]


async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    await writer.drain()
    writer.close()


async def nonsense(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.test ESMTP\r\n")
    await writer.drain()
    writer.close()


@pytest.mark.parametrize("script", [hang_up, cut, nonsense])
async def test_a_broken_server_is_an_error_of_the_one_request(script: Script) -> None:
    """A reset, a truncated answer and a server of another protocol reach the browser as failures, never as success."""
    server = await asyncio.start_server(script, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, proxy_for(url) as proxy, via(proxy) as client:
        with pytest.raises(httpx.TransportError):
            await client.get(f"{url}/x")


async def test_a_write_that_the_server_drops_is_answered() -> None:
    """A browser that hears nothing on a kept connection would send it again: it hears that nobody answered."""
    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, proxy_for(url) as proxy, via(proxy) as client:
        assert (await client.post(f"{url}/x", content="amount=1")).status_code == 502


async def test_closing_drops_slow_and_silent_clients() -> None:
    """Half-open conversations do not delay the end."""
    async with asyncio.timeout(5):
        async with proxy_for("http://127.0.0.1:1") as proxy:
            writers = [(await asyncio.open_connection("127.0.0.1", proxy.port))[1] for _ in range(20)]
            for writer in writers:
                writer.write(b"GET http://127.0.0.1:1/ HT")
        for writer in writers:
            writer.close()
