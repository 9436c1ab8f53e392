"""What every page needs: the bank, the tenant, the sessions, the log, and the visit that is going on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from engine.demo.bank import Bank
from engine.demo.books import Member
from engine.demo.ops import OperationsLog
from engine.demo.sessions import Session, Sessions
from engine.demo.tenants import Tenant

SESSION_COOKIE = "tc_session"
NOTICE_COOKIE = "tc_notice"
PAGE_SIZE = 10


@dataclass(frozen=True, slots=True)
class Desk:
    """One running console."""

    bank: Bank
    tenant: Tenant
    sessions: Sessions
    log: OperationsLog
    templates: Environment

    def page(self, request: Request, name: str, status: int = 200, **context: object) -> HTMLResponse:
        """Render a template of this tenant."""
        shown: dict[str, object] = {"session": None, "message": "", "path": request.url.path}
        shown["notice"] = request.cookies.get(NOTICE_COOKIE) != "seen"
        text = self.templates.get_template(name).render(shown | context)
        return HTMLResponse(text, status_code=status, headers={"Cache-Control": "no-store"})


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a teller who is signed in."""

    request: Request
    desk: Desk
    session: Session

    def page(self, name: str, status: int = 200, **context: object) -> HTMLResponse:
        """Render a template, with the message that waits for this teller."""
        message = self.session.take_message()
        return self.desk.page(self.request, name, status, session=self.session, message=message, **context)

    def log(self, kind: str, member_id: str | None = None, **parameters: str) -> None:
        """Record what was done for this teller."""
        self.desk.log.record(kind, member_id=member_id, teller=self.session.teller, **parameters)

    @property
    def member(self) -> Member | None:
        """The member the path names, if there is such a one."""
        return self.desk.bank.records.member(self.request.path_params["member_id"])

    def asked(self, name: str) -> str:
        """One query parameter, without blanks around it."""
        return self.request.query_params.get(name, "").strip()

    async def typed(self) -> dict[str, str]:
        """The text fields of the submitted form."""
        async with self.request.form() as form:
            return {name: value for name, value in form.items() if isinstance(value, str)}


Page = Callable[[Visit], Awaitable[Response]]
MemberPage = Callable[[Visit, Member], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]
Refuse = Callable[[Request], Response]


def desk_of(request: Request) -> Desk:
    """The console this request came to."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk


def to_sign_in(request: Request) -> Response:
    """Send the browser to the login page, and back here after it."""
    reason = "expired" if SESSION_COOKIE in request.cookies else ""
    here = request.url.path + (f"?{request.url.query}" if request.url.query and request.method == "GET" else "")
    return RedirectResponse("/login?" + urlencode({"reason": reason, "next": here}), status_code=303)


def refuse_in_frame(request: Request) -> Response:
    """A frame cannot hold the login page, so it says what is wrong."""
    return desk_of(request).page(request, "frame_expired.html", status=401)


def refuse_script(request: Request) -> Response:
    """A script gets an answer it can read."""
    return JSONResponse({"error": "session expired"}, status_code=401)


def signed_in(page: Page, refuse: Refuse = to_sign_in) -> Endpoint:
    """Let only tellers with an open session reach a page."""

    async def endpoint(request: Request) -> Response:
        desk = desk_of(request)
        session = desk.sessions.find(request.cookies.get(SESSION_COOKIE, ""))
        return refuse(request) if session is None else await page(Visit(request, desk, session))

    return endpoint


def of_member(page: MemberPage, refuse: Refuse = to_sign_in) -> Endpoint:
    """The same for a page about one member; 404 when there is no such member."""

    async def about(visit: Visit) -> Response:
        member = visit.member
        return visit.page("missing.html", 404) if member is None else await page(visit, member)

    return signed_in(about, refuse)


def see_other(path: str) -> RedirectResponse:
    """After a form was done, show a page that can be loaded again."""
    return RedirectResponse(path, status_code=303)
