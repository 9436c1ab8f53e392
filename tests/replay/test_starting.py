"""Where a replay starts: the target is opened once, also when the first step only names the page that it led to."""

from pathlib import Path

from starlette.responses import RedirectResponse

from engine.browser.launch import Browser
from engine.domain.capability import CapabilityStep, Condition
from engine.guard.policy_file import default_policy
from tests.pages import Pages
from tests.replay.kit import ended, made, text


def going(url: str) -> CapabilityStep:
    """A first step that opens a page of the target."""
    path = url.partition("?")[0]
    return CapabilityStep(id="s1", action="navigate", value=url, expect=(Condition(kind="url", value=path),))


async def test_the_page_a_target_leads_to_is_loaded_once(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """The target redirects to the very page that the first step names."""
    pages["/"] = RedirectResponse("/login?next=%2F")
    pages["/login"] = "<h1>Welcome</h1>"
    result = await ended(browser, pages.url, tmp_path, made(going("/login?next=%2F"), checkpoint=text("Welcome")))
    assert result.ending == "ok", result
    assert [hit.path for hit in pages.hits if hit.path == "/login"] == ["/login"]


async def test_another_page_is_still_gone_to(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """Another query is another page."""
    pages["/"] = RedirectResponse("/login?next=%2F")
    pages["/login"] = "<h1>Welcome</h1>"
    result = await ended(browser, pages.url, tmp_path, made(going("/login?next=%2Fsearch"), checkpoint=text("Welcome")))
    assert result.ending == "ok", result
    assert [hit.path for hit in pages.hits if hit.path == "/login"] == ["/login", "/login"]


async def test_a_policy_without_navigate_is_still_asked(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """A step that the policy does not allow is refused, whether or not the page is there already."""
    pages["/"] = "<h1>Welcome</h1>"
    policy = default_policy(pages.url)
    policy = policy.model_copy(update={"actions": policy.actions.model_copy(update={"allow": ("click",)})})
    result = await ended(browser, pages.url, tmp_path, made(going("/")), policy=policy)
    assert result.ending == "policy", result


async def test_a_start_page_that_is_not_found_is_drift(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """An error page at the right address does not count as having arrived."""
    result = await ended(browser, pages.url, tmp_path, made(going("/")))
    assert result.ending == "drift", result
