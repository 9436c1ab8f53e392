"""Files that an operator registers are uploaded by a run, by its proof and by every replay, each its own."""

import json
import re
from pathlib import Path

from engine.assembly.discovering import Order, discover
from engine.assembly.replaying import Order as ReplayOrder
from engine.assembly.replaying import replay
from engine.domain.policy import Allowed, Policy, Scope
from engine.settings import Settings
from tests.llm.endpoint import Reply, Request, ScriptedEndpoint, completion
from tests.pages import Pages

PAGE = """<h1>Claims</h1><label>Receipt <input type=file></label><label>Total <input id=said readonly></label>
<script>document.querySelector('input').onchange = async e => { said.value = await e.target.files[0].text() }</script>"""


class Clerk:
    """A model that gives the receipt to its field, reads what the page says of it, and is done."""

    def __init__(self) -> None:
        self.left = ["Total", "Receipt"]

    def __call__(self, request: Request) -> Reply:
        found = self.left and re.search(rf'((?:f\d+)?e\d+) \w+ "?{self.left[-1]}', request.prompt)
        step: dict[str, object] = {"action": "done", "summary": "done"}
        if found and self.left.pop() == "Receipt":
            step = {"action": "upload", "ref": found[1], "file": "receipt"}
        elif found:
            step = {"action": "extract", "readings": [{"name": "total", "ref": found[1], "what": "value", "value": "12.40"}]}
        return completion({"reason": "as told", "action": step})


async def test_a_replay_uploads_the_file_it_is_given(pages: Pages, tmp_path: Path) -> None:
    """Drafted and proved with one receipt; a replay with another reads the other's total, and none is input_invalid."""
    pages["/"] = PAGE
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text("12.40")
    second.write_text("99.10")
    policy = tmp_path / "uploads.yaml"
    rules = Policy(scope=Scope(navigate=(pages.url,)), actions=Allowed(allow=("navigate", "click", "extract", "upload")))
    policy.write_text(json.dumps(rules.model_dump(mode="json", by_alias=True, exclude_unset=True)))
    settings = Settings(home=tmp_path / "home", environment={"PATH": "/usr/bin:/bin"})
    async with ScriptedEndpoint(Clerk()) as endpoint:
        order = Order(
            "Upload the receipt and read its total", pages.url, policy=policy, model="scripted", base_url=endpoint.url,
            files={"receipt": str(first)},
        )  # fmt: skip
        run = await discover(settings, order)
    assert run.capability, (run.explanation, [request.prompt[-600:] for request in endpoint.requests[-1:]])
    again = ReplayOrder(run.capability, policy=policy, allow_draft=True, files={"receipt": str(second)})
    result = await replay(settings, again)
    assert (result.ending, result.outputs) == ("ok", {"total": "99.10"}), result
    missing = await replay(settings, ReplayOrder(run.capability, policy=policy, allow_draft=True))
    assert missing.ending == "input_invalid" and "receipt" in missing.explanation
