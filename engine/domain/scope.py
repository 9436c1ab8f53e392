"""Scope patterns: exact scheme, host and port, an optional path prefix, and `*.` only as the leading label."""

from dataclasses import dataclass

from engine.domain.url import Origin, Url, UrlRefused, classify, climbs

WILDCARD = "*."
_STAND_IN = "wildcard."


@dataclass(frozen=True)
class Pattern:
    """One line of a scope. `wild` patterns match subdomains of any depth, never the domain itself."""

    text: str
    origin: Origin
    wild: bool
    prefix: str

    def covers_host(self, host: str) -> bool:
        """Whether a canonical host is meant."""
        return host.endswith(f".{self.origin.host}") if self.wild else host == self.origin.host

    def covers_origin(self, origin: Origin) -> bool:
        """Whether scheme, host and port are meant, whatever the path."""
        same = (origin.scheme, origin.port) == (self.origin.scheme, self.origin.port)
        return same and self.covers_host(origin.host)

    def covers(self, url: Url) -> bool:
        """Whether the URL is meant; a path that a server may still resolve elsewhere is outside every prefix."""
        if not self.covers_origin(url.origin):
            return False
        if self.prefix == "/":
            return True
        inside = url.path == self.prefix or url.path.startswith(self.prefix.rstrip("/") + "/")
        return inside and not climbs(url.path)


def parse_pattern(text: str) -> Pattern:
    """One pattern. Raises ValueError with a clause that says what is wrong with it."""
    scheme, separator, rest = text.partition("://")
    wild = rest.startswith(WILDCARD)
    url = classify(f"{scheme}{separator}{_STAND_IN}{rest[2:]}" if wild else text)
    if isinstance(url, UrlRefused):
        raise ValueError(f"{text!r} is no scope: it {url.why}; write scheme://host[:port][/path]")  # noqa: TRY004 the value is wrong, not its type
    if scheme.lower() not in ("http", "https"):
        raise ValueError(f"{text!r} is no scope: write http or https; WebSockets count as their http or https origin")
    if "*" in url.path or url.query or url.fragment:
        raise ValueError(f"{text!r} is no scope: a path prefix holds no '*', query or fragment")
    origin = url.origin
    if wild:
        host = origin.host.removeprefix(_STAND_IN)
        if "." not in host:
            raise ValueError(f"{text!r} is no scope: '*.' needs a domain of at least two labels behind it")
        origin = Origin(origin.scheme, host, origin.port)
    return Pattern(text, origin, wild, url.path)


def first_covering(patterns: tuple[Pattern, ...], url: Url) -> Pattern | None:
    """The first pattern that means this URL."""
    return next((pattern for pattern in patterns if pattern.covers(url)), None)
