"""One request to a page: who visits, in which language, and how a page is answered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from engine.access.passwords import Users
from engine.access.roles import Right
from engine.access.sessions import Attempts, Links, Sessions, form_token
from engine.access.users import User
from engine.assembly.admin import Admin
from engine.web.beat import Beat
from engine.web.language import chosen, marked
from engine.web.rendering import Pages

LANGUAGE_COOKIE = "capwright-language"
LOOK_SECONDS = 0.2
OTHER_SESSION = marked("This form is of another session; load the page again.")
SIGN_IN = marked("Sign in first.")


@dataclass(frozen=True)
class Frame:
    """What all pages share: the home behind them, who may come in, and the templates."""

    admin: Admin
    users: Users
    local: User
    sessions: Sessions
    links: Links
    attempts: Attempts
    pages: Pages
    cookie: str
    tell_link: Callable[[], None] = lambda: None
    beat: Beat = field(default_factory=lambda: Beat(LOOK_SECONDS))


@dataclass(frozen=True)
class Visit:
    """One request; `token` is the session's, empty for somebody who is not signed in."""

    request: Request
    frame: Frame
    user: User | None
    token: str
    language: str

    @classmethod
    def of(cls, request: Request, frame: Frame) -> "Visit":
        """Who a request comes from."""
        token = request.cookies.get(frame.cookie, "")
        session = frame.sessions.get(token)
        user = None
        if session is not None:
            user = frame.local if session.local else frame.users.named(session.user)
        language = chosen(request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language", ""))
        return cls(request, frame, user, token if user else "", language)

    @property
    def admin(self) -> Admin:
        """The home."""
        return self.frame.admin

    @property
    def name(self) -> str:
        """The visitor's name; pages that need one are reached by nobody else."""
        assert self.user is not None, "only pages for everybody are reached without a user"
        return self.user.name

    def may(self, right: Right) -> bool:
        """Whether the visitor has a right."""
        return self.user is not None and right in self.user.rights

    def given(self, name: str) -> str:
        """A part of the path."""
        return str(self.request.path_params[name])

    def say(self, text: str) -> str:
        """A marked text in the visitor's language."""
        return self.frame.pages.say(self.language)(text)

    def told(self, text: str) -> str:
        """What the engine says, in the visitor's language."""
        return self.frame.pages.told(self.language)(text)

    def page(self, template: str, status: int = 200, **content: Any) -> Response:
        """A whole page."""
        waiting = self.admin.waiting() if self.user else 0
        markup = self.fragment(template, waiting=waiting, **content)
        return HTMLResponse(markup, status, {"vary": "cookie, accept-language"})

    def fragment(self, template: str, **content: Any) -> str:
        """A rendered template."""
        shell = {
            "visit": self,
            "user": self.user,
            "language": self.language,
            "path": self.request.url.path,
            "form_token": form_token(self.token) if self.token else "",
        }
        return self.frame.pages.render(template, self.language, {**shell, **content})

    def go(self, path: str) -> Response:
        """To another page, after a change."""
        return RedirectResponse(path, HTTPStatus.SEE_OTHER)

    async def form(self) -> Mapping[str, str]:
        """The fields of a form that belongs to this session; an answer of 403 for any other."""
        fields = {name: value for name, value in (await self.request.form()).items() if isinstance(value, str)}
        if fields.get("form_token") != form_token(self.token):
            raise HTTPException(HTTPStatus.FORBIDDEN, OTHER_SESSION)
        return fields

    def sign_in_first(self) -> Response:
        """To the login page, and back here afterwards."""
        if self.request.method != "GET":
            raise HTTPException(HTTPStatus.UNAUTHORIZED, SIGN_IN)
        return self.go(f"/admin/login?next={quote(self.request.url.path)}")
