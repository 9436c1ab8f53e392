"""The policy guard: the Guard of the loop, and the one place where a Permit is made."""

from dataclasses import replace

from engine.domain.action import Action, Navigate, Press, Type
from engine.domain.policy import Policy
from engine.domain.request import RequestFacts
from engine.domain.secret import PLACEHOLDER, Secrets, may_type
from engine.domain.url import Url, UrlRefused, classify, resolve
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal, Verdict
from engine.guard.rules import (
    STRENGTH,
    Places,
    Ruling,
    is_write,
    judge_allowed,
    judge_element,
    judge_frame,
    judge_page,
    judge_request,
    shown,
)

ANYWHERE = frozenset({"navigate", "go_back", "switch_tab", "wait", "widen", "done", "stuck"})
"""Actions that touch no element, so they are the way back from a page outside the scope."""

ERROR_PAGE = "chrome-error://chromewebdata/"
"""Chromium's own page for a request that failed or was held back: nothing of any site is on it."""

LOGIN = "loginForms"
ENTER = frozenset({"Enter", "NumpadEnter", "\n", "\r"})
TEXTLESS = frozenset({"", "button", "reset", "file"})
"""Input types in which Enter sends no form; an empty one is no input at all (a textarea, a link, a div)."""


class PolicyGuard:
    """Judges by one policy. `target` resolves relative URLs; secrets are bound to the origins that the policy gives them."""

    def __init__(self, policy: Policy, target: str, secrets: Secrets | None = None) -> None:
        self.policy = policy
        self.secrets = bind(secrets or Secrets(), policy, target)
        self._target = target
        self._places = Places.of(policy)

    def judge(self, action: Action, facts: Facts) -> Verdict:
        """Permit, refusal, or that a person must be asked; the strongest line decides. A navigate gets its full URL."""
        rulings = [judge_allowed(self.policy, action.action), *self._of_place(action, facts), *self._of_secrets(action, facts)]
        if isinstance(action, Navigate):
            action, ruling = self._destination(action)
            rulings.append(ruling)
        rulings += [judge_element(self.policy, action.action, facts.role, facts.name), *self._of_form(action, facts)]
        decisive = max(rulings, key=lambda ruling: STRENGTH[ruling.effect])
        if decisive.effect == "forbid":
            return Refusal(action=action, rule=decisive.rule, why=sentence(decisive.why))
        if decisive.effect == "require_approval":
            return ApprovalNeeded(action=action, facts=facts, rule=decisive.rule, why=sentence(decisive.why))
        return Permit(action=action, facts=facts, rule=rulings[-1].rule)

    def judge_url(self, url: str) -> str | None:
        """None when the browser may be on this page, else a sentence that says why not."""
        if url == ERROR_PAGE:
            return None
        ruling = judge_page(self._places, url)
        return sentence(ruling.why) if ruling.effect == "forbid" else None

    def judge_request(self, request: RequestFacts) -> Ruling:
        """What to do with a request, before it is sent: a window's page must be in `navigate`, the rest may be in `load`."""
        scope, url = self._places.judge(request.url, "navigate" if request.top else "load")
        if url is None or scope.effect == "forbid":
            return scope
        return judge_request(self.policy, request.method, url)

    def grant(self, needed: ApprovalNeeded, approval_id: str) -> Permit:
        """The permit that a person's yes is worth. A policy that forbids cannot be overruled."""
        return Permit(action=needed.action, facts=needed.facts, rule=needed.rule, approval_id=approval_id)

    def _of_place(self, action: Action, facts: Facts) -> list[Ruling]:
        if action.action in ANYWHERE:
            return []
        frame = [judge_frame(self._places, facts.frame_url)] if facts.frame_url else []
        return [judge_page(self._places, facts.page_url), *frame]

    def _of_secrets(self, action: Action, facts: Facts) -> list[Ruling]:
        found = PLACEHOLDER.findall(action.model_dump_json())
        if not found:
            return []
        if not isinstance(action, Type):
            return [Ruling("forbid", "secrets", f"a secret is only ever typed into a field, never part of {action.action}")]
        return [self._of_secret(name, facts) for name in found]

    def _of_secret(self, name: str, facts: Facts) -> Ruling:
        secret = self.secrets.named(name)
        if secret is None:
            return Ruling("forbid", "secrets", f"there is no secret {name}; known: {', '.join(self.secrets.names) or 'none'}")
        why = may_type(secret, facts)
        return Ruling("forbid" if why else "permit", f"secrets.{name}", (why or f"{name} belongs here").rstrip("."))

    def _destination(self, action: Navigate) -> tuple[Action, Ruling]:
        url = resolve(action.url, self._target)
        if isinstance(url, UrlRefused):
            return action, Ruling("forbid", "scope.navigate", f"{shown(action.url)} {url.why}")
        ruling = self._places.judge(str(url), "navigate")[0]
        return action.model_copy(update={"url": str(url)}), ruling

    def _of_form(self, action: Action, facts: Facts) -> list[Ruling]:
        """What is certain about the request that the action causes; what is not certain is held at the route layer."""
        web = action.action == "click" and facts.link.startswith(("http:", "https:"))
        link = [self._places.judge(facts.link, "navigate")[0]] if web else []
        if not submits(action, facts) or facts.form_method == "dialog":
            return link
        scope, url = self._places.judge(facts.form_action or facts.frame_url or facts.page_url, "load")
        if url is None or scope.effect == "forbid" or not is_write(facts.form_method):
            return [*link, scope]
        return [*link, self._of_write(facts, url)]

    def _of_write(self, facts: Facts, url: Url) -> Ruling:
        ruling = judge_request(self.policy, facts.form_method, url)
        if ruling.effect == "require_approval" and is_login(self.policy, facts):
            return Ruling("permit", LOGIN, "a login form may be sent without asking")
        return ruling


def submits(action: Action, facts: Facts) -> bool:
    """Whether the action is certain to send the element's form."""
    if not facts.form_method:
        return False
    if isinstance(action, Press):
        key = action.key.rpartition("+")[2]
        enter = key in ENTER and facts.input_type not in TEXTLESS
        return enter or (facts.submits and (key in ENTER or key in ("Space", " ", "")))
    if isinstance(action, Type):
        return facts.input_type not in TEXTLESS and any(char in action.text for char in "\r\n")
    return action.action == "click" and facts.submits


def is_login(policy: Policy, facts: Facts) -> bool:
    """Whether the element belongs to a form with a password field, and the policy lets such forms go unasked."""
    return policy.login_forms and facts.form_password


def bind(secrets: Secrets, policy: Policy, target: str) -> Secrets:
    """Every secret with the origins that the policy gives it, else its own, else the target's."""
    bound = []
    for secret in secrets.entries:
        rule = policy.secrets.get(secret.name)
        url = classify(target)
        home = () if isinstance(url, UrlRefused) else (str(url.origin),)
        origins = rule.origins if rule else secret.origins or home
        bound.append(replace(secret, origins=origins, clear=rule.clear if rule else secret.clear))
    return Secrets(tuple(bound))


def sentence(clause: str) -> str:
    """A clause as a sentence."""
    return f"{clause[:1].upper()}{clause[1:].rstrip('.')}."
