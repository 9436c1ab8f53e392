import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import expect

from engine.domain.action import Click
from engine.domain.approval import Binding
from engine.domain.verdict import ApprovalNeeded, Facts
from engine.store.approvals import Asked, Now
from tests.web.recorded import Recorded
from tests.web.serving import Served, serve
from tests.web.visitors import Visitors

VIEWERS = 50


@pytest.fixture
def run(served: Served) -> Recorded:
    return Recorded(served.admin, "20260101-000000-aaaaaa")


def ask(served: Served, run_id: str, seconds: float = 300) -> Asked:
    """A risky step that waits."""
    facts = Facts(
        page_url="http://127.0.0.1:9/pay", role="button", name="Pay", form_action="/pay", form_method="post", submits=True
    )
    needed = ApprovalNeeded(
        action=Click(ref="e1"), facts=facts, rule="risk[0]", why="Click on button 'Pay' needs a person's approval by risk[0]."
    )
    binding = Binding(run_id=run_id, step=2, needed=needed, policy_digest="d" * 64)
    now = Now(time.time(), time.monotonic())
    return served.admin.approvals.ask(binding, channel="inbox", asked_by="run", seconds=seconds, now=now)


async def events(client: httpx.AsyncClient, path: str, **headers: str) -> AsyncIterator[tuple[str, str, str]]:
    """Kind, id and content of what a stream sends."""
    async with client.stream("GET", path, headers=headers) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        kind = number = ""
        async for line in response.aiter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "id":
                number = value
            elif name == "data":
                yield kind, number, json.loads(value)
                kind = number = ""


async def steps(client: httpx.AsyncClient, path: str, count: int, **headers: str) -> list[int]:
    """Numbers of the first so many steps."""
    found: list[int] = []
    async for kind, number, _content in events(client, path, **headers):
        if kind == "step":
            found.append(int(number))
        if len(found) == count:
            return found
    return found


async def test_a_stream_goes_on_where_it_broke_off(served: Served, run: Recorded) -> None:
    """After a reconnect with Last-Event-ID nothing is missing and nothing comes twice."""
    path = f"/admin/runs/{run.run_id}/events"
    for _ in range(3):
        run.step()
    async with served.signed_in("vera") as client:
        assert await steps(client, path, 2) == [1, 2]
        run.step()
        assert await steps(client, path, 2, **{"last-event-id": "2"}) == [3, 4]
        run.step()
        assert await steps(client, f"{path}?after=4", 1) == [5]
        run.end()
        kinds = [kind async for kind, _, _ in events(client, path, **{"last-event-id": "5"})]
        assert kinds[-1] == "end" and "step" not in kinds


async def test_a_stream_ends_with_the_session(served: Served, run: Recorded) -> None:
    """Signing out closes what is open."""
    async with served.signed_in("vera") as client:
        token = client.cookies[served.frame.cookie]

        async def read() -> None:
            async for kind, _, _ in events(client, f"/admin/runs/{run.run_id}/events"):
                if kind == "questions":
                    served.frame.sessions.end(token)

        await asyncio.wait_for(read(), 30)


async def test_an_open_page_follows_and_recovers(served: Served, visitors: Visitors, run: Recorded) -> None:
    """Steps are appended, a question appears and leaves, nothing that stands above moves, and the end is shown."""
    run.step()
    page = await visitors.page(served, "mona")
    await page.goto(f"{served.url}/admin/runs/{run.run_id}")
    turns = page.locator("#timeline > li")
    await expect(turns).to_have_count(1)
    places = "() => ['h1', '#timeline > li'].map((one) => document.querySelector(one).getBoundingClientRect().top + scrollY)"
    before = await page.evaluate(places)
    for number in range(2, 6):
        run.step()
        await expect(turns).to_have_count(number)
    assert await page.evaluate(places) == before
    await expect(turns.last).to_be_in_viewport()
    asked = ask(served, run.run_id)
    await expect(page.get_by_role("button", name="Approve this one step")).to_be_visible()
    await page.get_by_label("Comment").fill("I am writing")
    run.step()
    await expect(turns).to_have_count(6)
    assert await page.get_by_label("Comment").input_value() == "I am writing"
    served.admin.approvals.withdraw(asked.id, expired=True, now=time.time())
    await expect(page.get_by_role("button", name="Approve this one step")).to_have_count(0)
    run.end("That is all.")
    await expect(page.get_by_text("That is all.").first).to_be_visible()


async def test_an_open_page_outlives_the_server(tmp_path: Path, visitors: Visitors) -> None:
    """The server goes and comes back: the page signs nobody out, and shows what was written meanwhile, each step once."""
    async with serve(tmp_path) as served:
        run = Recorded(served.admin, "20260101-000000-aaaaaa")
        run.step()
        page = await visitors.page(served, "mona")
        await page.goto(f"{served.url}/admin/runs/{run.run_id}")
        turns = page.locator("#timeline > li")
        run.step()
        await expect(turns).to_have_count(2)
    run.step()
    async with serve(tmp_path, port=int(served.host.partition(":")[2])) as again:
        await expect(turns).to_have_count(3, timeout=30_000)
        run.step()
        await expect(turns).to_have_count(4)
        asked = ask(again, run.run_id)
        await page.get_by_role("button", name="Approve this one step").click()
        await expect(page.get_by_text("approved", exact=True)).to_be_visible()
        assert again.admin.approvals.one(asked.id).approver == "mona"
    visitors.complaints = [each for each in visitors.complaints if "ERR_" not in each]


async def test_the_inbox_follows(served: Served, visitors: Visitors, run: Recorded) -> None:
    """A question comes, the badge counts it, and an expired one leaves by itself."""
    page = await visitors.page(served, "mona")
    await page.goto(f"{served.url}/admin/inbox")
    await expect(page.get_by_text("Nothing waits for an answer.")).to_be_visible()
    asked = ask(served, run.run_id)
    await expect(page.get_by_role("heading", name="Step 2 waits for a person")).to_be_visible()
    await expect(page.get_by_text("POST", exact=True)).to_be_visible()
    served.admin.approvals.withdraw(asked.id, expired=True, now=time.time())
    await expect(page.get_by_text("Nothing waits for an answer.")).to_be_visible()


async def test_two_who_decide_at_once(served: Served, run: Recorded) -> None:
    """Of ten answers to one question one wins; the nine others get 409, the winner's name, and change nothing."""
    asked = ask(served, run.run_id)
    async with served.signed_in("mona") as mona, served.signed_in("max") as other:
        ways = ("approve", "deny")
        forms = [(one, served.form(one, {"answer": said, "comment": "c"})) for one in (mona, other) for said in ways]
        sent = [client.post(f"/admin/inbox/{asked.id}", data=form) for client, form in (forms * 3)[:10]]
        answers = await asyncio.gather(*sent)
        assert sorted(response.status_code for response in answers) == [303] + [409] * 9
        state = served.admin.approvals.one(asked.id)
        assert state.state in ("approved", "denied")
        assert all(state.approver in response.text for response in answers if response.status_code == 409)


async def test_expired_and_unknown_questions_cannot_be_answered(served: Served, run: Recorded) -> None:
    """409 with how it stands; 404 for what never was."""
    asked = ask(served, run.run_id, seconds=-1)
    async with served.signed_in("mona") as client:
        form = served.form(client, {"answer": "approve"})
        response = await client.post(f"/admin/inbox/{asked.id}", data=form)
        assert response.status_code == 409 and "expired" in response.text
        assert (await client.post("/admin/inbox/ap-000000000000", data=form)).status_code == 404


@pytest.mark.parametrize("seconds", [2, pytest.param(10, marks=pytest.mark.slow)])
async def test_fifty_viewers_hear_at_once_and_cost_the_run_nothing(served: Served, run: Recorded, seconds: int) -> None:
    """Of a step a second all fifty hear within a second, and they take less than a twentieth of the run's process."""
    alone = await _busy(run, seconds)
    token = served.frame.sessions.start("vera", local=False)
    path, cookie = f"/admin/runs/{run.run_id}/events?after={run.count}", f"{served.frame.cookie}={token}"
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.web.viewers", served.host, path, cookie, str(VIEWERS), stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    for _ in range(VIEWERS):
        assert (await program.stdout.readline()).startswith(b"questions")
    watched = await _busy(run, seconds)
    run.end()
    heard = [line.split() for line in (await program.stdout.read()).decode().splitlines()]
    await program.wait()
    late = sorted(float(at) - run.written[int(number)] for kind, number, at in heard if kind == "step")
    print(f"\nlast after {late[-1] * 1000:.0f} ms; alone {alone:.1%}, with {VIEWERS} viewers {watched:.1%} of a processor")
    assert len(late) == seconds * VIEWERS
    assert late[-1] < 1
    assert watched - alone < 0.05


async def _busy(run: Recorded, seconds: int) -> float:
    """The share of a processor that this process takes while a run writes a step a second."""
    before, began = time.process_time(), time.monotonic()
    for number in range(seconds):
        run.step()
        await asyncio.sleep(began + number + 1 - time.monotonic())
    return (time.process_time() - before) / (time.monotonic() - began)
