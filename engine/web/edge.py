"""The edge of the web: every error becomes one page or one JSON object, with a status and a sentence."""

from traceback import format_exception

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engine.errors import CapwrightError, IllegalTransition, IntegrityChanged, NotFound, RequestRefused, StoreError, UsageError
from engine.web.boundary import RPC_PATHS
from engine.web.language import marked
from engine.web.visit import Frame, Visit

log = structlog.get_logger()

STATUS_OF_CODE: dict[str, int] = {
    "invalid_params": 422, "permission_denied": 403, "not_found": 404, "unknown_root": 422, "unknown_evaluator": 422,
    "evaluator_stale": 409, "runtime_unsupported": 422, "grid_too_large": 422, "already_terminal": 409, "not_available": 409,
    "integrity_changed": 409, "file_too_large": 413, "expired": 409, "already_decided": 409, "payload_mismatch": 409,
}  # fmt: skip
STATUS_OF_ERROR: tuple[tuple[type[CapwrightError], int], ...] = (
    (NotFound, 404),
    (IllegalTransition, 409),
    (UsageError, 422),
    (IntegrityChanged, 409),
    (StoreError, 503),
)
TITLES: dict[int, str] = {
    401: marked("Sign in first"),
    403: marked("Not allowed"),
    404: marked("Not found"),
    405: marked("Not allowed"),
    409: marked("Somebody was faster, or it has changed"),
    422: marked("That does not fit"),
    429: marked("Too often"),
    500: marked("A fault of the engine"),
    503: marked("Not available now"),
}


class Edge:
    """Catches what pages raise. The only place of the web where a surprise is swallowed, after it was logged."""

    def __init__(self, app: ASGIApp, frame: Frame) -> None:
        self._app = app
        self._frame = frame

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; an error after the answer has begun can only end the connection."""
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except ClientDisconnect:
            return
        except Exception as error:  # noqa: BLE001 - the web's edge
            status, why = told(error)
            if status == 500:
                # Without the variables of each frame: they may hold what a visitor typed.
                log.error("a fault of the admin", path=scope["path"], trace="".join(format_exception(error)))  # noqa: TRY400
            if begun:
                return
            response = self._answer(Request(scope), status, why, getattr(error, "code", ""))
            await response(scope, receive, send)

    def _answer(self, request: Request, status: int, why: str, code: str) -> Response:
        if request.url.path.startswith(RPC_PATHS):
            return JSONResponse({"error": code or "fault", "message": why}, status)
        visit = Visit.of(request, self._frame)
        return visit.page("error.html", status, title=TITLES.get(status, TITLES[500]), why=why)


def told(error: Exception) -> tuple[int, str]:
    """Status and sentence of an error; of a surprise nothing is told but that it was one."""
    if isinstance(error, HTTPException):
        return error.status_code, error.detail if error.status_code != 404 else ""
    if isinstance(error, RequestRefused):
        return STATUS_OF_CODE.get(error.code, 422), str(error)
    if isinstance(error, CapwrightError):
        return next((status for kind, status in STATUS_OF_ERROR if isinstance(error, kind)), 500), str(error)
    return 500, ""
