"""A page as a row of a table: its path, who may see it, and what shows it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from starlette.responses import Response

from engine.access.roles import Right
from engine.web.visit import Visit

Show: TypeAlias = Callable[[Visit], Awaitable[Response]]


@dataclass(frozen=True)
class Page:
    """One address. `right` None is for everybody, also without a session."""

    path: str
    show: Show
    right: Right | None = "see"
    method: Literal["GET", "POST"] = "GET"
