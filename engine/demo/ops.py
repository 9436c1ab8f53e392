"""The operations log: what the server really did, and the small app that shows it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Operation:
    """One business operation that happened; `seq` counts from 1, `parameters` are name and value pairs."""

    seq: int
    at: datetime
    kind: str
    member_id: str | None
    parameters: tuple[tuple[str, str], ...]
    teller: str | None

    def parameter(self, name: str) -> str | None:
        """The value of one parameter, if the operation has it."""
        return dict(self.parameters).get(name)


class OperationsLog:
    """Operations in the order in which they happened."""

    def __init__(self, clock: Callable[[], datetime] = _now) -> None:
        self._clock = clock
        self._operations: list[Operation] = []

    def record(self, kind: str, *, member_id: str | None = None, teller: str | None = None, **parameters: str) -> None:
        """Add one operation."""
        seq = len(self._operations) + 1
        pairs = tuple(parameters.items())
        self._operations.append(Operation(seq, self._clock(), kind, member_id, pairs, teller))

    def after(self, seq: int = 0) -> list[Operation]:
        """Operations with a greater sequence number."""
        return self._operations[max(seq, 0) :]


def ops_app(log: OperationsLog) -> Starlette:
    """`GET /__ops[?after=SEQ]` as JSON; 400 when SEQ is no whole number."""

    async def show(request: Request) -> JSONResponse:
        after = request.query_params.get("after", "0")
        if not (after.isascii() and after.isdigit()):
            return JSONResponse({"error": "after must be a whole number"}, status_code=400)
        return JSONResponse({"operations": [_as_json(operation) for operation in log.after(int(after))]})

    return Starlette(routes=[Route("/__ops", show)])


def _as_json(operation: Operation) -> dict[str, object]:
    return {
        "seq": operation.seq,
        "at": operation.at.isoformat(),
        "kind": operation.kind,
        "member_id": operation.member_id,
        "parameters": dict(operation.parameters),
        "teller": operation.teller,
    }
