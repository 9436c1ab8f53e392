"""Passes for writes: what the route layer let go, the proxy lets out, once; so what the route layer never saw stays inside.

Chromium hides some writes from routing (a beacon or keepalive request of a page that is just going away). For plain HTTP the
proxy sees them all, for TLS the browser's own session does; a write that a rule holds needs the pass of the question that was
answered.
"""

from collections import Counter

from engine.domain.policy import Policy
from engine.domain.url import Url, UrlRefused, classify
from engine.guard.rules import judge_request


class Passes:
    """The passes of one browser, by method and URL as it is sent."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._open: Counter[tuple[str, str]] = Counter()

    def issue(self, method: str, url: str) -> None:
        """A write was let go."""
        found = classify(url)
        if isinstance(found, Url):
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

    def follow(self, method: str, url: Url, location: str) -> None:
        """The server answered a write that had left with a redirect that repeats it: that one repetition may leave as well."""
        if location.startswith("/") and not location.startswith("//"):
            location = f"{url.origin}{location}"
        found = classify(location)
        if not isinstance(found, UrlRefused) and found.origin == url.origin:
            self.issue(method, str(found))
