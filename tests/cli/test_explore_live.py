"""`discover explore` on a terminal, paused and resumed by `discover runs` from another one."""

import asyncio
import io
import os
import re
import signal

from rich.console import Console
from rich.tree import Tree as Branches

from engine.cli.exploration import picture
from engine.explore.answers import CostAnswer, RunSummary, Tree
from engine.store.capabilities import read
from engine.store.explorations import CellRecord, RoundRecord
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
    (draft,) = (read(file) for file in home.home.glob("capabilities/*/1.0.0.json"))
    assert draft.provenance.explored is not None
    assert (draft.reviewed, draft.provenance.evaluator, draft.provenance.score) == (False, "cases", 1.0)
    assert (draft.provenance.explored.run_id, draft.provenance.explored.cell) == (run_id, "r1-b0-a0")
    (listed,) = (await home("explore", "list")).json["runs"]
    assert (listed["run_id"], listed["status"], listed["cost"]["usd_source"]) == (run_id, "complete", "estimated")


async def test_an_interrupt_cancels_and_says_what_is_uncertain(home: Home, pages: Pages) -> None:
    """Ctrl-C with a request under way: cancelled by the user, exit 130, one call that is charged what was held for it."""
    prepare(home.home, pages, PRICE)
    model = Model([gives_up])
    model.free.clear()
    async with ScriptedEndpoint(model) as endpoint:
        home.environment["CAPWRIGHT_BASE_URL"] = endpoint.url
        process = await home.start(*ASKED, "3", "--max-calls", "4")
        assert await until(lambda: endpoint.requests)
        process.send_signal(signal.SIGINT)
        ended = await home.finish(process)
    run = ended.json["run"]
    assert (ended.code, run["status"], run["cancel_code"], run["stop_code"]) == (130, "cancelled", "cancelled_by_user", None)
    assert (run["calls"], run["cost"]["unknown_liability"], run["cost"]["pending"]) == (1, 250_000, 0)
    assert {cell["state"] for cell in ended.json["nodes"]} == {"cancelled"}


def test_a_large_tree_is_summed_up_while_it_grows() -> None:
    """Of twenty thousand cells what is under way and the best stand under the sums of their rounds; at the end all of them."""
    cells = tuple(
        CellRecord(f"r{r}-b{b}-a0", "valid" if r < 100 else "running" if b < 4 else "planned", None, 1, 1.0, "ok", "", "")
        for r in range(1, 101)
        for b in range(200)
    )
    cost = CostAnswer(
        reported=1, estimated=0, unknown_liability=2_000_000, pending=0, max_usd_micros=9_000_000, usd_source="unknown"
    )
    run = RunSummary.model_construct(
        run_id="run-1", title="Large", state="exploring", status=None, baseline_score=0.5, best_cell_id="r7-b3-a0", cost=cost,
        winner_cell_id=None, calls=19_804, max_calls=20_000, model_requests=0, covered_cells="20000 of 20000", elapsed_secs=40,
    )  # fmt: skip
    rounds = tuple(
        RoundRecord(r, 200, 200 if r < 100 else 0, 200 if r < 100 else 0, 1.0 if r < 100 else None) for r in range(1, 101)
    )
    seen = Tree.model_construct(run=run, nodes=cells, rounds=rounds, next_cell=None, tree_unavailable_reason=None)

    console = Console(width=200, record=True, file=io.StringIO())
    console.print(picture(seen, 60))
    live = console.export_text().splitlines()
    assert len(live) < 120
    assert "round 99: 200 of 200 ended, 200 valid, best 1" in "".join(live)
    assert re.findall(r"r100-b\d+-a0", "".join(live)) == [f"r100-b{b}-a0" for b in range(4)]
    assert sum("★" in line for line in live) == 1
    assert live[-1].startswith("$0.0000 reported, $2.0000 unknown of $9.0000; 19804 of 20000 calls") and "20 s left" in live[-1]
    whole = picture(seen).renderables[0]
    assert isinstance(whole, Branches) and sum(len(branch.children) for branch in whole.children) == 20_000
