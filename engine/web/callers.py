"""The visitor as the core's requests know who asks."""

from engine.explore.catalog import Caller
from engine.web.visit import Visit


def caller(visit: Visit) -> Caller:
    """Name and roles."""
    return Caller(user_id=visit.name, roles=visit.user.roles if visit.user else frozenset())
