import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole
from tests.web.serving import Served, serve
from tests.web.visitors import Visitors

SECRETS = {"CAPWRIGHT_SECRET_USER": DEMO_USER, "CAPWRIGHT_SECRET_PASSWORD": DEMO_PASSWORD}
TRANSFER = "Log in and transfer 25.00 from savings to checking for member 100231"
READ = "Log in to the teller console and read member 100231's savings and checking balances"

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture
async def console() -> AsyncIterator[TellerConsole]:
    async with TellerConsole() as running:
        yield running


@pytest.fixture
async def busy(tmp_path: Path) -> AsyncIterator[Served]:
    """A home whose server knows the console's secrets."""
    async with serve(tmp_path, environment=SECRETS) as running:
        yield running


async def start(page: Page, served: Served, goal: str, target: str) -> None:
    await page.goto(f"{served.url}/admin/discover")
    await page.get_by_role("textbox", name="Goal", exact=True).fill(goal)
    await page.get_by_role("textbox", name="Target", exact=True).fill(target)
    await page.get_by_role("textbox", name="Model", exact=True).fill("embedded")
    await page.get_by_role("textbox", name="Secrets", exact=True).fill("user, password")
    await page.get_by_role("button", name="Start").click()
    await page.wait_for_url(re.compile(r"/admin/runs/\d{8}"))


async def test_a_risky_step_is_approved_once_by_somebody_else(busy: Served, visitors: Visitors, console: TellerConsole) -> None:
    """Two managers answer at once: one wins, the other is told who did, and the bank moves money once."""
    rick, mona, late = [await visitors.page(busy, name) for name in ("rick", "mona", "max")]
    await start(rick, busy, TRANSFER, console.url)
    await mona.goto(f"{busy.url}/admin/inbox")
    await late.goto(f"{busy.url}/admin/inbox")
    for page in (mona, late):
        await expect(page.get_by_role("heading", name=re.compile("Step \\d+ waits"))).to_be_visible(timeout=90_000)
    await expect(rick.get_by_role("heading", name=re.compile("Step \\d+ waits"))).to_be_visible()
    await expect(rick.get_by_role("button", name="Approve")).to_have_count(0)
    assert await rick.locator("#timeline > li").count() >= 8
    await expect(mona.get_by_text("/transfer").first).to_be_visible()
    await late.route("**/inbox/list*", lambda route: route.abort())  # a page that has not heard yet
    await mona.get_by_role("textbox", name="Comment").fill("seen and fine")
    await mona.get_by_role("button", name="Approve this one step").click()
    await late.get_by_role("button", name="Deny").click()
    await expect(late.get_by_role("heading", name="Somebody was faster")).to_be_visible()
    await expect(late.get_by_text("by mona")).to_be_visible()
    await expect(mona.get_by_text("Nothing waits for an answer.")).to_be_visible()
    await expect(rick.get_by_role("link", name="Review the draft")).to_be_visible(timeout=90_000)
    moved = [each for each in console.operations() if each.kind == "transfer"]
    assert [Decimal(each.parameter("amount") or "0") for each in moved] == [Decimal("25.00")]
    await expect(rick.get_by_text("seen and fine")).to_be_visible()


async def test_a_draft_is_edited_tried_approved_and_replayed(
    busy: Served, visitors: Visitors, console: TellerConsole, tmp_path: Path
) -> None:
    """Draft, edit, test replay for another member, approval by a manager, and the command line runs it without a model."""
    rick, mona = await visitors.page(busy, "rick"), await visitors.page(busy, "mona")
    await start(rick, busy, READ, console.url)
    await rick.get_by_role("link", name="Review the draft").click(timeout=120_000)
    await expect(rick.get_by_role("heading", name="Nothing stands out")).to_be_visible()
    await expect(rick.get_by_role("button", name="Approve")).to_have_count(0)
    await rick.get_by_text("Change words, names, types").press("Enter")
    await rick.get_by_role("textbox", name="Title", exact=True).fill("Read two balances")
    await rick.get_by_role("group", name="Input memberNumber").get_by_label("Name").fill("member")
    await rick.get_by_role("button", name="Make a new draft").press("Enter")
    await rick.wait_for_url(re.compile(r"/2\.0\.0$"))
    await rick.get_by_role("textbox", name="Member number").fill("100245")
    await rick.get_by_role("button", name="Replay it now").click()
    await expect(rick.locator("#tried").get_by_text("ok", exact=True)).to_be_visible(timeout=60_000)
    balance = next(each.balance for each in console.records.accounts("100245") if each.type.lower() == "savings")
    await expect(rick.locator("#tried").get_by_text(f"{balance}")).to_be_visible()
    await mona.goto(rick.url.removesuffix("/try#tried").removesuffix("/try"))
    await expect(mona.get_by_role("heading", name="Changes from")).to_be_visible()
    await mona.get_by_role("textbox", name="Comment").fill("two minutes were enough")
    await mona.get_by_role("button", name="Approve").click()
    await expect(mona.get_by_text("“two minutes were enough”").first).to_be_visible()
    name = mona.url.split("/")[-2]
    keys = {key: value for key, value in os.environ.items() if not key.startswith(("CAPWRIGHT_", "OPEN"))}
    environment = {**keys, **SECRETS, "CAPWRIGHT_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "engine.cli", "replay", name, "--input", "member=100231", "--json"]
    process = await asyncio.create_subprocess_exec(
        *command, "--secret", "user", "--secret", "password", env=environment, stdout=subprocess.PIPE
    )
    answer = json.loads((await process.communicate())[0])
    assert answer["ending"] == "ok" and answer["version"] == "2.0.0", answer


async def test_a_discovery_is_cancelled_and_keeps_its_evidence(
    busy: Served, visitors: Visitors, console: TellerConsole
) -> None:
    """Cancel ends the run as interrupted, and what was seen stays readable and whole."""
    rick = await visitors.page(busy, "rick")
    await start(rick, busy, TRANSFER, console.url)
    await expect(rick.locator("#timeline > li").first).to_be_visible(timeout=60_000)
    await rick.get_by_role("button", name="Cancel the run").click()
    await expect(rick.get_by_text("interrupted", exact=True)).to_be_visible(timeout=30_000)
    await expect(rick.get_by_text("intact", exact=True)).to_be_visible()
    assert not [each for each in console.operations() if each.kind == "transfer"]


async def test_what_does_not_fit_is_said_above_the_form(busy: Served, visitors: Visitors) -> None:
    """A secret without a value, and nothing that was written is lost."""
    rick = await visitors.page(busy, "rick")
    await rick.goto(f"{busy.url}/admin/discover")
    await rick.get_by_role("textbox", name="Goal", exact=True).fill("Read something")
    await rick.get_by_role("textbox", name="Target", exact=True).fill("http://127.0.0.1:9/")
    await rick.get_by_role("textbox", name="Secrets", exact=True).fill("pin")
    await rick.get_by_role("button", name="Start").click()
    await expect(rick.get_by_role("alert")).to_contain_text("no value for the secrets pin")
    assert await rick.get_by_role("textbox", name="Goal", exact=True).input_value() == "Read something"
