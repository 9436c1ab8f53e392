"""Signing in by one-time link or password, signing out, and the language switch."""

import asyncio
from http import HTTPStatus

from starlette.responses import Response

from engine.access.sessions import SESSION_SECONDS
from engine.web.language import LANGUAGES, marked
from engine.web.page import Page
from engine.web.visit import LANGUAGE_COOKIE, Visit

WRONG = marked("The name or the password is wrong.")
USED = marked("This link was used already, or is too old. The server prints a new one whenever a link is used.")
WAIT = marked("Too many attempts. Wait some minutes before the next one.")
YEAR = 365 * 86_400


async def login(visit: Visit) -> Response:
    """The form; with `link` the button that uses a one-time link, because no GET signs anybody in."""
    query = visit.request.query_params
    if visit.user is not None:
        return visit.go(inner(query.get("next", "")))
    return _form(visit, link=query.get("link", ""), next=query.get("next", ""))


async def sign_in(visit: Visit) -> Response:
    """By name and password; counted by name and by address."""
    fields = await visit.request.form()
    name, password = str(fields.get("name", ""))[:64], str(fields.get("password", ""))[:1024]
    client = visit.request.client
    keys = (f"name:{name}", f"from:{client.host if client else ''}")
    attempts = visit.frame.attempts
    if wait := attempts.wait(*keys):
        response = _form(visit, HTTPStatus.TOO_MANY_REQUESTS, problem=WAIT, next=str(fields.get("next", "")))
        response.headers["retry-after"] = str(round(wait) + 1)
        return response
    attempts.failed(*keys)  # counted before it is looked at: attempts at the same moment count too
    user = await asyncio.to_thread(visit.frame.users.check, name, password)
    if user is None:
        return _form(visit, HTTPStatus.UNAUTHORIZED, problem=WRONG, next=str(fields.get("next", "")))
    attempts.succeeded(*keys)
    return _signed_in(visit, user.name, str(fields.get("next", "")), local=False)


async def use_link(visit: Visit) -> Response:
    """By the link that the server printed."""
    fields = await visit.request.form()
    if not visit.frame.links.use(str(fields.get("link", ""))):
        return _form(visit, HTTPStatus.UNAUTHORIZED, problem=USED)
    visit.frame.tell_link()
    return _signed_in(visit, visit.frame.local.name, str(fields.get("next", "")), local=True)


async def sign_out(visit: Visit) -> Response:
    """The session is dead, not only forgotten by the browser."""
    await visit.form()
    visit.frame.sessions.end(visit.token)
    response = visit.go("/admin/login")
    response.delete_cookie(visit.frame.cookie, path="/admin", httponly=True, samesite="strict")
    return response


async def switch_language(visit: Visit) -> Response:
    """Remember a language in this browser."""
    fields = await visit.request.form()
    response = visit.go(inner(str(fields.get("next", ""))))
    wanted = str(fields.get("language", ""))
    if wanted in LANGUAGES:
        response.set_cookie(LANGUAGE_COOKIE, wanted, max_age=YEAR, path="/admin", httponly=True, samesite="strict")
    return response


def inner(path: str) -> str:
    """The path if it is one of ours, else the first page: nobody is sent elsewhere by a link to the login."""
    ours = path == "/admin" or path.startswith(("/admin/", "/admin?"))
    return path if ours and "//" not in path and not set(path) & set('\\\r\n\t"<>') else "/admin"


def _form(visit: Visit, status: int = 200, *, problem: str = "", link: str = "", next: str = "") -> Response:
    return visit.page("login.html", status, problem=problem, link=link, next=inner(next), users=len(visit.frame.users))


def _signed_in(visit: Visit, name: str, path: str, *, local: bool) -> Response:
    """A new token whatever the browser sent, so that nobody can fix a session beforehand."""
    visit.frame.sessions.end(visit.request.cookies.get(visit.frame.cookie, ""))
    token = visit.frame.sessions.start(name, local=local)
    response = visit.go(inner(path))
    response.set_cookie(
        visit.frame.cookie, token, max_age=int(SESSION_SECONDS), path="/admin", httponly=True, samesite="strict"
    )
    return response


PAGES = (
    Page("/admin/login", login, right=None),
    Page("/admin/login", sign_in, right=None, method="POST"),
    Page("/admin/login/link", use_link, right=None, method="POST"),
    Page("/admin/logout", sign_out, method="POST"),
    Page("/admin/language", switch_language, right=None, method="POST"),
)
