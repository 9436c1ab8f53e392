"""The guard's verdicts: actions, places, forms, secrets, and which line decides."""

from typing import Any

import pytest

from engine.domain.action import Action, Click, Done, GoBack, Hover, Navigate, Press, Select, Type
from engine.domain.policy import Policy, RequestMatch, Rule, Scope, When
from engine.domain.request import RequestFacts
from engine.domain.secret import Secret, Secrets
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.guard.explain import explain, summary
from engine.guard.guard import PolicyGuard
from engine.guard.policy_file import default_policy

HOME = "http://127.0.0.1:4010"
SECRETS = Secrets((Secret("password", "hunter2"), Secret("user", "alice", clear=True)))


def guard(policy: Policy | None = None, secrets: Secrets = SECRETS) -> PolicyGuard:
    return PolicyGuard(policy or default_policy(HOME, secrets), HOME, secrets)


def facts(**more: Any) -> Facts:
    return Facts(**({"page_url": f"{HOME}/members"} | more))


def strict(*risk: Rule) -> Policy:
    return Policy(scope=Scope(navigate=(HOME,)), risk=risk)


POST_FORM = facts(role="button", name="Continue", form_method="post", form_action=f"{HOME}/transfers", submits=True)


@pytest.mark.parametrize(
    ("action", "place", "kind"),
    [
        (Click(ref="e1"), facts(role="button", name="Search"), Permit),
        (Done(summary="x"), facts(page_url="http://evil.test/"), Permit),
        (Hover(ref="e1"), facts(), Refusal),
        (Click(ref="e1"), facts(page_url="http://evil.test/"), Refusal),
        (Click(ref="e1"), facts(frame_url="http://evil.test/"), Refusal),
        (Click(ref="e1"), facts(frame_url="about:srcdoc"), Permit),
        (Click(ref="e1"), facts(link="http://evil.test/"), Refusal),
        (Click(ref="e1"), facts(link=f"{HOME}/members/1"), Permit),
        (Click(ref="e1"), POST_FORM, ApprovalNeeded),
        (Click(ref="e1"), POST_FORM.model_copy(update={"link": f"{HOME}/"}), ApprovalNeeded),
        (Click(ref="e1"), POST_FORM.model_copy(update={"submits": False}), Permit),
        (Click(ref="e1"), POST_FORM.model_copy(update={"form_password": True}), Permit),
        (Click(ref="e1"), POST_FORM.model_copy(update={"form_action": "http://evil.test/"}), Refusal),
        (Click(ref="e1"), POST_FORM.model_copy(update={"form_method": "get"}), Permit),
        (Click(ref="e1"), POST_FORM.model_copy(update={"form_method": "dialog"}), Permit),
        (Press(ref="e1", key="Enter"), POST_FORM.model_copy(update={"submits": False, "input_type": "text"}), ApprovalNeeded),
        (Press(ref="e1", key="Control+Enter"), POST_FORM.model_copy(update={"input_type": "text"}), ApprovalNeeded),
        (Press(ref="e1", key="Space"), POST_FORM, ApprovalNeeded),
        (Press(ref="e1", key="Tab"), POST_FORM, Permit),
        (Type(ref="e1", text="50\n"), POST_FORM.model_copy(update={"submits": False, "input_type": "text"}), ApprovalNeeded),
        (Type(ref="e1", text="50"), POST_FORM.model_copy(update={"submits": False, "input_type": "text"}), Permit),
        (GoBack(), facts(), Refusal),
    ],
)
def test_default_policy_judges_each_action_by_its_place(action: Action, place: Facts, kind: type) -> None:
    """Core actions inside the scope pass, writes ask, everything outside is refused."""
    assert isinstance(guard().judge(action, place), kind)


@pytest.mark.parametrize(
    "url",
    [
        "http://evil.test/",
        "https://127.0.0.1:4010/",
        "http://127.0.0.1:4011/",
        "http://127.1:4010/",
        "//evil.test/",
        "http://127.0.0.1:4010@evil.test/",
        "http:\\\\evil.test",
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "about:blank",
        "/\\evil.test",
        "http://127.0.0.1:4010\t.evil.test/",
        "view-source:http://127.0.0.1:4010/",
        "{{secret.password}}",
        "/?q={{secret.password}}",
    ],
)
def test_a_navigation_outside_the_scope_is_refused(url: str) -> None:
    """No spelling of a foreign place, a script or a secret is opened."""
    assert isinstance(guard().judge(Navigate(url=url), facts()), Refusal)


@pytest.mark.parametrize(
    ("url", "full"), [("/a/../b", f"{HOME}/b"), ("b", f"{HOME}/b"), ("?q=1", f"{HOME}/?q=1"), (f"{HOME}", f"{HOME}/")]
)
def test_a_permitted_navigation_carries_the_full_canonical_url(url: str, full: str) -> None:
    """What was judged is what is opened: nobody resolves the URL a second time."""
    verdict = guard().judge(Navigate(url=url), Facts(page_url="about:blank"))
    assert isinstance(verdict, Permit)
    assert verdict.action == Navigate(url=full)


def test_forbid_beats_approval_beats_permit() -> None:
    """The strongest matching line wins wherever it stands."""
    effects = ("permit", "require_approval", "forbid")
    permit, ask, forbid = (Rule(when=When(action="click"), effect=effect) for effect in effects)
    for risk, kind in (((permit,), Permit), ((permit, ask), ApprovalNeeded), ((forbid, ask, permit), Refusal)):
        assert isinstance(guard(strict(*risk)).judge(Click(ref="e1"), facts(name="x")), kind)


@pytest.mark.parametrize(
    "name", ["Transfer", "Tran\u200bsfer", "Ｔransfer", "  transfer now", "x" * 5000 + "transfer", "\u202etransfer"]
)
def test_a_name_rule_sees_through_disguises(name: str) -> None:
    """Invisible characters, compatibility letters and padding do not hide a name from a restricting rule."""
    policy = strict(Rule(when=When(action="click", role="button", name="(?i)transfer"), effect="require_approval"))
    verdict = guard(policy).judge(Click(ref="e1"), facts(role="button", name=name))
    assert isinstance(verdict, ApprovalNeeded)
    assert verdict.rule == "risk[0]"


@pytest.mark.parametrize(
    "path",
    ["/transfers", "/transfers/1", "/%74ransfers", "/TRANSFERS", "//transfers", "/a/..%2ftransfers", "/x/%252e%252e/transfers"],
)
def test_a_request_rule_reads_the_path_as_the_laxest_server_would(path: str) -> None:
    """No spelling that some server resolves to the guarded path goes by."""
    policy = strict(Rule(when=When(request=RequestMatch(method=("POST",), path="/transfers")), effect="require_approval"))
    ruling = guard(policy).judge_request(RequestFacts(method="post", url=HOME + path))
    assert (ruling.effect, ruling.rule) == ("require_approval", "risk[0]")


@pytest.mark.parametrize(
    ("method", "effect"), [("GET", "permit"), ("HEAD", "permit"), ("POST", "require_approval"), ("PURGE", "require_approval")]
)
def test_by_default_every_method_but_get_and_head_asks(method: str, effect: str) -> None:
    """Also methods that nobody thought of."""
    assert guard().judge_request(RequestFacts(method=method, url=f"{HOME}/x")).effect == effect


def test_a_frame_may_load_what_a_window_may_not_show() -> None:
    """`load` origins serve sub-resources only."""
    policy = Policy(scope=Scope(navigate=(HOME,), load=("https://cdn.test",)))
    asked = RequestFacts(method="GET", url="https://cdn.test/x.js")
    assert guard(policy).judge_request(asked).effect == "permit"
    assert guard(policy).judge_request(asked.model_copy(update={"navigation": True, "top": True})).effect == "forbid"


PASSWORD_FIELD = facts(input_type="password", form_password=True)


@pytest.mark.parametrize(
    ("action", "place", "kind"),
    [
        (Type(ref="e1", text="{{secret.password}}"), PASSWORD_FIELD, Permit),
        (Type(ref="e1", text="{{secret.password}}"), facts(input_type="text"), Refusal),
        (Type(ref="e1", text="{{secret.password}}"), facts(input_type="text", form_password=True), Refusal),
        (Type(ref="e1", text="{{secret.user}}"), facts(input_type="text"), Permit),
        (Type(ref="e1", text="{{secret.password}}"), PASSWORD_FIELD.model_copy(update={"frame_url": "about:srcdoc"}), Refusal),
        (Type(ref="e1", text="{{secret.other}}"), PASSWORD_FIELD, Refusal),
        (Select(ref="e1", options=("{{secret.password}}",)), facts(), Refusal),
        (Press(ref="e1", key="{{secret.password}}"), facts(), Refusal),
    ],
)
def test_a_secret_is_typed_only_where_it_belongs(action: Action, place: Facts, kind: type) -> None:
    """Right origin, no foreign frame, no field that shows it, no other kind of action."""
    assert isinstance(guard().judge(action, place), kind)


def test_a_secret_of_another_origin_is_refused_even_in_a_password_field() -> None:
    """Scope and binding are two things: a second listed origin does not get the first one's password."""
    policy = default_policy(HOME, SECRETS).model_copy(update={"scope": Scope(navigate=(HOME, "http://127.0.0.1:4999"))})
    place = Facts(page_url="http://127.0.0.1:4999/login", input_type="password")
    assert isinstance(guard(policy).judge(Type(ref="e1", text="{{secret.password}}"), place), Refusal)


@pytest.mark.parametrize(
    ("url", "ok"),
    [
        (f"{HOME}/x", True),
        ("about:blank", True),
        ("chrome-error://chromewebdata/", True),
        ("http://evil.test/", False),
        ("data:text/html,x", False),
        ("about:srcdoc", False),
    ],
)
def test_the_url_after_an_action_is_judged(url: str, ok: bool) -> None:
    """A page that the browser ended up on must be in the scope."""
    assert (guard().judge_url(url) is None) is ok


def test_grant_binds_the_approval_to_what_was_asked() -> None:
    """A person's yes is a permit for the same action and facts."""
    needed = guard().judge(Click(ref="e1"), POST_FORM)
    assert isinstance(needed, ApprovalNeeded)
    permit = guard().grant(needed, "a1")
    assert (permit.action, permit.facts, permit.approval_id) == (needed.action, needed.facts, "a1")


def test_explain_names_the_line_that_decides() -> None:
    """The dry run and the guard agree, and the summary says every risk line."""
    policy = strict(Rule(when=When(action="click", name="Pay"), effect="forbid"))
    assert explain(policy, url=f"{HOME}/", action="click", role="button", name="Pay").rule == "risk[0]"
    assert explain(policy, url=f"{HOME}/", action="click", role="button", name="Show").effect == "permit"
    assert explain(policy, url="http://evil.test/", action="click").rule == "scope.navigate"
    assert explain(policy, url=f"{HOME}/", action="hover").rule == "actions.allow"
    assert explain(default_policy(HOME), url=f"{HOME}/pay", method="POST").effect == "require_approval"
    assert any("risk[0]" in line for line in summary(policy))
