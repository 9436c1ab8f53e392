from pathlib import Path

import axe_playwright_python
import pytest
from playwright.async_api import Page

from engine.web.language import LANGUAGES
from tests.web.serving import Served
from tests.web.test_live import ask
from tests.web.visitors import Visitors

AXE = next(Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']"
FOUND = (
    "(found) => found.violations.map((each) => each.id + ': ' + each.nodes.map((node) => node.html.slice(0, 120)).join(' '))"
)
TIMES = [("en", "light"), ("en", "dark"), ("zh_TW", "light"), ("ja", "dark")]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


async def faults(page: Page) -> list[str]:
    """What axe finds, and whether anything stands out of the page's width."""
    await page.evaluate(AXE)
    rules = f"{{runOnly: {{type: 'tag', values: {RULES}}}}}"
    found: list[str] = await page.evaluate(f"axe.run(document, {rules}).then({FOUND})")
    if await page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("wider than the window")
    return found


def paths(served: Served, reading: str, moving: str) -> list[str]:
    """Every page in a state that shows all of it."""
    run = served.admin.runs.list(limit=1)[0].run_id
    ask(served, run)
    return [
        "/admin",
        "/admin/runs",
        f"/admin/runs/{run}",
        f"/admin/runs/{run}/transcript",
        f"/admin/runs/{run}/snapshots/0001",
        "/admin/inbox",
        "/admin/capabilities",
        f"/admin/capabilities/{reading}/1.0.0",
        f"/admin/capabilities/{moving}/1.0.0",
        "/admin/discover",
        "/admin/goals",
        "/admin/goals/new",
        "/admin/nowhere",
    ]


@pytest.mark.parametrize(("language", "theme"), TIMES)
async def test_every_page_is_for_everybody(
    stocked: tuple[Served, str, str], visitors: Visitors, language: str, theme: str
) -> None:
    """axe finds nothing at 1280 and 390 px, nothing is wider than the window, and the language is the page's own."""
    served, reading, moving = stocked
    options = {"color_scheme": theme, "locale": {"zh_TW": "zh-TW"}.get(language, language)}
    page, stranger = await visitors.page(served, "mona", **options), await visitors.page(served, **options)
    for path in paths(served, reading, moving):
        await page.set_viewport_size({"width": 1280, "height": 900})
        await page.goto(f"{served.url}{path}")
        assert await page.get_attribute("html", "lang") == {"zh_TW": "zh-Hant-TW"}.get(language, language)
        assert await faults(page) == [], path
        await page.set_viewport_size({"width": 390, "height": 844})
        assert await faults(page) == [], f"{path} at 390 px"
    await stranger.goto(f"{served.url}/admin/login")
    assert await faults(stranger) == []
    assert len(LANGUAGES) == 3


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


async def test_nothing_is_loaded_from_elsewhere(stocked: tuple[Served, str, str], visitors: Visitors) -> None:
    """Every request of every page goes to the server itself."""
    served, reading, moving = stocked
    page = await visitors.page(served, "mona")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in paths(served, reading, moving):
        await page.goto(f"{served.url}{path}")
    assert asked and all(url.startswith(served.url) for url in asked)
