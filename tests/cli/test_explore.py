"""`discover explore`, `discover evaluator` and the steering of runs, as commands of their own process."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from tests.cli.conftest import Home
from tests.score.kit import evaluator

CONFIG = """
[[targets]]
id = "site"
url = "http://127.0.0.1:1"

[[evaluators]]
name = "cases"
target = "site"
cases = "cases.json"
"""
ASKED = ("explore", "--goal", "Read it", "--target", "site", "--evaluator", "cases", "--model", "no-such-model")


def approve(home: Home) -> None:
    """Approve one target and one case table."""
    home.home.mkdir()
    (home.home / "config.toml").write_text(CONFIG)
    (home.home / "cases.json").write_text(json.dumps({"cases": [{"outputs": {"balance": "1"}}]}))


async def test_without_a_key_an_exploration_ends_before_it_costs_anything(home: Home) -> None:
    """No account: degraded, no call, no dollar; the tree shows the same afterwards, and what is over cannot be cancelled."""
    approve(home)
    ended = await home(*ASKED)
    run = ended.json["run"]
    assert (ended.code, run["status"], run["stop_code"], run["calls"]) == (3, "degraded", "no_account", 0), ended.stderr
    assert (run["cost"]["reported"], run["cost"]["unknown_liability"]) == (0, 0)
    seen = await home("runs", "tree", run["run_id"])
    assert seen.json["run"]["stop_code"] == "no_account"
    late = await home("runs", "cancel", run["run_id"])
    assert (late.code, late.json["error"]) == (2, "RequestRefused")


async def test_what_is_not_approved_is_refused_by_name(home: Home) -> None:
    """The message says what there is."""
    approve(home)
    refused = await home("explore", "--goal", "Read it", "--target", "other", "--evaluator", "cases")
    assert refused.code == 2
    assert "There is: site" in refused.json["message"]
    nothing = await home(*ASKED, "--fork-of", "run-none")
    assert (nothing.code, nothing.json["message"]) == (2, "no run run-none")


async def test_a_run_waits_for_a_manager_who_is_somebody_else(home: Home) -> None:
    """Whoever does not manage the agent only asks: nothing is run."""
    approve(home)
    agent = '[[agents]]\nagent_id = "desk"\nmanagers = ["somebody-else"]\nroots = ["site"]\nevaluators = ["cases"]\n'
    with (home.home / "config.toml").open("a") as config:
        config.write(f'{agent}runtimes = ["browser"]\n')
    ended = await home(*ASKED, "--agent", "desk")
    assert (ended.code, ended.json["run"]["state"], ended.json["run"]["calls"]) == (0, "pending_approval", 0)
    (waiting,) = (await home("approvals", "list")).json["explorations"]
    assert waiting["run_id"] == ended.json["run"]["run_id"]
    refused = await home("approvals", "approve", waiting["approval_id"])
    assert (refused.code, refused.json["error"]) == (2, "RequestRefused")


async def test_a_case_table_is_an_evaluator_and_a_changed_one_is_another(home: Home) -> None:
    """Its hash moves with its content."""
    approve(home)
    (before,) = (await home("evaluator", "list")).json["evaluators"]
    assert (before["name"], before["kind"], before["standing"]) == ("cases", "case table", "good")
    (home.home / "cases.json").write_text(json.dumps({"cases": [{"outputs": {"balance": "2"}}]}))
    assert (await home("evaluator", "verify", "cases")).json["hash"] != before["hash"]


async def test_an_evaluator_from_its_registration_to_its_end(home: Home, tmp_path: Path) -> None:
    """Registered by its own fixtures, listed, verified; stale when a byte changes; revoked, and still listed."""
    home.home.mkdir()
    folder = evaluator(tmp_path / "judge")
    registered = await home("evaluator", "register", "judge", str(folder))
    assert (registered.code, registered.json["problems"], registered.json["noise"]) == (0, [], 0.0), registered.stderr
    (listed,) = (await home("evaluator", "list")).json["evaluators"]
    assert (listed["name"], listed["kind"], listed["standing"]) == ("judge", "program", "good")
    assert (await home("evaluator", "verify", "judge")).json["hash"] == listed["hash"]
    (folder / "note.txt").write_text("changed")
    stale = await home("evaluator", "verify", "judge")
    assert stale.code == 2 and "changed since it was registered" in stale.json["message"]
    assert (await home("evaluator", "revoke", "judge")).json == {"name": "judge", "standing": "revoked"}
    (listed,) = (await home("evaluator", "list")).json["evaluators"]
    assert listed["standing"] == "revoked"


async def test_an_evaluator_that_fails_its_fixtures_is_not_registered(home: Home, tmp_path: Path) -> None:
    """Exit 1, with the problem in a sentence, and nothing is listed."""
    home.home.mkdir()
    folder = evaluator(tmp_path / "judge", "answer(True, 1.0)")
    refused = await home("evaluator", "register", "judge", str(folder))
    assert refused.code == 1
    assert "cheating fixture fixtures/cheat was ok; it must fail with tamper" in refused.json["problems"]


async def test_an_evaluator_with_a_problem_is_not_registered(home: Home, tmp_path: Path) -> None:
    """A folder that is none is refused with the file that is missing."""
    (tmp_path / "empty").mkdir()
    refused = await home("evaluator", "register", "mine", str(tmp_path / "empty"))
    assert refused.code == 2
    assert "evaluator.toml" in refused.json["message"]


async def test_the_document_of_all_requests_is_a_schema(home: Home) -> None:
    """Each method with its parameters; unknown fields are refused by it too."""
    document = (await home("explore", "schema")).json
    Draft202012Validator.check_schema(document)
    assert {"tasks.create", "discovery.tree", "approvals.decide"} <= set(document["properties"])
    checks = Draft202012Validator(document)
    assert checks.is_valid({"discovery.cancel": {"params": {"run_id": "run-1"}}})
    assert not checks.is_valid({"discovery.cancel": {"params": {"run_id": "run-1", "path": "/"}}})
