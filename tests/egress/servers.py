"""The hostile site: server A, which may be reached and serves the vectors, and server E, where nothing may ever arrive."""

import asyncio
import datetime
import ipaddress
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

OPEN_TO_ALL = "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\nService-Worker-Allowed: /\r\n"


@dataclass
class Forbidden:
    """Server E: one TCP listener and one UDP socket a vector, so that a hit names its vector. It logs and says little."""

    scheme: str
    ports: dict[str, int] = field(default_factory=dict)
    connections: Counter[str] = field(default_factory=Counter)
    tcp_bytes: Counter[str] = field(default_factory=Counter)
    datagrams: Counter[str] = field(default_factory=Counter)

    def reached(self, vector: str) -> bool:
        """Whether anything at all arrived: a connection without a byte counts too."""
        return bool(self.connections[vector] or self.datagrams[vector])

    def forget(self) -> None:
        """Begin a new measurement."""
        for log in (self.connections, self.tcp_bytes, self.datagrams):
            log.clear()

    async def listen(self, vector: str) -> tuple[asyncio.Server, asyncio.DatagramTransport]:
        """Bind a free port for TCP, and the same for UDP."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.connections[vector] += 1
            try:
                async with asyncio.timeout(3):
                    self.tcp_bytes[vector] += len(await reader.read(65_536))
                writer.write(f"HTTP/1.1 200 OK\r\n{OPEN_TO_ALL}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
                await writer.drain()
            except (OSError, TimeoutError):
                pass
            finally:
                writer.close()

        log = self.datagrams

        class Datagrams(asyncio.DatagramProtocol):
            def datagram_received(self, _data: bytes, _address: object) -> None:
                log[vector] += 1

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.ports[vector] = server.sockets[0].getsockname()[1]
        address = ("127.0.0.1", self.ports[vector])
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(Datagrams, local_addr=address)
        return server, transport


@dataclass
class Allowed:
    """Server A: the page of each vector, redirects anywhere, scripts from the query."""

    scheme: str
    vectors: Mapping[str, str]
    forbidden: Forbidden
    port: int = 0

    @property
    def url(self) -> str:
        """Its origin."""
        return f"{self.scheme}://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection."""
        try:
            async with asyncio.timeout(10):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            writer.write(self.answer(head.split(" ")[1]))
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, IndexError):
            pass
        finally:
            writer.close()

    def answer(self, target: str) -> bytes:
        """The whole response for a path."""
        url = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path.startswith("/r/"):
            return response("", f"Location: {query['to']}\r\n", status=f"{url.path[3:6]} Moved")
        if url.path == "/js":
            return response(query["code"], kind="text/javascript")
        if url.path == "/rules":
            rules = f'{{"prefetch": [{{"source": "list", "urls": ["{query["to"]}"]}}]}}'
            return response(rules, kind="application/speculationrules+json")
        if url.path.startswith("/v/"):
            return self.page(unquote(url.path[3:]))
        return response("<title>rest</title>rest")

    def page(self, vector: str) -> bytes:
        """The page of one vector, with its own port of E filled in."""
        host = f"127.0.0.1:{self.forbidden.ports[vector]}"
        secure = self.forbidden.scheme == "https"
        names = {
            "E": f"{self.forbidden.scheme}://{host}",
            "WE": f"{'wss' if secure else 'ws'}://{host}",
            "HE": host,
            "A": self.url,
        }
        text = self.vectors[vector]
        for name, value in names.items():
            text = text.replace(f"{{{name}}}", value)
        headers = ""
        if text.startswith("headers: "):
            first, _, text = text.partition("\n")
            headers = "".join(f"{line}\r\n" for line in first.removeprefix("headers: ").split("|"))
        return response(text, headers)


def response(text: str, headers: str = "", *, status: str = "200 OK", kind: str = "text/html") -> bytes:
    """A whole HTTP response."""
    content = text.encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
    return f"{head}Connection: close\r\nCache-Control: no-store\r\n{OPEN_TO_ALL}{headers}\r\n".encode() + content


@asynccontextmanager
async def hostile_site(vectors: Mapping[str, str], scheme: str, folder: Path) -> AsyncIterator[Allowed]:
    """Both servers, until the block ends."""
    forbidden = Forbidden(scheme)
    allowed = Allowed(scheme, vectors, forbidden)
    context = certificate(folder) if scheme == "https" else None
    async with AsyncExitStack() as stack:
        for vector in vectors:
            server, transport = await forbidden.listen(vector)
            stack.callback(transport.close)
            stack.callback(server.close)
        server = await asyncio.start_server(allowed.serve, "127.0.0.1", 0, ssl=context)
        stack.callback(server.close)
        allowed.port = server.sockets[0].getsockname()[1]
        yield allowed


def certificate(folder: Path) -> ssl.SSLContext:
    """A self-signed certificate for loopback, valid for a day."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(now - datetime.timedelta(hours=1)).not_valid_after(now + datetime.timedelta(days=1))
    addresses = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = builder.add_extension(addresses, critical=False).sign(key, hashes.SHA256())
    pem, private = folder / "a.pem", folder / "a.key"
    pem.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    kind = serialization.PrivateFormat.PKCS8
    private.write_bytes(key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem, private)
    return context
