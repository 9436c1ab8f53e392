"""Puts the pages together: boundary, then edge, then who may see what, then the page."""

from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route, Router
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.web import capabilities, discover, entrance, evidence, goals, home, inbox, live, review, rpc, runs
from engine.web.boundary import Boundary
from engine.web.edge import Edge
from engine.web.language import marked
from engine.web.page import Page
from engine.web.visit import Frame, Visit

PAGES: tuple[Page, ...] = (
    *home.PAGES, *entrance.PAGES, *runs.PAGES, *evidence.PAGES, *live.PAGES, *inbox.PAGES, *capabilities.PAGES, *review.PAGES,
    *discover.PAGES, *goals.PAGES, *rpc.PAGES,
)  # fmt: skip
NOT_YOURS = marked("Your roles do not allow this; ask a manager or an operator.")
STATIC = Path(__file__).parent / "static"


def admin_app(frame: Frame, hosts: Iterable[str], pages: tuple[Page, ...] = PAGES) -> ASGIApp:
    """The whole admin as one ASGI application; `hosts` are the Host headers that it answers to."""
    routes = [Route(page.path, _endpoint(page, frame), methods=[page.method], name=page.path) for page in pages]
    static = Mount("/admin/static", StaticFiles(directory=STATIC))
    router = Router([*routes, static], redirect_slashes=False, default=_nowhere)
    return Boundary(Edge(router, frame), frozenset(hosts))


def _endpoint(page: Page, frame: Frame) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        visit = Visit.of(request, frame)
        if page.right is not None and visit.user is None:
            return visit.sign_in_first()
        if page.right is not None and not visit.may(page.right):
            raise HTTPException(HTTPStatus.FORBIDDEN, NOT_YOURS)
        return await page.show(visit)

    return endpoint


async def _nowhere(scope: Scope, receive: Receive, send: Send) -> None:
    raise HTTPException(HTTPStatus.NOT_FOUND)
