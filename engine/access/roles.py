"""The four roles and what each may do, as one table."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["viewer", "requester", "manager", "operator"]
Right: TypeAlias = Literal["see", "request", "decide", "operate"]
"""see: pages and evidence; request: start discoveries; decide: approvals and reviews; operate: what belongs to the operator."""

RIGHTS: dict[Role, frozenset[Right]] = {
    "viewer": frozenset({"see"}),
    "requester": frozenset({"see", "request"}),
    "manager": frozenset({"see", "request", "decide"}),
    "operator": frozenset({"see", "request", "operate"}),
}
ALL_ROLES: frozenset[Role] = frozenset(RIGHTS)


def rights_of(roles: Iterable[Role]) -> frozenset[Right]:
    """All that somebody with these roles may do."""
    return frozenset(right for role in roles for right in RIGHTS[role])
