"""The URL classifier against Chromium's own parser, and the scope patterns that rest on it."""

import random

import pytest
from playwright.async_api import Page

from engine.browser.session import Session
from engine.domain.scope import parse_pattern
from engine.domain.url import PORTS, WEB_SCHEME, Url, UrlRefused, classify, host_address, is_private, is_reserved, resolve
from tests.domain.tricky_urls import tricky

PARSE = """urls => urls.map(text => {
  try {
    const url = new URL(text);
    return [url.protocol.slice(0, -1), url.hostname, url.port, url.pathname, url.search, url.hash];
  }
  catch { return null; }
})"""
PIECES = [
    "http", "https", "ws", ":", "//", "/", "\\", "@", "%", "%2e", "..", ".", "?", "#", "[", "]", "::1", "127.0.0.1", "0x7f",
    "1", "evil.test", "good.test", "xn--", "xn--fa-hia", "é", "。", "\u00ad", "\u200b", "\t", "\n", " ", "\x00", "80", "443",
    "65536", "user", "&", "=", "*", "_", "-", "~", "|", "^", "{", "}", '"', "'", "<", "`", ";", "\ufeff", "Ｅ", "ß", "ſ", "😀",
]  # fmt: skip


async def disagreements(page: Page, urls: list[str]) -> list[tuple[str, object, object]]:
    """URLs that we classify and that Chromium reads differently or not at all."""
    wrong: list[tuple[str, object, object]] = []
    for text, parsed in zip(urls, await page.evaluate(PARSE, urls), strict=True):
        ours = classify(text)
        if isinstance(ours, Url) and (parsed is None or parts(ours) != chromium(parsed)):
            wrong.append((text, ours, parsed))
    return wrong


def parts(url: Url) -> tuple[str, str, int, str, str, str]:
    query, fragment = (
        url.query.removesuffix("?") if url.query == "?" else url.query,
        "" if url.fragment == "#" else url.fragment,
    )
    return (url.origin.scheme, url.origin.host, url.origin.port, url.path, query, fragment)


def chromium(parsed: list[str]) -> tuple[str, str, int, str, str, str]:
    scheme = WEB_SCHEME.get(parsed[0], parsed[0])
    return (scheme, parsed[1], int(parsed[2] or PORTS.get(scheme, 0)), parsed[3], parsed[4], parsed[5])


async def test_no_tricky_url_is_read_differently_by_chromium(session: Session) -> None:
    """More than 600 URLs that parsers quarrel over: whatever we accept, Chromium reads exactly so."""
    urls = tricky()
    assert len(urls) > 600
    assert await disagreements(session.page, urls) == []
    accepted = [text for text in urls if isinstance(classify(text), Url)]
    assert 300 < len(accepted) < len(urls) - 150


async def test_no_random_url_is_read_differently_by_chromium(session: Session) -> None:
    """Twenty thousand URLs put together from awkward pieces."""
    dice = random.Random(20260)
    urls = ["".join(dice.choices(PIECES, k=dice.randint(2, 9))) for _ in range(10_000)]
    urls += [f"http://good.test{''.join(dice.choices(PIECES, k=dice.randint(1, 5)))}" for _ in range(10_000)]
    assert await disagreements(session.page, urls) == []


@pytest.mark.parametrize(
    "text",
    [
        "http://a.test\\@b.test/", "http://a.test\t/", " http://a.test/", "http://u@a.test/", "http://a%2etest/", "http://é.test/",
        "http://a.test./", "http://a.test.:80/", "http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://[::127.0.0.1]/",
        "ftp://a.test/", "about:blank", "http:/a.test/", "http://a.test:0/", "http://a.test:65536/", "", "http://a..b/",
    ],
)  # fmt: skip
def test_what_the_specification_lists_is_refused_before_parsing(text: str) -> None:
    """Control characters, backslash, user information, odd hosts and other schemes never reach a parser."""
    assert isinstance(classify(text), UrlRefused)


@pytest.mark.parametrize(
    ("pattern", "url", "inside"),
    [
        ("http://a.test", "http://a.test/x", True),
        ("http://a.test", "http://A.TEST:80/", True),
        ("http://a.test", "https://a.test/", False),
        ("http://a.test", "http://a.test:81/", False),
        ("http://a.test", "http://a.test.evil.test/", False),
        ("http://a.test", "http://xa.test/", False),
        ("https://a.test", "wss://a.test/socket", True),
        ("http://a.test/app", "http://a.test/app", True),
        ("http://a.test/app", "http://a.test/app/x", True),
        ("http://a.test/app", "http://a.test/apple", False),
        ("http://a.test/app", "http://a.test/app/../admin", False),
        ("http://a.test/app", "http://a.test/app/..%2fadmin", False),
        ("http://a.test/app", "http://a.test/app/%252e%252e/admin", False),
        ("http://a.test/app/", "http://a.test/app", False),
        ("http://*.a.test", "http://b.a.test/", True),
        ("http://*.a.test", "http://c.b.a.test/", True),
        ("http://*.a.test", "http://a.test/", False),
        ("http://*.a.test", "http://ba.test/", False),
        ("http://[::1]:80", "http://[::1]/", True),
    ],
)
def test_a_pattern_means_exactly_what_it_says(pattern: str, url: str, inside: bool) -> None:
    """Scheme, host and port are exact; a prefix ends at a slash and cannot be climbed out of; `*.` is for subdomains."""
    classified = classify(url)
    assert isinstance(classified, Url)
    assert parse_pattern(pattern).covers(classified) is inside


@pytest.mark.parametrize(
    "pattern", ["a.test", "http://*", "http://*.test", "http://a.*.test", "http://a.test/*", "http://*.1.2.3.4"]
)
def test_a_pattern_that_could_mean_two_things_is_refused(pattern: str) -> None:
    """Wildcards only as a leading label over a real domain."""
    with pytest.raises(ValueError, match="is no scope"):
        parse_pattern(pattern)


@pytest.mark.parametrize(
    ("text", "private", "reserved"),
    [
        ("127.0.0.1", True, False), ("10.1.2.3", True, False), ("192.168.0.1", True, False), ("172.16.0.1", True, False),
        ("169.254.169.254", True, True), ("100.64.0.1", True, False), ("0.0.0.0", True, True), ("224.0.0.1", True, True),
        ("255.255.255.255", True, True), ("::1", True, False), ("fe80::1", True, True), ("fc00::1", True, False),
        ("::ffff:127.0.0.1", True, False), ("::ffff:169.254.169.254", True, True), ("64:ff9b::7f00:1", True, False),
        ("2002:7f00:1::", True, False), ("::7f00:1", True, False), ("8.8.8.8", False, False), ("2606:4700::1111", False, False),
    ],
)  # fmt: skip
def test_private_addresses_are_known_in_every_dress(text: str, private: bool, reserved: bool) -> None:
    """Loopback, private, link-local, metadata, and the same embedded in IPv6."""
    address = host_address(text)
    assert address is not None
    assert (is_private(address), is_reserved(address)) == (private, reserved)


@pytest.mark.parametrize(
    ("text", "full"),
    [("/x", "http://a.test/x"), ("x", "http://a.test/app/x"), ("../x", "http://a.test/x"), ("", "http://a.test/app/start"),
     ("?q", "http://a.test/app/start?q"), ("https://b.test", "https://b.test/"), ("//b.test/x", None), ("javascript:1", None)],
)  # fmt: skip
def test_a_relative_url_is_resolved_against_the_target(text: str, full: str | None) -> None:
    """As Chromium would, for the forms that a planner may write."""
    resolved = resolve(text, "http://a.test/app/start")
    assert (str(resolved) if isinstance(resolved, Url) else None) == full
