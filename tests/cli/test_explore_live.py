"""`discover explore` on a terminal, paused and resumed by `discover runs` from another one."""

import asyncio
import os
import re
from pathlib import Path

from tests.cli.conftest import Home
from tests.explore.browsing import Model, claims, gives_up, prepare, reads
from tests.llm.endpoint import ScriptedEndpoint
from tests.pages import Pages
from tests.waiting import until

PRICE = '[prices."scripted"]\ninput = 0.3\noutput = 2.5\n'
ASKED = (
    "explore",
    "--goal",
    "Read the balance",
    "--target",
    "page",
    "--evaluator",
    "cases",
    "--model",
    "scripted",
    "--branches",
)


class Terminal:
    """A command on a terminal of its own; `text` is all that was ever painted, without what moves the cursor."""

    def __init__(self) -> None:
        self.master, self.slave = os.openpty()
        self.painted = b""
        asyncio.get_running_loop().add_reader(self.master, self._read)

    def _read(self) -> None:
        try:
            self.painted += os.read(self.master, 65_536)
        except OSError:  # the other side is gone
            asyncio.get_running_loop().remove_reader(self.master)

    @property
    def text(self) -> str:
        """What a person has seen so far."""
        return re.sub(r"\x1b\[[0-?]*[ -/]*[@-~]", "", self.painted.decode(errors="replace"))

    async def sees(self, pattern: str) -> re.Match[str]:
        """Wait for it to be painted."""
        assert await until(lambda: re.search(pattern, self.text), 90), self.text[-3000:]
        found = re.search(pattern, self.text)
        assert found is not None
        return found

    def close(self) -> None:
        """Give the terminal back."""
        asyncio.get_running_loop().remove_reader(self.master)
        os.close(self.master)


async def test_the_tree_is_live_and_a_pause_holds_it(home: Home, pages: Pages) -> None:
    """Scores, cost by source, calls and time left as they change; paused nothing begins; the draft is kept at the end."""
    prepare(home.home, pages, PRICE)
    model, terminal = Model([reads, claims], [gives_up]), Terminal()
    model.free.clear()
    async with ScriptedEndpoint(model) as endpoint:
        home.environment |= {"CAPWRIGHT_BASE_URL": endpoint.url, "COLUMNS": "200", "TERM": "xterm"}
        process = await home.start(*ASKED, "2", "--refinements", "0", "--max-calls", "5", terminal=terminal.slave)
        try:
            run_id = (await terminal.sees(r"\b(run-\w+)"))[1]
            await terminal.sees(r"r1-b0-a0  running")
            await terminal.sees(r"\$0\.2000 pending of \$1\.0000; 1 of 5 calls, .* covers 2 of 2 cells; \d+ s, 3\d\d\d s left")
            assert (await home("runs", "pause", run_id)).json == {"run_id": run_id, "status": "exploring"}
            model.free.set()
            await terminal.sees(r"r1-b0-a0  valid  1")
            await terminal.sees(rf"{run_id}  paused")
            await terminal.sees(r"\$0\.0011 estimated of \$1\.0000; 1 of 5 calls, 2 model requests")
            assert len(endpoint.requests) == 2
            assert (await home("runs", "resume", run_id)).json["run_id"] == run_id
            await terminal.sees(r"winner  r1-b0-a0  score 1  better than the baseline; kept as a draft for review")
            assert await asyncio.wait_for(process.wait(), 30) == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            terminal.close()
    assert "r1-b1-a0  no_output" in terminal.text
    assert list(Path(home.home).glob("capabilities/*/1.0.0.json"))
    (listed,) = (await home("explore", "list")).json["runs"]
    assert (listed["run_id"], listed["status"], listed["cost"]["usd_source"]) == (run_id, "complete", "estimated")
