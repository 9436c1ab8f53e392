"""The forms in which a secret can reappear: as it is, URL-, HTML-, JSON- and base64-encoded, and in wide characters."""

import base64
import html
import json
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

UNRESERVED = "".join(chr(code) for code in range(33, 127) if not chr(code).isalnum())


def written(value: str) -> frozenset[str]:
    """What text may hold for the value: itself and every usual escape of it, once and twice."""
    once = {value, *_in_url(value), *_in_html(value), *_in_json(value)}
    twice = {form for first in once for form in (*_in_json(first), quote(first, safe=""), html.escape(first))}
    return frozenset(form for form in once | twice if form)


def encoded(value: str) -> frozenset[str]:
    """The value alone in base64 and hexadecimal."""
    raw = value.encode()
    plain = {base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(), raw.hex(), raw.hex().upper()}
    return frozenset(plain | {quote(form, safe="") for form in plain})


def inside_base64(value: str) -> frozenset[str]:
    """What is certain of the value within longer base64 text, at each of its three alignments."""
    found = set()
    for shift in range(3):
        raw = b"\0" * shift + value.encode()
        text = base64.b64encode(raw).decode().rstrip("=")
        # The first and last characters also depend on the neighbours: only those between them are the value's own.
        core = text[(0, 2, 3)[shift] : len(raw) * 8 // 6]
        found |= {core, core.replace("+", "-").replace("/", "_")}
    return frozenset(form for form in found if len(form) >= 8)


def wide(value: str) -> frozenset[bytes]:
    """The value in UTF-16, as some downloads hold it."""
    return frozenset({value.encode("utf-16-le"), value.encode("utf-16-be")})


def _in_url(value: str) -> Iterator[str]:
    for form in (quote(value, safe=""), quote(value, safe="/"), quote(value, safe="!*'()~-._"), quote_plus(value)):
        yield form
        yield _lower_hex(form)
    yield quote(value, safe=UNRESERVED)


def _lower_hex(text: str) -> str:
    pieces = text.split("%")
    return "%".join([pieces[0], *(piece[:2].lower() + piece[2:] for piece in pieces[1:])])


def _in_html(value: str) -> Iterator[str]:
    escaped = html.escape(value, quote=False)
    yield escaped
    for double, single in (
        ("&quot;", "&#x27;"),
        ("&#34;", "&#39;"),
        ("&quot;", "&#39;"),
        ("&quot;", "&apos;"),
        ("&quot;", "'"),
    ):
        yield escaped.replace('"', double).replace("'", single)
    yield "".join(f"&#{ord(char)};" for char in value)


def _in_json(value: str) -> Iterator[str]:
    for plain in (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
        yield plain
        yield plain.replace("/", "\\/")
        yield plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("'", "\\u0027")
