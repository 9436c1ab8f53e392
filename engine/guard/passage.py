"""What the egress proxy asks of a policy: whether an origin may get bytes at all, and whether it is listed by its very name."""

from collections.abc import Callable

from engine.domain.policy import READS, Policy
from engine.domain.request import Passage
from engine.domain.url import Origin
from engine.guard.rules import Places


def passage(policy: Policy) -> Callable[[Origin], Passage]:
    """The proxy's decision by origin: both lists of the scope count, since a proxy cannot tell a page from a picture."""
    places = Places.of(policy)

    def decide(origin: Origin) -> Passage:
        found = [pattern for pattern in (*places.navigate, *places.load) if pattern.covers_origin(origin)]
        if not found:
            return Passage(allowed=False, why="outside the scope")
        return Passage(allowed=True, listed=any(not pattern.wild for pattern in found))

    return decide


def more_than_origins(policy: Policy) -> bool:
    """Whether a policy says more of what pages read than where it may come from: paths of the scope, or rules on reads."""
    places = Places.of(policy)
    rules = (rule.when.request for rule in policy.risk if rule.when.request and rule.effect != "permit")
    return any(each.prefix != "/" for each in (*places.navigate, *places.load)) or any(
        READS & set(rule.method) for rule in rules
    )
