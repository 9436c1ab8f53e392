"""What every request passes before any page is reached, and the headers that every answer carries (safety spec §9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES = 1 << 20
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
RPC_PATHS = ("/admin/rpc/", "/rpc/")
BEARER_PATH = "/rpc/"
"""For programs that bear a token: no cookie counts there, so no Origin is asked for; a foreign one is refused."""
HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not no-referrer: with that, browsers send `Origin: null` with the forms of our own pages.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Refused:
    """A request that goes no further."""

    status: HTTPStatus
    why: str


class Boundary:
    """Host against a list, method, where a request comes from, content type and size; then the headers.

    `hosts` are Host headers (`127.0.0.1:8700`); only plain HTTP is served, so their origins are `http://` and the host.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer refused requests here, hand on the others."""
        if scope["type"] != "http":
            return
        refused = self._refused(scope)
        app: ASGIApp = self._app if refused is None else PlainTextResponse(refused.why, refused.status)

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, Limited(receive), with_headers)

    def _refused(self, scope: Scope) -> Refused | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return Refused(HTTPStatus.MISDIRECTED_REQUEST, "This server does not answer to that host name.")
        if scope["method"] in ("GET", "HEAD"):
            return _refused_read(headers)
        if scope["method"] != "POST":
            return Refused(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET, HEAD and POST are served.")
        return self._refused_write(scope, headers)

    def _refused_write(self, scope: Scope, headers: Headers) -> Refused | None:
        origins = headers.getlist("origin")
        program = scope["path"].startswith(BEARER_PATH) and not origins
        if not program and origins != [f"http://{headers['host'].lower()}"]:
            return Refused(HTTPStatus.FORBIDDEN, "Changes are accepted from this server's own pages only.")
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return Refused(HTTPStatus.FORBIDDEN, "Changes are accepted from this server's own pages only.")
        wanted = JSON if scope["path"].startswith(RPC_PATHS) else FORM
        if headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
            return Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"This address takes {wanted}.")
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return Refused(HTTPStatus.LENGTH_REQUIRED, "Say how long the content is.")
        if int(length) > MOST_BYTES:
            return Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"At most {MOST_BYTES:,} bytes are taken.")
        return None


class Limited:
    """Ends the reading of a body that is longer than it may be, whatever its header says."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._seen = 0

    async def __call__(self) -> Message:
        """The next piece; a body that is too long looks like a client that went away."""
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self._seen > MOST_BYTES else message


def _refused_read(headers: Headers) -> Refused | None:
    """Another site, or another port of this machine, may open a page in a window of its own, and load nothing into its own.

    `same-site` is not our own: cookies know no ports, so a page on another port of 127.0.0.1 would be let in by them.
    """
    site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "navigate")
    if site in ("none", "same-origin") or (mode == "navigate" and headers.get("sec-fetch-dest", "document") == "document"):
        return None
    return Refused(HTTPStatus.FORBIDDEN, "Other sites load nothing from here.")
