import asyncio
import re
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse, Response

from engine.web.app import PAGES
from engine.web.page import Page
from engine.web.serving import listening
from engine.web.visit import Visit
from tests.web.serving import PASSWORD, Served, serve


async def broken(_visit: Visit) -> Response:
    raise RuntimeError("a secret of the engine")


async def told(visit: Visit) -> Response:
    fields = await visit.form()
    return PlainTextResponse(fields["text"])


TEST_PAGES = (*PAGES, Page("/admin/broken", broken), Page("/admin/told", told, method="POST"))


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serve(tmp_path, table=TEST_PAGES) as running:
        yield running


FORM = "application/x-www-form-urlencoded"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "", "127.0.0.1:{port}."]
)
async def test_only_its_own_names_are_answered_to(served: Served, host: str) -> None:
    """A name that somebody points at this machine reaches nothing, not even the login."""
    port = served.host.partition(":")[2]
    async with served.client() as client:
        response = await client.get("/admin/login", headers={"host": host.replace("{port}", port)})
        assert response.status_code in (400, 421)
        assert "Capwright" not in response.text
        assert (await client.get("/admin/login", headers={"host": f"localhost:{port}"})).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://{host}"},
        {"origin": "http://127.0.0.1:4010"},
        {"origin": "http://{host}", "sec-fetch-site": "cross-site"},
        {"origin": "http://{host}", "sec-fetch-site": "same-site"},
        {"origin": "http://{host}", "sec-fetch-site": "none"},
        {"origin": "http://{host}, http://{host}"},
    ],
)
async def test_changes_come_from_our_own_pages_only(served: Served, headers: dict[str, str]) -> None:
    """A valid session and a valid form are worth nothing from elsewhere."""
    async with served.signed_in() as client:
        sent = {name: value.replace("{host}", served.host) for name, value in headers.items()}
        data = served.form(client, {"text": "hello"})
        assert (await client.post("/admin/told", data=data)).text == "hello"
        response = await client.post("/admin/told", data=data, headers=sent)
        assert response.status_code == 403
        assert (await client.post("/admin/logout", data=data, headers=sent)).status_code == 403
        assert (await client.get("/admin/runs")).status_code == 200  # still signed in


async def test_a_change_without_an_origin_is_refused(served: Served) -> None:
    """Browsers send it with every POST, so what sends none is no page of ours."""
    async with served.signed_in() as client:
        data = served.form(client, {"text": "hello"})
        request = client.build_request("POST", "/admin/told", data=data)
        del request.headers["origin"]
        assert (await client.send(request)).status_code == 403


async def test_a_form_of_another_session_is_refused(served: Served) -> None:
    """Every form carries a token that belongs to its session."""
    async with served.signed_in("mona") as mona, served.signed_in("max") as other:
        stolen = served.form(other, {"text": "hello"})
        assert (await mona.post("/admin/told", data=stolen)).status_code == 403
        assert (await mona.post("/admin/told", data={"text": "hello"})).status_code == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
async def test_other_methods_are_not_served(served: Served, method: str) -> None:
    """GET, HEAD and POST are all there is."""
    async with served.client() as client:
        assert (await client.request(method, "/admin/login")).status_code == 405


async def test_no_get_changes_anything(served: Served) -> None:
    """Addresses of changes answer 404 or 405 to GET, and a one-time link opened by GET is still good."""
    async with served.signed_in() as client:
        for page in PAGES:
            if page.method == "POST" and not any(each.path == page.path for each in PAGES if each.method == "GET"):
                path = page.path.replace("{", "").replace("}", "").replace(":path", "")
                assert (await client.get(path)).status_code in (404, 405), path
    link = served.links[0].rpartition("link=")[2]
    async with served.client() as fresh:
        for _ in range(3):
            assert (await fresh.get(f"/admin/login?link={link}")).status_code == 200
            assert served.frame.cookie not in fresh.cookies
        assert (await fresh.post("/admin/login/link", data={"link": link})).status_code == 303


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/json", ""])
async def test_content_has_its_type(served: Served, kind: str) -> None:
    """What a foreign form can send without asking (text/plain, multipart) is not taken for a form of ours."""
    async with served.signed_in() as client:
        response = await client.post("/admin/told", content=b"text=hello", headers={"content-type": kind})
        assert response.status_code == 415


async def test_too_much_is_not_read(served: Served) -> None:
    """More than a mebibyte is refused by its header, and cut off when the header is not there."""
    async with served.signed_in() as client:
        large = b"text=" + b"x" * (1 << 20)
        assert (await client.post("/admin/told", content=large, headers={"content-type": FORM})).status_code == 413

        async def pieces() -> AsyncIterator[bytes]:
            yield large

        assert (await client.post("/admin/told", content=pieces(), headers={"content-type": FORM})).status_code == 411


@pytest.mark.parametrize(
    "path", ["/admin/login", "/admin/nowhere", "/nowhere", "/admin/static/admin.css", "/admin/runs", "/admin/broken"]
)
async def test_every_answer_carries_the_headers(served: Served, path: str) -> None:
    """Pages, files, redirects, refusals and faults alike."""
    async with served.signed_in() as client, served.client() as stranger:
        for response in (await client.get(path), await stranger.get(path)):
            csp = response.headers["content-security-policy"]
            assert "unsafe-inline" not in csp and "unsafe-eval" not in csp
            assert "frame-ancestors 'none'" in csp and "default-src 'none'" in csp and "base-uri 'none'" in csp
            assert response.headers["x-content-type-options"] == "nosniff"
            assert response.headers["referrer-policy"] == "same-origin"
            assert response.headers["x-frame-options"] == "DENY"
            assert response.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
async def test_other_sites_load_nothing(served: Served, site: str) -> None:
    """Cookies know no ports: a page on another port of this machine would be let in by them."""
    async with served.signed_in() as client:
        for mode, dest in (("no-cors", "image"), ("cors", "empty"), ("navigate", "iframe"), ("no-cors", "script")):
            headers = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
            assert (await client.get("/admin/runs", headers=headers)).status_code == 403
        headers = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert (await client.get("/admin/runs", headers=headers)).status_code == 200


async def test_a_fault_is_a_page_that_tells_nothing(served: Served) -> None:
    """The log has it, the page does not."""
    async with served.signed_in() as client:
        response = await client.get("/admin/broken")
        assert response.status_code == 500
        assert "secret of the engine" not in response.text and "Traceback" not in response.text


async def test_pages_need_a_session(served: Served) -> None:
    """Every page but the entrance sends strangers to the login, every change answers 401."""
    async with served.client() as client:
        for page in PAGES:
            if page.right is None:
                continue
            path = page.path.replace("{", "").replace("}", "").replace(":path", "")
            if page.method == "GET":
                response = await client.get(path)
                assert response.status_code == 303 and response.headers["location"].startswith("/admin/login?next="), path
            else:
                kind = {"content-type": "application/json"} if "/rpc/" in path else {"content-type": FORM}
                response = await client.post(path, content=b"{}", headers=kind)
                assert response.status_code == 401, path


async def test_the_cookie_is_strict_and_new_at_login_and_dead_at_logout(served: Served) -> None:
    """HttpOnly, SameSite=Strict, at least 128 bits; a token from before the login is worth nothing after it."""
    name = served.frame.cookie
    async with served.client(cookies={name: "fixed-by-somebody"}) as client:
        response = await client.post("/admin/login", data={"name": "mona", "password": PASSWORD})
        cookie = response.headers["set-cookie"]
        assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and "Path=/admin" in cookie
        token = cookie.partition("=")[2].partition(";")[0]
        assert token != "fixed-by-somebody" and len(token) * 6 >= 128
    async with served.client() as client:
        first = (await client.post("/admin/login", data={"name": "mona", "password": PASSWORD})).headers["set-cookie"]
        assert first.partition(";")[0] != cookie.partition(";")[0]
        before = client.cookies[name]
        assert (await client.get("/admin/runs")).status_code == 200
        await client.post("/admin/login", data={"name": "mona", "password": PASSWORD})
        assert client.cookies[name] != before
        async with served.client(cookies={name: before}) as old:
            assert (await old.get("/admin/runs")).status_code == 303
        now = client.cookies[name]
        await client.post("/admin/logout", data=served.form(client, {}))
        async with served.client(cookies={name: now}) as old:
            assert (await old.get("/admin/runs")).status_code == 303


async def test_login_attempts_are_limited(served: Served) -> None:
    """After five failures even the right password waits; another user does not."""
    async with served.client() as client:
        for _ in range(5):
            assert (await client.post("/admin/login", data={"name": "mona", "password": "wrong"})).status_code == 401
        response = await client.post("/admin/login", data={"name": "mona", "password": PASSWORD})
        assert response.status_code == 429 and int(response.headers["retry-after"]) > 0
        assert (await client.post("/admin/login", data={"name": "max", "password": PASSWORD})).status_code == 303


async def test_a_link_signs_in_once(served: Served) -> None:
    """The second use is refused, and a new link is printed for the next time."""
    link = served.links[0].rpartition("link=")[2]
    assert len(link) * 6 >= 128
    async with served.client() as first, served.client() as second:
        assert (await first.post("/admin/login/link", data={"link": link})).status_code == 303
        assert (await first.get("/admin/runs")).status_code == 200
        assert (await second.post("/admin/login/link", data={"link": link})).status_code == 401
        assert (await second.get("/admin/runs")).status_code == 303
        assert len(served.links) == 2
        fresh = served.links[1].rpartition("link=")[2]
        assert (await second.post("/admin/login/link", data={"link": fresh})).status_code == 303


@pytest.mark.parametrize(
    "path", ["//evil.example", "https://evil.example", "/admin//evil.example", "/admin\\evil", "/adminx", "/admin/\nX: y"]
)
async def test_the_login_sends_nobody_elsewhere(served: Served, path: str) -> None:
    """Only our own paths are taken for where to go on."""
    async with served.client() as client:
        response = await client.post("/admin/login", data={"name": "mona", "password": PASSWORD, "next": path})
        assert response.headers["location"] == "/admin"


async def test_sessions_outlive_the_server(tmp_path: Path) -> None:
    """Open pages recover when it is restarted, and no token stands in the file."""
    async with serve(tmp_path) as served, served.signed_in() as client:
        token = client.cookies[served.frame.cookie]
    kept = (tmp_path / "state" / "sessions.json").read_text()
    assert token not in kept and (tmp_path / "state" / "sessions.json").stat().st_mode & 0o077 == 0
    async with serve(tmp_path) as again, again.client(cookies={again.frame.cookie: token}) as client:
        assert (await client.get("/admin/runs")).status_code == 200


async def test_roles_open_what_they_open(served: Served) -> None:
    """A viewer sees and starts nothing."""
    async with served.signed_in("vera") as client:
        assert (await client.get("/admin/runs")).status_code == 200
        for page in PAGES:
            if page.right in ("request", "decide", "operate") and page.method == "POST" and "/rpc/" not in page.path:
                path = page.path.replace("{", "").replace("}", "")
                assert (await client.post(path, data=served.form(client, {}))).status_code == 403, path


async def test_a_stranger_to_the_roles_of_config_toml_is_out(served: Served) -> None:
    """A session of a user that config.toml no longer names is worth nothing."""
    token = served.frame.sessions.start("gone", local=False)
    async with served.client(cookies={served.frame.cookie: token}) as client:
        assert (await client.get("/admin/runs")).status_code == 303


async def test_requests_with_two_hosts_are_refused(served: Served) -> None:
    """Two Host headers are one too many."""
    reader, writer = await asyncio.open_connection(*served.host.split(":"))
    writer.write(
        f"GET /admin/login HTTP/1.1\r\nHost: {served.host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n".encode()
    )
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert answer.split()[1] in (b"400", b"421")


def test_answers_do_not_wait_for_the_networks_patience() -> None:
    """Connections send what there is at once: without TCP_NODELAY every answer of two writes took 40 ms longer."""
    with listening(0) as listener, socket.create_connection(listener.getsockname()), listener.accept()[0] as accepted:
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


ODD = ["%00", "..", "%2e%2e", "%F0%9F%92%A3", "a" * 3000, "%3Cscript%3E", "1e999", "-1", "{{7*7}}", "%25s%25n"]


async def test_nothing_in_an_address_is_a_fault(served: Served) -> None:
    """Odd names, numbers and queries on every page: never a 5xx, and no status that is not meant."""
    async with served.signed_in("mona") as client:
        for page in PAGES:
            if page.method == "GET" and not page.path.endswith("/events"):
                for odd in ODD if "{" in page.path else ODD[:2]:
                    path = re.sub(r"\{[^}]*\}", odd, page.path)
                    response = await client.get(
                        f"{path}?state={odd}&before={odd}&after={odd}&view={odd}&agent={odd}&next={odd}"
                    )
                    assert response.status_code in (200, 303, 400, 404, 405, 422), (path, response.status_code)
