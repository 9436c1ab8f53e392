"""Signing in and out, and the page a teller starts from."""

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from engine.demo.desk import SESSION_COOKIE, Visit, desk_of, see_other, signed_in

_REASONS = frozenset({"expired", "signed_out"})


async def show_login(request: Request) -> Response:
    """The login form, with a word on why it is shown."""
    desk = desk_of(request)
    reason = request.query_params.get("reason", "")
    message = desk.tenant.words[reason] if reason in _REASONS else ""
    return desk.page(request, "login.html", message=message, user="", next=request.query_params.get("next", ""))


async def sign_in(request: Request) -> Response:
    """Open a session and go where the teller wanted to go, or show the form again."""
    desk = desk_of(request)
    async with request.form() as form:
        user, password, wanted = (str(form.get(name, "")) for name in ("user", "password", "next"))
    session = desk.sessions.sign_in(user, password)
    if session is None:
        desk.log.record("login_failed", user=user)
        wrong = desk.tenant.words["wrong_password"]
        return desk.page(request, "login.html", error=wrong, user=user, next=wanted)
    desk.log.record("login", teller=session.teller, user=user)
    answer = see_other(local_path(wanted))
    answer.set_cookie(SESSION_COOKIE, session.token, httponly=True, samesite="lax")
    return answer


async def sign_out(visit: Visit) -> Response:
    """Close the session."""
    visit.desk.sessions.end(visit.session.token)
    visit.log("logout")
    answer = see_other("/login?" + urlencode({"reason": "signed_out"}))
    answer.delete_cookie(SESSION_COOKIE, httponly=True, samesite="lax")
    return answer


async def show_home(visit: Visit) -> Response:
    """The dashboard."""
    members = visit.desk.bank.records.members
    counts = {status: sum(member.status == status for member in members) for status in ("Active", "Dormant", "Restricted")}
    mine = [each for each in visit.desk.log.after() if each.teller == visit.session.teller]
    return visit.page("home.html", counts=counts, recent=mine[-5:][::-1])


def local_path(wanted: str) -> str:
    """`wanted` when it is a path on this site, else the start page."""
    # A second slash or a backslash would name another host.
    return wanted if wanted.startswith("/") and wanted[1:2] not in ("/", "\\") else "/"


ROUTES: tuple[Route, ...] = (
    Route("/", signed_in(show_home)),
    Route("/login", show_login),
    Route("/login", sign_in, methods=["POST"]),
    Route("/logout", signed_in(sign_out), methods=["POST"]),
)
