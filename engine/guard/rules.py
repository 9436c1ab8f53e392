"""Which line of a policy decides: forbid above require_approval above permit; places and kinds of action denied by default."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from engine.domain.action import ALWAYS
from engine.domain.policy import READS, Effect, Policy, Rule
from engine.domain.scope import Pattern, first_covering, parse_pattern
from engine.domain.url import START_PAGE, Url, UrlRefused, classify

STRENGTH: dict[Effect, int] = {"permit": 0, "require_approval": 1, "forbid": 2}


@dataclass(frozen=True)
class Ruling:
    """What a policy says and the line that says it: `risk[2]`, `scope.navigate[0]`, `actions.allow`, or `default: …`."""

    effect: Effect
    rule: str
    why: str


@dataclass(frozen=True)
class Places:
    """The scope of a policy, parsed once."""

    navigate: tuple[Pattern, ...]
    load: tuple[Pattern, ...]

    @classmethod
    def of(cls, policy: Policy) -> "Places":
        """The patterns of a policy; it was validated, so they parse."""
        scope = policy.scope
        return cls(tuple(map(parse_pattern, scope.navigate)), tuple(map(parse_pattern, scope.load)))

    def judge(self, text: str, use: Literal["navigate", "load"]) -> tuple[Ruling, Url | None]:
        """Whether a URL may be gone to, or loaded from."""
        url = classify(text)
        if isinstance(url, UrlRefused):
            return Ruling("forbid", "scope", f"{shown(text)} {url.why}"), None
        if found := first_covering(self.navigate, url):
            return Ruling("permit", f"scope.navigate[{self.navigate.index(found)}]", f"{found.text} covers it"), url
        if use == "load" and (found := first_covering(self.load, url)):
            return Ruling("permit", f"scope.load[{self.load.index(found)}]", f"{found.text} covers it"), url
        listed = ", ".join(pattern.text for pattern in self.navigate + (self.load if use == "load" else ()))
        return Ruling("forbid", f"scope.{use}", f"{url.origin}{shown(url.path)} is outside the scope ({listed})"), url


def judge_page(places: Places, text: str) -> Ruling:
    """Whether the browser may be on this page. The start page is empty and comes from no server."""
    if text == START_PAGE:
        return Ruling("permit", "scope: start page", "the start page holds nothing")
    return places.judge(text, "navigate")[0]


def judge_frame(places: Places, text: str) -> Ruling:
    """Whether an element in a frame with this URL may be acted on. srcdoc and blob frames belong to the page that made them."""
    if text in (START_PAGE, "about:srcdoc"):
        return Ruling("permit", "scope: the page's own frame", "the page itself made this frame")
    return places.judge(text.removeprefix("blob:"), "load")[0]


def judge_allowed(policy: Policy, action: str) -> Ruling:
    """Whether planners may choose this kind of action at all."""
    if action in ALWAYS:
        return Ruling("permit", "default: touches nothing", f"{action} touches nothing on the page")
    if action in policy.actions.allow:
        return Ruling("permit", "actions.allow", f"{action} is listed")
    return Ruling("forbid", "actions.allow", f"the action {action} is not allowed; allowed: {', '.join(policy.actions.allow)}")


def judge_element(policy: Policy, action: str, role: str, name: str) -> Ruling:
    """What the risk lines say about an action on an element."""
    plain = normal(name)
    matching = (
        (number, rule)
        for number, rule in enumerate(policy.risk)
        if rule.when.matches_action(action, role, plain, strictly=rule.effect == "permit")
    )
    return _strongest(matching, f"{action} on {role or 'the page'} {plain[:80]!r}")


def judge_request(policy: Policy, method: str, url: Url) -> Ruling:
    """What the risk lines say about a request that is inside the scope."""
    matching = (
        (number, rule)
        for number, rule in enumerate(policy.risk)
        if rule.when.request and rule.when.request.matches(method, url.path, strictly=rule.effect == "permit")
    )
    return _strongest(matching, f"{method.upper()} {url.origin}{shown(url.path)}")


def is_write(method: str) -> bool:
    """Whether a method may have an effect: all but GET and HEAD."""
    return method.upper() not in READS


def normal(name: str) -> str:
    """An accessible name as rules see it: compatibility forms folded, invisible characters out, white space single."""
    folded = unicodedata.normalize("NFKC", name)
    visible = (char for char in folded if char.isspace() or unicodedata.category(char) not in ("Cf", "Cc"))
    return " ".join("".join(visible).split())


def shown(text: str) -> str:
    """Text of the page's making, shortened, for a sentence."""
    return text if len(text) <= 200 else f"{text[:200]}…"


def _strongest(matching: Iterable[tuple[int, Rule]], what: str) -> Ruling:
    found = max(matching, key=lambda entry: (STRENGTH[entry[1].effect], -entry[0]), default=None)
    if found is None:
        return Ruling("permit", "default: no risk line matches", f"no risk line speaks of {what}")
    number, rule = found
    says = {"permit": "is permitted", "forbid": "is forbidden", "require_approval": "needs a person's approval"}
    return Ruling(rule.effect, f"risk[{number}]", f"{what} {says[rule.effect]} by risk[{number}]")
