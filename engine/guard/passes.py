"""Passes for writes: what the route layer let go, the proxy lets out, once; so what the route layer never saw stays inside.

Chromium may send what is held when its page goes away. For plain HTTP the proxy sees every write, and one that a rule holds
needs the pass of the question that was answered.
"""

from collections import Counter

from engine.domain.policy import Policy
from engine.domain.url import Url, classify
from engine.guard.rules import judge_request


class Passes:
    """The passes of one browser, by method and URL as it is sent."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._open: Counter[tuple[str, str]] = Counter()

    def issue(self, method: str, url: str) -> None:
        """A write was let go; what is inside TLS passes no proxy that could ask for it."""
        found = classify(url)
        if isinstance(found, Url) and found.origin.scheme == "http":
            self._open[(method.upper(), found.sent)] += 1

    def take(self, method: str, url: Url) -> bool:
        """Whether a write may leave now: no rule holds it, or it has a pass, which is used up."""
        if judge_request(self._policy, method, url).effect == "permit":
            return True
        key = (method.upper(), url.sent)
        if self._open[key] <= 0:
            return False
        self._open[key] -= 1
        return True
