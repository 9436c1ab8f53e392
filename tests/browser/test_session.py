import os
import signal
import tempfile
import time
from pathlib import Path

import psutil
import pytest
from starlette.responses import Response

from engine.browser.events import safe_name
from engine.browser.find import candidates
from engine.browser.launch import Browser, BrowserSettings, open_browser
from engine.browser.session import Session, SessionSettings, open_session
from engine.domain.secret import Secret, Secrets
from engine.errors import ActionFailed, BrowserError, BrowserMissing, StaleRef, TargetUnreachable
from engine.record.redact import Redactor
from tests.conftest import accept
from tests.pages import Pages
from tests.pixels import magenta


async def snapshot(session: Session) -> str:
    return await session.page.aria_snapshot(mode="ai")


def ref(snapshot: str, needle: str) -> str:
    line = next(line for line in snapshot.splitlines() if needle in line and "[ref=" in line)
    return line.split("[ref=")[1].split("]")[0]


async def test_opens_types_and_reads_back(session: Session, pages: Pages) -> None:
    """A field on a served page takes what is typed into it."""
    pages["/"] = "<label>Name <input></label>"
    await session.open(pages.url)
    name = session.element(ref(await snapshot(session), "Name"))
    await name.fill("Ada")
    assert await name.value() == "Ada"


async def test_says_what_covered_an_element(session: Session, pages: Pages) -> None:
    """A click that another element would receive fails with that element in the sentence."""
    pages["/"] = "<button>Pay</button><div style='position:fixed;inset:0;background:#fff8' id=veil></div>"
    await session.open(pages.url)
    with pytest.raises(ActionFailed, match="intercepts pointer events"):
        await session.element(ref(await snapshot(session), "Pay")).click()


async def test_a_ref_that_is_gone_is_stale_at_once(session: Session, pages: Pages) -> None:
    """Facts of an element that left the page end in two seconds, not in the action's whole deadline."""
    pages["/"] = "<button onclick='this.remove()'>Go</button>"
    await session.open(pages.url)
    button = session.element(ref(await snapshot(session), "Go"))
    await button.click()
    start = time.monotonic()
    with pytest.raises(StaleRef):
        await button.facts()
    assert time.monotonic() - start < 4


async def test_follows_a_new_tab_and_comes_back(session: Session, pages: Pages) -> None:
    """A popup becomes the current page; when it closes, its opener is current again."""
    pages["/"] = "<a href=/next target=_blank>Open</a>"
    pages["/next"] = "<h1>Next</h1><button onclick='window.close()'>Close</button>"
    await session.open(pages.url)
    await session.page.get_by_role("link").click()
    await session.settle()
    assert session.url == pages.url + "/next"
    assert (await session.drain()).new_tab
    async with session.page.expect_event("close"):
        await session.page.get_by_role("button").click()
    assert session.url == pages.url + "/"


async def test_settles_on_late_content_but_never_longer_than_its_bound(session: Session, pages: Pages) -> None:
    """A fetched text is there after settling; a page that never rests costs the bound and no more."""
    pages["/"] = (
        "<p>…</p><script>fetch('/late').then(r => r.text()).then(t => document.querySelector('p').textContent = t)</script>"
    )
    pages["/late"] = "arrived"
    pages.delay["/late"] = 0.4
    await session.open(pages.url)
    assert "arrived" in await snapshot(session)
    pages["/busy"] = "<p>Working</p><script>fetch('/never')</script>"
    pages["/never"] = "late"
    pages.delay["/never"] = 60
    await session.page.goto(pages.url + "/busy")
    start = time.monotonic()
    assert not await session.settle(1.0)
    assert 0.9 < time.monotonic() - start < 2.5


async def test_keeps_downloads_under_a_name_of_ours(session: Session, pages: Pages, tmp_path: Path) -> None:
    """The site's file name cannot leave the downloads folder; content and hash are kept."""
    hostile = {"content-disposition": 'attachment; filename="..%2F..%2Fetc.csv"'}
    pages["/file"] = Response("a,b\n", headers=hostile, media_type="text/csv")
    pages["/"] = "<a href=/file>Statement</a>"
    await session.open(pages.url)
    await session.page.get_by_role("link").click()
    await session.settle()
    (kept,) = (await session.drain()).downloads
    assert kept.size == 4
    assert [path.name for path in (tmp_path / "downloads").iterdir()] == [kept.path.split("/")[1]]


@pytest.mark.parametrize("name", ["../../x", "a/b.csv", "C:\\temp\\x.csv", ".bashrc", "", "x\u0000y", "x" * 500])
def test_names_that_sites_choose_are_made_safe(name: str) -> None:
    """No folder, no hidden file, no control character, no overlong name survives."""
    safe = safe_name(name, 1)
    assert "/" not in safe and "\\" not in safe and "\x00" not in safe and safe.startswith("01-") and len(safe) < 100


async def test_says_which_writes_the_page_sent(session: Session, pages: Pages) -> None:
    """A POST by script is part of what happened, with its status."""
    pages["/"] = "<button onclick=\"fetch('/do', {method: 'POST', body: 'x'})\">Go</button>"
    pages["/do"] = Response("no", status_code=500)
    await session.open(pages.url)
    await session.page.get_by_role("button").click()
    await session.settle()
    (write,) = (await session.drain()).requests
    assert (write.method, write.url, write.status) == ("POST", pages.url + "/do", 500)


async def test_a_target_that_is_down_is_named(session: Session) -> None:
    """Nobody listens there: the sentence has the URL and the browser's reason."""
    with pytest.raises(TargetUnreachable, match=r"http://127\.0\.0\.1:9/.*ERR_"):
        await session.open("http://127.0.0.1:9/")


async def test_screenshots_cover_password_fields(session: Session, pages: Pages) -> None:
    """The same password page looks alike whatever is typed in it."""
    pages["/"] = "<input type=password value='x' aria-label=p><style>*{caret-color:transparent}</style>"
    await session.open(pages.url)
    before = await session.screenshot()
    await session.page.get_by_label("p").fill("a much longer secret")
    await session.page.evaluate("document.activeElement.blur()")
    assert await session.screenshot() == before


async def test_leaves_no_process_even_when_the_renderer_is_stopped(tmp_path: Path, pages: Pages) -> None:
    """A stopped renderer hangs Playwright; our deadlines end the run and the process tree all the same."""
    pages["/"] = "<h1>Here</h1>"
    start = time.monotonic()
    with pytest.raises(BrowserError):
        async with open_browser(BrowserSettings()) as browser:
            processes = browser.processes()
            async with open_session(browser, SessionSettings(tmp_path, accept)) as session:
                await session.open(pages.url)
                processes = browser.processes()
                for process in processes:
                    if "--type=renderer" in process.cmdline():
                        os.kill(process.pid, signal.SIGSTOP)
                raise BrowserError("the run gives up")
    assert time.monotonic() - start < 20
    gone, alive = psutil.wait_procs(processes, timeout=5)
    assert gone and not alive


async def test_a_crashed_renderer_is_a_browser_error(browser: Browser, tmp_path: Path) -> None:
    """chrome://crash kills the renderer; the run hears it instead of hanging."""
    async with open_session(browser, SessionSettings(tmp_path, accept)) as session:
        with pytest.raises(BrowserError):
            await session.open("chrome://crash")
            await session.settle()


async def test_an_explicit_browser_that_is_missing_is_said() -> None:
    """A typo in the setting never starts another browser."""
    with pytest.raises(BrowserMissing, match="/nowhere/chrome does not exist"):
        async with open_browser(BrowserSettings(executable="/nowhere/chrome")):
            pass


def test_browsers_are_tried_in_a_fixed_order(tmp_path: Path) -> None:
    """Playwright's own first, then channels, then what PATH holds."""
    chromium = tmp_path / "chromium"
    chromium.write_text("")
    chromium.chmod(0o755)
    found = candidates(None, {"PATH": str(tmp_path)})
    assert [(one.source, one.channel) for one in found] == [
        ("Playwright's own", None),
        ("channel chrome", "chrome"),
        ("channel msedge", "msedge"),
        ("PATH", None),
    ]
    assert candidates("/x", {"PATH": ""}) == candidates(None, {"PATH": "", "CAPWRIGHT_BROWSER": "/x"})


async def test_a_browser_leaves_no_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even of the browsers that were looked for and are not here."""
    with tempfile.TemporaryDirectory(prefix="cw-") as folder:  # short: Chromium puts a socket in it
        monkeypatch.setenv("TMPDIR", folder)
        async with open_browser(BrowserSettings()) as running:
            assert running.playwright.is_connected() and list(Path(folder).iterdir())
        assert list(Path(folder).iterdir()) == []


async def test_contexts_share_nothing(browser: Browser, tmp_path: Path, pages: Pages) -> None:
    """Cookies and storage of one session are not seen by the next."""
    pages["/"] = "<h1>x</h1>"
    async with open_session(browser, SessionSettings(tmp_path, accept)) as first:
        await first.open(pages.url)
        await first.page.evaluate("document.cookie = 'a=1'; localStorage.setItem('a', 1)")
    async with open_session(browser, SessionSettings(tmp_path, accept)) as second:
        await second.open(pages.url)
        assert await second.page.evaluate("document.cookie + localStorage.length") == "0"


SECRET = "Zq7!kappa>>9"
SHOWS = {
    "text": "<p>Your password is Zq7!kappa&gt;&gt;9.</p>",
    "split over elements": "<p><b>Zq7</b><i>!kap</i>pa&gt;&gt;9</p>",
    "letter by letter": "".join(f"<span>{each.replace('>', '&gt;')}</span>" for each in SECRET),
    "outside its box": "<p style='width:9px;white-space:nowrap'>Zq7!kappa&gt;&gt;9</p>",
    "in capitals": "<p style='text-transform:uppercase'>zQ7!KAPPA&gt;&gt;9</p>",
    "shadow": "<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<p>Zq7!kappa&gt;&gt;9</p>'</script>",
    "slotted": "<div id=h>Zq7!kappa&gt;&gt;9</div><script>h.attachShadow({mode: 'open'}).innerHTML = '<slot></slot>'</script>",
    "frame": '<iframe srcdoc="<style>*{color:#f0f;font-size:30px}</style><p>Zq7!kappa&gt;&gt;9</p>"></iframe>',
    "clear field": "<input size=40 value='Zq7!kappa>>9'>",
    "hint of a field": "<style>::placeholder{color:#f0f;opacity:1}</style><input size=40 placeholder='Zq7!kappa>>9'>",
    "option": "<select><option>Zq7!kappa&gt;&gt;9</select>",
    "button": "<input type=button value='Zq7!kappa>>9'>",
    "invisible characters": "<p>Zq7!&shy;kap&#8203;pa&gt;&gt;9</p>",
}


async def test_no_pixel_of_an_echoed_secret_is_in_a_screenshot(browser: Browser, pages: Pages, tmp_path: Path) -> None:
    """Magenta text would be seen, and is where nobody hides it; with the secret known not one dot of it is left."""
    style = "<!doctype html><style>body, input, select, p {color: #f0f; font: 30px monospace} i, b {font: inherit}</style>"
    dots: dict[str, list[int]] = {way: [] for way in SHOWS}
    for known in (False, True):
        redactor = Redactor(Secrets((Secret("p", SECRET),) if known else ()))
        async with open_session(browser, SessionSettings(tmp_path, accept, secrets_in=redactor.pieces)) as session:
            for way, html in SHOWS.items():
                pages["/"] = style + html + "<p style='color:#080'>The rest stays.</p>"
                await session.page.goto(pages.url)
                dots[way].append(await magenta(session.page, await session.screenshot()))
    assert {way for way, (shown, _) in dots.items() if shown < 100} == set()
    assert {way for way, (_, hidden) in dots.items() if hidden} == set()


async def test_a_window_without_a_screen_is_said() -> None:
    """Where there is no display, a headed browser is refused with that reason and not with what it printed as it died."""
    with pytest.raises(BrowserMissing, match="needs a screen"):
        async with open_browser(BrowserSettings(headed=True, environment={"PATH": os.environ["PATH"]})):
            pass
