import os
import subprocess
import sys
from pathlib import Path

from playwright.async_api import expect

from engine.assembly.admin import admin_of
from engine.settings import Settings
from engine.web.serving import listening
from tests.web.recorded import Recorded
from tests.web.visitors import Visitors


def begun(home: Path, port: int) -> tuple[subprocess.Popen[str], str]:
    """`discover serve` as people start it, and the link that it prints."""
    environment = {"PATH": os.environ["PATH"], "CAPWRIGHT_HOME": str(home), "HOME": str(home)}
    command = [sys.executable, "-m", "engine.cli", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    line = next(line for line in process.stderr if "link=" in line)
    return process, line.rpartition(" ")[2].strip()


def gone(process: subprocess.Popen[str]) -> None:
    """Without a word."""
    process.kill()
    process.communicate()


async def test_a_killed_server_loses_nothing_and_open_pages_come_back(tmp_path: Path, visitors: Visitors) -> None:
    """Killed without a word, twice: who was signed in still is, what was shown still stands, and what came since is shown."""
    with listening(0) as free:
        port = free.getsockname()[1]
    process, link = begun(tmp_path, port)
    try:
        run = Recorded(admin_of(Settings(home=tmp_path, environment={})), "20260101-000000-aaaaaa")
        run.step("first")
        page = await visitors.open()
        await page.goto(link)
        await page.get_by_role("button", name="Sign in").click()
        await page.goto(f"http://127.0.0.1:{port}/admin/runs/{run.run_id}")
        turns = page.locator("#timeline > li")
        await expect(turns).to_have_count(1)
        await page.evaluate("window.stood = true")
        for count in (2, 3):
            gone(process)
            run.step("while it was down")
            process, _ = begun(tmp_path, port)
            await expect(turns).to_have_count(count, timeout=30_000)
        assert await page.evaluate("window.stood"), "the page itself stood all the time"
        await page.reload()
        await expect(turns).to_have_count(3)
        run.end("That is all.")
        await expect(page.get_by_text("That is all.").first).to_be_visible(timeout=30_000)
    finally:
        gone(process)
    visitors.complaints = [each for each in visitors.complaints if "ERR_" not in each]
