"""The visitor as the core's requests know who asks, and what an address asks for as one of their forms."""

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from engine.errors import NotFound
from engine.explore.catalog import Caller
from engine.web.visit import Visit

Form = TypeVar("Form", bound=BaseModel)


def formed(kind: type[Form], **fields: object) -> Form:
    """A form out of parts of an address. Raises NotFound: what does not fit names nothing that could be there."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise NotFound("There is no such page.") from error


def caller(visit: Visit) -> Caller:
    """Name and roles."""
    return Caller(user_id=visit.name, roles=visit.user.roles if visit.user else frozenset())
