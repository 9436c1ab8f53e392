import getpass
import json
import re
from pathlib import Path

from engine.domain.capability import Capability
from tests.capabilities import paying, reading
from tests.cli.conftest import Home
from tests.pages import Pages

NEWER = {"version": "1.0.1", "title": "Read one balance"}


def states(listed: object) -> dict[str, str]:
    """State by version."""
    assert isinstance(listed, list)
    return {f"{each['id']}@{each['version']}": each["state"] for each in listed}


async def test_a_version_from_draft_to_revoked(home: Home) -> None:
    """Listed as waiting, approved with name and comment, superseded by the next, revoked; every step in the list."""
    home.keep(reading(), reading(**NEWER), paying())
    waiting = await home("review", "list")
    assert states(waiting.json["reviews"]) == dict.fromkeys(("pay@1.0.0", "read-balance@1.0.0", "read-balance@1.0.1"), "draft")
    digest = reading().digest
    approved = await home("review", "approve", "read-balance@1.0.0", "--by", "Ada", "--comment", "fine", "--digest", digest)
    row = {key: approved.json[key] for key in ("state", "by", "comment", "digest")}
    assert (approved.code, row) == (0, {"state": "approved", "by": "Ada", "comment": "fine", "digest": digest})
    stored = Capability.model_validate_json(home.file(reading()).read_bytes())
    assert stored.reviewed and stored.review and stored.review.digest == digest
    newest = await home("review", "approve", "read-balance")
    assert (newest.json["version"], newest.json["by"]) == ("1.0.1", getpass.getuser())
    assert (await home("review", "reject", "pay", "--comment", "too broad")).json["state"] == "rejected"
    assert (await home("review", "revoke", "read-balance")).json["version"] == "1.0.1"
    assert (await home("review", "list")).json == {"reviews": []}
    everything = (await home("review", "list", "--all")).json["reviews"]
    assert states(everything) == {
        "pay@1.0.0": "rejected", "read-balance@1.0.0": "superseded", "read-balance@1.0.1": "revoked",
    }  # fmt: skip


async def test_what_cannot_be_decided_is_refused_in_a_sentence(home: Home) -> None:
    """An unknown version, content that is no longer what was looked at, a draft that is revoked, a second decision."""
    home.keep(reading())
    assert (await home("review", "approve", "nobody")).code == 2
    stale = await home("review", "approve", "read-balance", "--digest", "0" * 64)
    assert stale.code != 0
    assert "look again" in stale.json["message"]
    assert "only an approved version" in (await home("review", "revoke", "read-balance")).json["message"]
    assert (await home("review", "approve", "read-balance")).code == 0
    again = await home("review", "reject", "read-balance")
    assert (again.code, again.json["error"]) == (2, "IllegalTransition")


async def test_an_edited_file_is_listed_as_tampered_and_a_broken_one_hides_no_other(home: Home) -> None:
    """Both wait for a person, beside what is well."""
    home.keep(reading(), paying())
    await home("review", "approve", "read-balance")
    file = home.file(reading())
    file.write_text(file.read_text().replace("Deposit", "Loan"))
    broken = home.file(paying(version="2.0.0"))
    broken.write_text("{")
    found = states((await home("review", "list")).json["reviews"])
    assert found == {"pay@1.0.0": "draft", "pay@2.0.0": "unreadable", "read-balance@1.0.0": "tampered"}
    everything = (await home("capability", "list")).json
    assert states(everything["capabilities"]) == {"pay@1.0.0": "draft", "read-balance@1.0.0": "tampered"}
    assert [each["name"] for each in everything["unreadable"]] == ["pay@2.0.0"]
    assert not any(each["reviewed"] for each in everything["capabilities"])


async def test_only_an_approved_version_runs_by_id_by_version_and_by_file(home: Home, site: Pages) -> None:
    """Draft, approved, tampered, superseded, revoked, rejected: by every way to name it, with ending and exit code."""
    old, new = reading(target=site.url), reading(target=site.url, **NEWER)
    home.keep(old)
    given = ("--input", "customer=4711", "--secret", "pin")

    async def endings(one: Capability, *names: str) -> set[tuple[str, int]]:
        ran = [await home("replay", name, *given) for name in (f"{one.id}@{one.version}", str(home.file(one)), *names)]
        return {(each.json["ending"], each.code) for each in ran}

    assert await endings(old, old.id) == {("not_approved", 21)}
    assert (await home("replay", old.id, *given, "--allow-draft")).json["outputs"] == {"balance": "1,204.55"}
    await home("review", "approve", old.id)
    assert await endings(old) == {("ok", 0)}
    home.keep(new)
    assert (await home("replay", old.id, *given)).json["version"] == old.version
    await home("review", "approve", f"{new.id}@{new.version}")
    assert await endings(old) == {("not_approved", 21)}
    await home("review", "revoke", new.id)
    assert await endings(new) == {("not_approved", 21)}
    home.keep(rejected := reading(id="other", target=site.url))
    await home("review", "reject", "other")
    assert await endings(rejected) == {("not_approved", 21)}
    home.keep(edited := reading(id="third", target=site.url))
    await home("review", "approve", "third")
    home.file(edited).write_text(home.file(edited).read_text().replace('"Deposit"', '"Loan"'))
    assert await endings(edited, "third") == {("tampered", 22)}
    assert (await home("replay", "third", *given, "--allow-draft")).code == 22


async def test_a_diff_names_both_sides(home: Home) -> None:
    """As records and as text."""
    content = reading(**NEWER, riskClass="reversible").model_dump(mode="json", by_alias=True)
    content["steps"][3]["target"]["locators"][0]["value"] = "Search"
    home.keep(reading(), Capability.model_validate(content))
    found = (await home("capability", "diff", "read-balance@1.0.0", "read-balance@1.0.1")).json
    assert found["bump"] == "major"
    assert [(each["side"], each["area"]) for each in found["changes"]] == [
        ("caller", "risk"), ("caller", "text"), ("page", "locators"),
    ]  # fmt: skip


async def test_a_capability_travels_as_a_draft(home: Home, tmp_path: Path) -> None:
    """Exported with its approval, it is a draft in the next home; the same again is nothing; other content is a new version."""
    home.keep(reading())
    await home("review", "approve", "read-balance")
    file = tmp_path / "it.json"
    assert (await home("capability", "export", "read-balance", "--out", str(file))).code == 0
    assert (await home("capability", "export", "read-balance", "--out", str(file))).code == 2
    other = Home(tmp_path / "other", home.environment)
    assert (await other("capability", "import", str(file))).json == {"imported": True, "id": "read-balance", "version": "1.0.0"}
    assert states((await other("review", "list")).json["reviews"]) == {"read-balance@1.0.0": "draft"}
    assert (await other("capability", "import", str(file))).json == {"imported": False}
    file.write_text(file.read_text().replace('"read_only"', '"reversible"'))
    assert (await other("capability", "import", str(file))).json["version"] == "2.0.0"


async def test_faces_that_make_somebody_run_it_are_written_of_approved_versions(home: Home) -> None:
    """A draft only when it is asked for; schemas of anything."""
    home.keep(reading())
    for face in ("playwright", "pytest", "mcp"):
        refused = await home("capability", "export", "read-balance", "--as", face)
        assert (refused.code, refused.json["ending"]) == (21, "not_approved")
    asked = await home("capability", "export", "read-balance", "--as", "playwright", "--allow-draft")
    assert "sync_playwright" in asked.json["text"]
    document = json.loads((await home("capability", "export", "read-balance", "--as", "json-schema")).json["text"])
    assert set(document["$defs"]) == {"inputs", "outputs"}
    await home("review", "approve", "read-balance")
    tool = json.loads((await home("capability", "export", "read-balance", "--as", "mcp")).json["text"])
    assert (tool["name"], tool["annotations"]["readOnlyHint"]) == ("read-balance", True)
    assert re.search("pin", json.dumps(tool)) is None
