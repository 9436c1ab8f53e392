"""Dying and failing at every persisted write of a run that has an effect: a legal state, no effect twice, doubt said."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from engine.assembly.checks import effects
from engine.assembly.homes import approval_store, effect_store, run_store
from engine.errors import IllegalTransition
from engine.record.verify import verify
from engine.settings import Settings
from tests.journeys.command import KEYS, Command
from tests.llm.endpoint import ScriptedEndpoint, completion
from tests.pages import Pages
from tests.waiting import until

CLICK = completion({"reason": "go on", "action": {"action": "click", "ref": "e3"}})
STUCK = completion({"reason": "no more", "action": {"action": "stuck", "problem": "It is sent, and there is no more to do."}})
SECONDS = 60


def left(home: Path) -> list[psutil.Process]:
    """Processes of a home that still run."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            if process.environ().get("CAPWRIGHT_HOME") == str(home) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


@dataclass
class Victim:
    """One home, one site, one model, and a person who approves whatever waits."""

    home: Path
    pages: Pages
    model: ScriptedEndpoint

    @property
    def settings(self) -> Settings:
        return Settings(home=self.home, environment={"PATH": "/usr/bin:/bin"})

    async def run(self, how: str, which: str) -> tuple[int, list[str]]:
        """A discovery that is struck at one point; its exit code and the points that it had reached."""
        self.model.script = [CLICK, STUCK]
        self.model.requests.clear()
        self.pages.hits.clear()
        log = self.home / "points"
        environment = {name: value for name, value in os.environ.items() if name not in KEYS}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.faults.victim", str(log), how, which, "--goal", "Send it", "--target", self.pages.url,
            "--base-url", self.model.url, "--model", "scripted", "--screenshots", "never", "--approve", "inbox", "--json",
            env={**environment, "CAPWRIGHT_HOME": str(self.home)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        approving = asyncio.ensure_future(self._approve())
        try:
            code = await asyncio.wait_for(process.wait(), SECONDS)
        finally:
            approving.cancel()
            if process.returncode is None:
                process.kill()
        return code, log.read_text().splitlines() if log.exists() else []

    async def _approve(self) -> None:
        store = approval_store(self.settings)
        while True:
            for one in store.pending(time.time()):
                with suppress(IllegalTransition):
                    store.decide(one.id, approve=True, by="ann", process="test", now=time.time())
            await asyncio.sleep(0.1)

    async def legal(self) -> str:
        """What is wrong after the next start, or an empty string."""
        sent = len(self.pages.writes("/do"))
        if not await until(lambda: not left(self.home), 5):
            return f"still running: {left(self.home)}"
        rows = run_store(self.settings).list()
        ledger = effect_store(self.settings)
        states = [effect.state for row in rows for effect in ledger.of_run(row.run_id)]
        for row in rows:
            problem = verify(Path(row.evidence), row.manifest_head, finished=row.ended_at is not None).problem
            if problem or row.status == "running":
                return f"{row.status}: {problem}"
        if sent > 1 or (sent and states not in (["done"], ["in_doubt"])) or (not sent and "done" in states):
            return f"{sent} sent, effects {states}"
        return "left intended" if "intended" in states else ""


@pytest.fixture
async def victim(pages: Pages, tmp_path: Path) -> AsyncIterator[Victim]:
    pages["/"] = "<form method=post action=/do><button>Send</button></form>"
    pages["/do"] = "<h1>Sent</h1>"
    async with ScriptedEndpoint(CLICK, STUCK) as model:
        (tmp_path / "home").mkdir()
        yield Victim(tmp_path / "home", pages, model)


async def test_a_run_that_dies_in_a_commit_leaves_it_in_doubt(victim: Victim) -> None:
    """Killed after the server got it and before that was written: every door says so, and another start sends nothing."""
    code, _ = await victim.run("kill", "EffectStore.end before")
    assert code == -9 and len(victim.pages.writes("/do")) == 1
    assert await victim.legal() == ""
    (row,) = run_store(victim.settings).list()
    shown = (await Command(victim.home)("runs", "show", row.run_id)).json
    assert shown["status"] == "interrupted" and f"step 1 of run {row.run_id}" in shown["in_doubt"][0]
    assert (await effects(victim.settings)).startswith("1 in doubt. It is not known whether step 1")
    assert len(victim.pages.writes("/do")) == 1


async def struck(victim: Victim, how: str, folder: Path) -> dict[str, str]:
    """Strike at one point after the other until a run comes through; point → what was wrong after it."""
    wrong: dict[str, str] = {}
    for number in range(1, 200):
        victim.home = folder / f"{how}-{number}"
        victim.home.mkdir()
        code, points = await victim.run(how, str(number))
        if len(points) < number:
            break
        problem = await victim.legal()
        if problem or (how == "kill") is not (code == -9):
            wrong[f"{number}: {points[number - 1]}"] = problem or f"exit {code}"
    assert number > 20
    return wrong


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("how", ["kill", "fail"])
async def test_every_persisted_write(how: str, victim: Victim, tmp_path: Path) -> None:
    """`kill -9` before and after each write, and each write refused by a full disk."""
    assert await struck(victim, how, tmp_path) == {}


@pytest.mark.slow
async def test_nothing_is_sent_when_what_is_intended_cannot_be_written(victim: Victim) -> None:
    """The disk is full when a person is asked, or when the yes is used up: the server sees nothing."""
    for which in ("ApprovalStore.consume before", "ApprovalStore.ask before"):
        code, _ = await victim.run("fail", which)
        assert code not in (0, -9) and victim.pages.writes("/do") == []
        assert await victim.legal() == ""


def test_the_points_are_the_stores_own_methods() -> None:
    """A method that is renamed is noticed here, not by a loop that strikes at nothing."""
    from tests.faults.victim import POINTS

    assert all(callable(getattr(owner, method)) for owner, methods in POINTS for method in methods)
