import shutil
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.async_api import Page

from engine.web.language import LANGUAGES, TAGS
from tests.web.gallery import gallery
from tests.web.recorded import Recorded
from tests.web.serving import Served
from tests.web.test_edit import draft
from tests.web.test_live import ask
from tests.web.visitors import Visitors

AXE = next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
FOUND = (
    "(found) => found.violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.html.slice(0, 120)).join(' '))"
)
THEMES = ("light", "dark")
LOCALES = {"en": "en", "zh_TW": "zh-TW", "ja": "ja"}


async def faults(page: Page) -> list[str]:
    """What axe finds, and whether anything stands out of the page's width."""
    await page.evaluate(AXE)
    rules = f"{{runOnly: {{type: 'tag', values: {RULES}}}}}"
    found: list[str] = await page.evaluate(f"axe.run(document, {rules}).then({FOUND})")
    if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("wider than the window")
    return found


async def looked_at(page: Page, where: str) -> None:
    """Nothing is wrong at 1280 and at 390 px."""
    for width, height in ((1280, 900), (390, 844)):
        await page.set_viewport_size({"width": width, "height": height})
        assert await faults(page) == [], f"{where} at {width} px"


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_page_in_every_state_is_for_everybody(
    sample: tuple[Path, str, str], tmp_path: Path, visitors: Visitors, language: str, theme: Any
) -> None:
    """axe finds nothing, nothing is wider than the window, and the language is the page's own."""
    shutil.copytree(sample[0], tmp_path / "home")
    async with gallery(tmp_path / "home", *sample[1:]) as shown:
        served = shown.home.served
        page = await visitors.page(served, "mona", color_scheme=theme, locale=LOCALES[language])
        for name, path in shown.paths.items():
            await page.goto(f"{served.url}{path}")
            assert await page.get_attribute("html", "lang") == TAGS[language]
            await looked_at(page, name)
        stranger = await visitors.page(served, color_scheme=theme, locale=LOCALES[language])
        await _states(served, page, stranger, f"{served.url}{shown.paths['review-draft']}")


async def _go(page: Page, button: str) -> None:
    """Press it, and wait until the page that comes is whole, with its colours."""
    async with page.expect_navigation(wait_until="load"):
        await page.locator(button).first.click()


async def _states(served: Served, page: Page, stranger: Page, review: str) -> None:
    """Forms that were refused, and a question that somebody else has answered."""
    await stranger.goto(f"{served.url}/admin/login")
    await looked_at(stranger, "login")
    await stranger.locator("[name=name]").fill("nobody")
    await stranger.locator("[name=password]").fill("wrong")
    await _go(stranger, "button.primary")
    await looked_at(stranger, "login refused")
    await page.goto(f"{served.url}/admin/discover")
    for field, text in (("goal", "g"), ("target", "http://127.0.0.1:9"), ("secrets", "pin")):
        await page.locator(f"[name={field}]").fill(text)
    await _go(page, "button.primary")
    await looked_at(page, "discover refused")
    await page.goto(review)
    await page.locator("section[aria-labelledby=edit] summary").click()
    await page.locator("[name=inputs-memberNumber-name]").fill("user")
    await _go(page, "section[aria-labelledby=edit] button")
    await looked_at(page, "edit refused")
    await page.goto(f"{served.url}/admin/inbox")
    await page.route("**/inbox/list*", lambda route: route.abort())
    served.admin.decide(served.admin.approvals.pending(0)[0].id, approve=True, by="max", comment="Faster.")
    await _go(page, "button.danger")
    await looked_at(page, "decided")


@pytest.mark.parametrize(("language", "theme"), [("zh_TW", "dark"), ("ja", "light")])
async def test_first_pages_are_for_everybody(served: Served, visitors: Visitors, language: str, theme: Any) -> None:
    """A slice of the whole: the first page of a fresh home, forms, a live run with a question, a draft."""
    run = Recorded(served.admin, "20260101-000000-aaaaaa")
    page = await visitors.page(served, "mona", color_scheme=theme, locale=LOCALES[language])
    await page.goto(f"{served.url}/admin/goals/new")
    await looked_at(page, "goals/new")
    run.step("Pay")
    ask(served, run.run_id)
    served.admin.reviewing.store.keep(draft())
    for path in (f"/admin/runs/{run.run_id}", "/admin/inbox", "/admin/capabilities/one/1.0.0"):
        await page.goto(f"{served.url}{path}")
        assert await page.get_attribute("html", "lang") == TAGS[language]
        await looked_at(page, path)


@pytest.mark.slow
async def test_times_are_in_the_viewers_zone(stocked: tuple[Served, str, str], visitors: Visitors) -> None:
    """The server says UTC, the page says what the viewer's clock says."""
    served, _, _ = stocked
    row = served.admin.runs.list(limit=1)[0]
    page = await visitors.page(served, "mona", timezone_id="Asia/Taipei")
    await page.goto(f"{served.url}/admin/runs")
    shown = page.locator("td.when time").first
    assert await shown.get_attribute("title") == f"{row.started_at:%Y-%m-%d %H:%M} UTC"
    hour = (row.started_at.hour + 8) % 24 % 12 or 12
    assert f", {hour}:{row.started_at:%M}" in await shown.inner_text()


@pytest.mark.slow
async def test_nothing_is_loaded_from_elsewhere(sample: tuple[Path, str, str], tmp_path: Path, visitors: Visitors) -> None:
    """Every request of every page goes to the server itself."""
    shutil.copytree(sample[0], tmp_path / "home")
    async with gallery(tmp_path / "home", *sample[1:]) as shown:
        page = await visitors.page(shown.home.served, "mona")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        for path in shown.paths.values():
            await page.goto(f"{shown.home.served.url}{path}")
        assert asked and all(url.startswith(shown.home.served.url) for url in asked)
