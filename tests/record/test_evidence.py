import json
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import EvidenceUnwritable
from engine.record.evidence import MANIFEST, Evidence
from engine.record.verify import verify


def folder(path: Path) -> Evidence:
    evidence = Evidence(path / "run")
    evidence.write("run.json", b"{}")
    for number in range(3):
        evidence.append("steps.jsonl", json.dumps({"number": number}))
        evidence.append_item("transcript.json", json.dumps({"content": f"message {number}"}))
    evidence.write("result.json", b"{}")
    return evidence


def test_an_untouched_folder_verifies(tmp_path: Path) -> None:
    """Whole files and appended pieces agree with the chain, and its head with the stored one."""
    evidence = folder(tmp_path)
    found = verify(evidence.folder, evidence.head)
    assert found.problem is None
    assert found.entries == 8


def test_the_transcript_is_whole_json_after_every_message(tmp_path: Path) -> None:
    """A crash between two messages leaves an array that parses."""
    evidence = Evidence(tmp_path / "run")
    for number in range(3):
        evidence.append_item("transcript.json", json.dumps({"n": number}))
        assert len(json.loads((evidence.folder / "transcript.json").read_text())) == number + 1


def change(run: Path) -> None:
    (run / "steps.jsonl").write_text((run / "steps.jsonl").read_text().replace("1", "7"))


def delete(run: Path) -> None:
    (run / "run.json").unlink()


def insert(run: Path) -> None:
    (run / "screenshots" / "0009.jpg").write_bytes(b"x")


def grow(run: Path) -> None:
    with (run / "steps.jsonl").open("a") as file:
        file.write("{}\n")


def lines(run: Path) -> list[str]:
    return (run / MANIFEST).read_text().splitlines(keepends=True)


def reorder(run: Path) -> None:
    first, second, *rest = lines(run)
    (run / MANIFEST).write_text("".join([second, first, *rest]))


def truncate(run: Path) -> None:
    (run / MANIFEST).write_text("".join(lines(run)[:-1]))
    (run / "result.json").unlink()


def forge(run: Path) -> None:
    written = lines(run)
    entry = json.loads(written[0])
    written[0] = json.dumps({**entry, "sha256": "0" * 64}) + "\n"
    (run / MANIFEST).write_text("".join(written))


def link(run: Path) -> None:
    (run / "run.json").rename(run.parent / "elsewhere.json")
    (run / "run.json").symlink_to(run.parent / "elsewhere.json")


@pytest.mark.parametrize("tamper", [change, delete, insert, grow, reorder, truncate, forge, link])
def test_every_kind_of_tampering_is_found(tmp_path: Path, tamper: Callable[[Path], None]) -> None:
    """Change, deletion, insertion, growth, reordering, truncation, a forged entry, a link: each is named."""
    evidence = folder(tmp_path)
    tamper(evidence.folder)
    assert verify(evidence.folder, evidence.head).problem


def test_an_unfinished_run_may_lack_the_file_of_its_last_entry(tmp_path: Path) -> None:
    """kill -9 between the entry and the file: the entry says what was about to be written, and that is no tampering."""
    evidence = folder(tmp_path)
    (evidence.folder / "result.json").unlink()
    assert verify(evidence.folder, evidence.head, finished=False).problem is None
    assert verify(evidence.folder, evidence.head, finished=True).problem


def test_a_full_disk_is_evidence_unwritable(tmp_path: Path) -> None:
    """A folder that cannot be written says so with the path and what follows."""
    evidence = folder(tmp_path)
    (evidence.folder / "steps.jsonl").unlink()
    (evidence.folder / "steps.jsonl").mkdir()
    with pytest.raises(EvidenceUnwritable, match=r"steps\.jsonl"):
        evidence.append("steps.jsonl", "{}")


@pytest.mark.parametrize("room", range(100, 1700, 53))
def test_a_disk_that_fills_up_at_any_byte_leaves_whole_evidence(room: int, tmp_path: Path) -> None:
    """What did not fit is as if it had never been begun, and when there is room again the chain goes on."""
    evidence = Evidence(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))  # a file that grows beyond it is cut in the middle of a write
    refused = 0
    try:
        for number in range(6):
            for write in (
                lambda: evidence.append("steps.jsonl", "x" * 900),
                lambda: evidence.append_item("transcript.json", f'"{"y" * 800}"'),
                lambda n=number: evidence.write(f"snapshots/{n}.yaml", b"z" * 300 * n),
            ):
                try:
                    write()
                except EvidenceUnwritable:
                    refused += 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert refused
    evidence.append("steps.jsonl", "last")
    evidence.append_item("transcript.json", '"last"')
    assert verify(tmp_path, evidence.head).problem is None
    assert json.loads((tmp_path / "transcript.json").read_text())[-1] == "last"
