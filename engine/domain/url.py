"""The one URL classifier: what Chromium would make of a URL, or a refusal where the two could ever disagree.

Anything that only a lenient parser accepts is refused before parsing, so that no second reading of a URL can exist:
the guard, the egress proxy, the route layer and the policy tools all ask here (WHATWG URL standard, safety spec §3.5).
"""

import ipaddress
import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

START_PAGE = "about:blank"
PORTS = {"http": 80, "https": 443}
WEB_SCHEME = {"http": "http", "https": "https", "ws": "http", "wss": "https"}
MAX_LENGTH = 8192

_SHAPE = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<host>\[[^\]/?#@]*\]|[^/?#:\[\]@]+)(?::(?P<port>\d{1,5}))?"
    r"(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(?P<fragment>#.*)?",
    re.IGNORECASE | re.DOTALL,
)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_ENDS_IN_NUMBER = re.compile(r"(?:^|\.)(?:\d+|0x[0-9a-f]*)$")
_SINGLE_DOT = re.compile(r"(?:\.|%2e)", re.IGNORECASE)
_DOUBLE_DOT = re.compile(r"(?:\.|%2e){2}", re.IGNORECASE)
_PATH_ENCODED = frozenset('"<>`{}^|')
_QUERY_ENCODED = frozenset("\"<>'")
_FRAGMENT_ENCODED = frozenset('"<>`')

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class UrlRefused:
    """The URL is not one that may be judged; `why` is a clause that follows "it"."""

    why: str


@dataclass(frozen=True)
class Origin:
    """Scheme (http or https), canonical host and explicit port."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        default = PORTS[self.scheme] == self.port
        return f"{self.scheme}://{self.host}" if default else f"{self.scheme}://{self.host}:{self.port}"

    @property
    def address(self) -> Address | None:
        """The host as an IP address, or None for a name."""
        return host_address(self.host)


@dataclass(frozen=True)
class Url:
    """A classified URL: its origin, and path and query as Chromium will send them."""

    origin: Origin
    path: str
    query: str = ""
    fragment: str = ""

    def __str__(self) -> str:
        return f"{self.origin}{self.path}{self.query}{self.fragment}"

    @property
    def sent(self) -> str:
        """Without the fragment, which never leaves the browser."""
        return f"{self.origin}{self.path}{self.query}"


@lru_cache(maxsize=2048)
def classify(text: str) -> Url | UrlRefused:
    """The canonical URL, or why it is refused. ws and wss count as http and https."""
    refused = _before_parsing(text)
    if refused:
        return UrlRefused(refused)
    found = _SHAPE.fullmatch(text)
    if found is None:
        return UrlRefused("has no plain scheme://host[:port]/path form")
    host, why = _host(found["host"])
    if why:
        return UrlRefused(why)
    scheme = WEB_SCHEME[found["scheme"].lower()]
    port = int(found["port"]) if found["port"] else PORTS[scheme]
    if not 0 < port <= 65535:
        return UrlRefused(f"names port {port}, which does not exist")
    path = _resolved(_encoded(found["path"] or "/", _PATH_ENCODED))
    query = _encoded(found["query"] or "", _QUERY_ENCODED)
    return Url(Origin(scheme, host, port), path, query, _encoded(found["fragment"] or "", _FRAGMENT_ENCODED))


def resolve(text: str, base: str) -> Url | UrlRefused:
    """An absolute URL, or a path relative to the target's base URL."""
    if _SCHEME.match(text) or text.startswith("//"):
        return classify(text)
    target = classify(base)
    if isinstance(target, UrlRefused):
        return target
    if text.startswith("/"):
        return classify(f"{target.origin}{text}")
    if text.startswith(("?", "#")) or not text:
        return classify(f"{target.origin}{target.path}{text}")
    return classify(f"{target.origin}{target.path.rpartition('/')[0]}/{text}")


def origin_of(text: str) -> Origin | None:
    """The origin of an http(s), ws(s) or blob: URL; None when it has none that counts."""
    url = classify(text.removeprefix("blob:"))
    return None if isinstance(url, UrlRefused) else url.origin


def host_address(host: str) -> Address | None:
    """The IP address that a canonical host is (brackets allowed), or None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_private(address: Address) -> bool:
    """Whether an address is anything but a public unicast one; addresses embedded in IPv6 are looked into."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or _nat64(address)
        if inner is not None:
            return is_private(inner) or address.sixtofour is not None
        if address.teredo is not None:
            return True
    return not address.is_global or address.is_multicast


def is_reserved(address: Address) -> bool:
    """Link-local (the clouds' metadata services), unspecified, multicast: reachable only when listed by address."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    plain = mapped or address
    special = plain.is_link_local or plain.is_unspecified or plain.is_multicast
    return special or str(plain) in ("255.255.255.255", "100.100.100.200", "fd00:ec2::254")


def lenient_paths(path: str) -> frozenset[str]:
    """What servers of all habits may read a path as: decoded once and twice, slashes merged, dots resolved, lower case."""
    readings = {path, unquote(path), unquote(unquote(path))}
    readings |= {_resolved(reading.replace("\\", "/")) for reading in readings}
    return frozenset(re.sub(r"/+", "/", reading).casefold() for reading in readings)


def climbs(path: str) -> bool:
    """Whether a path holds an encoded slash or dot segment that a server may resolve after us."""
    return any(part in ("..", ".") for part in re.split(r"[\\/]", unquote(unquote(path))))


def _before_parsing(text: str) -> str:
    if not text or len(text) > MAX_LENGTH:
        return f"is empty or longer than {MAX_LENGTH:,} characters"
    if any(char <= " " or char == "\x7f" or char.isspace() or "\x80" <= char < "\xa0" for char in text):
        return "holds white space or a control character"
    if any("\ud800" <= char <= "\udfff" or "\ufdd0" <= char <= "\ufdef" or ord(char) & 0xFFFE == 0xFFFE for char in text):
        return "holds a code point that is no character"
    if "\\" in text:
        return "holds a backslash"
    scheme = _SCHEME.match(text)
    if scheme is None or scheme[1].lower() not in WEB_SCHEME:
        return f"has the scheme {scheme[1].lower()!r}, not http or https" if scheme else "has no scheme"
    authority = re.split(r"[/?#]", text[scheme.end() :].removeprefix("//"), maxsplit=1)[0]
    return _authority(authority)


def _authority(authority: str) -> str:
    if "@" in authority:
        return "holds user information before the host"
    if "%" in authority or not authority.isascii():
        return "has a percent sign or a letter outside ASCII in the host"
    if re.search(r"\.(:\d*)?$", authority):
        return "has a host that ends in a dot"
    return ""


def _host(text: str) -> tuple[str, str]:
    host = text.lower()
    if host.startswith("["):
        return _ipv6(host)
    if _ENDS_IN_NUMBER.search(host):
        try:
            return str(ipaddress.IPv4Address(host)), ""
        except ValueError:
            return "", "writes an IP address in another than the canonical form"
    if len(host) > 253 or not _NAME.fullmatch(host):
        return "", "has a host that is no plain domain name"
    return host, _punycode(host)


def _punycode(host: str) -> str:
    for label in host.split("."):
        if label.startswith("xn--"):
            try:
                decoded = label[4:].encode().decode("punycode")
            except ValueError:
                return "has a host label that is no valid international name"
            if decoded.isascii() or decoded != decoded.casefold():
                return "has a host label that is no valid international name"
    return ""


def _ipv6(host: str) -> tuple[str, str]:
    try:
        address = ipaddress.IPv6Address(host[1:-1])
    except ValueError:
        return "", "has no valid IPv6 address in brackets"
    mapped = address.ipv4_mapped
    words = f"::ffff:{int(mapped) >> 16:x}:{int(mapped) & 0xFFFF:x}" if mapped else address.compressed
    if host != f"[{words}]":
        return "", "writes an IP address in another than the canonical form"
    return host, ""


def _nat64(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    nat64 = address in ipaddress.IPv6Network("64:ff9b::/96")
    compatible = int(address) >> 32 == 0 and int(address) > 1
    return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF) if nat64 or compatible else None


def _encoded(text: str, special: frozenset[str]) -> str:
    if text.isascii() and special.isdisjoint(text):
        return text
    return "".join(_percent(char) if char in special or char > "\x7e" else char for char in text)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


def _resolved(path: str) -> str:
    parts: list[str] = []
    segments = path.split("/")[1:]
    for number, segment in enumerate(segments):
        last = number == len(segments) - 1
        if _DOUBLE_DOT.fullmatch(segment):
            parts = parts[:-1] + ([""] if last else [])
        elif _SINGLE_DOT.fullmatch(segment):
            parts += [""] if last else []
        else:
            parts.append(segment)
    return "/" + "/".join(parts)
