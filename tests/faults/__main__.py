"""`python -m tests.faults`: every fault that must be survived, and its verdict, written into BENCHMARKS.md."""

import asyncio
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

from tests.benchmarks.observation.report import write_section

REPORT = Path(__file__).parents[2] / "BENCHMARKS.md"
ENDS = "journeys/test_ends.py::test_"
MODEL = "decide/test_prompted_over_http.py::test_"
HERE = "faults/test_"
DIALOGS = "act/test_dialogs.py::test_"

FAULTS: dict[str, tuple[str, ...]] = {
    "kill -9 before and after every persisted write": (f"{HERE}writes.py::test_every_persisted_write[kill]",),
    "kill -9 in a commit: in doubt, said, not repeated": (f"{HERE}writes.py::test_a_run_that_dies",),
    "disk full at every persisted write": (
        f"{HERE}writes.py::test_every_persisted_write[fail]", f"{HERE}writes.py::test_nothing_is_sent",
        "record/test_evidence.py::test_a_disk_that_fills_up",
    ),
    "renderer, browser, network process or driver killed or crashed": (
        *(f"{HERE}processes.py::test_the_slot_is_free_in_the_deadline_and_five_seconds[{one}]" for one in (
            "renderer killed", "renderer crashed", "browser killed", "network process killed", "driver killed")),
        f"{ENDS}a_browser_that_is_killed",
    ),
    "renderer, browser, network process or driver stopped (SIGSTOP)": (
        *(f"{HERE}processes.py::test_the_slot_is_free_in_the_deadline_and_five_seconds[{one}]" for one in (
            "renderer stopped", "browser stopped", "network process stopped", "driver stopped")),
        f"{ENDS}a_renderer_that_is_stopped",
    ),
    "target down": (f"{ENDS}a_target_that_is_down",),
    "target slow": (f"{ENDS}a_target_that_is_slow",),
    "target resetting connections": tuple(
        f"{HERE}targets.py::test_whose_fault_it_is[reset {when}]" for when in ("at the start", "in a step", "in a commit")),
    "target answering 5xx": (f"{ENDS}a_target_that_answers_500", f"{HERE}targets.py::test_whose_fault_it_is[503"),
    "target answering 429": (f"{HERE}targets.py::test_whose_fault_it_is[429",),
    "model 429": (f"{MODEL}a_rate_limit", f"{MODEL}retry_after", f"{MODEL}a_wait_beyond"),
    "model 500": (f"{MODEL}an_outage",),
    "model timeout": (f"{MODEL}our_own_deadline",),
    "model broken or fenced JSON, truncation, refusal, empty answer": (
        f"{MODEL}wrapping", f"{MODEL}a_bad_answer", f"{MODEL}a_second_bad_answer", f"{ENDS}a_model_that_makes_no_sense"),
    "model 1 MB answer": (f"{MODEL}one_megabyte",),
    "clock moved": (
        "access/test_approvals.py::test_a_clock_that_was_set_back", "access/test_approvals.py::test_an_approval_expires",
        "access/test_approvals.py::test_an_answer_out_of_time"),
    "database locked": (f"{HERE}load.py::test_a_locked_database",),
    "SIGTERM and Ctrl-C in a step": (f"{ENDS}interrupted",),
    "150,000-node page": (f"{HERE}load.py::test_a_page_of_150_000",),
    "dialog storm": (f"{DIALOGS}a_storm", f"{DIALOGS}a_replay_stops_at_a_dialog_that_it_does_not_know[storm]"),
    "ten runs at once, one crashes, one hangs on close": (f"{HERE}load.py::test_ten_runs",),
}  # fmt: skip

Ran = dict[str, tuple[bool, float]]


def read(junit: Path) -> Ran:
    """Test → whether it passed, and its seconds, as pytest wrote them down."""
    found: Ran = {}
    for case in ElementTree.parse(junit).iter("testcase"):
        file = case.attrib["classname"].removeprefix("tests.").replace(".", "/") + ".py"
        bad = any(case.find(kind) is not None for kind in ("failure", "error", "skipped"))
        found[f"{file}::{case.attrib['name']}"] = (not bad, float(case.attrib["time"]))
    return found


async def run() -> Ran:
    """All files that the table names, in one pytest."""
    files = sorted({f"tests/{each.partition('::')[0]}" for tests in FAULTS.values() for each in tests})
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "pytest", "-q", f"--junitxml={junit}", "-o", "junit_family=xunit1", *files
        )
        await process.wait()
        return read(junit)


def section(ran: Ran, took: float) -> tuple[str, list[str]]:
    """The section, and the faults that were not survived."""
    lines, bad = [], []
    for fault, tests in FAULTS.items():
        results = [ran[name] for name in ran if any(name.startswith(test) for test in tests)]
        unseen = [test for test in tests if not any(name.startswith(test) for name in ran)]
        passed = sum(ok for ok, _ in results)
        survived = passed == len(results) and not unseen
        bad += [] if survived else [fault]
        verdict = "survived" if survived else f"NOT survived{f'; not run: {unseen}' if unseen else ''}"
        lines.append(f"| {fault} | {verdict} | {passed} of {len(results)} | {sum(seconds for _, seconds in results):.0f} |")
    head = [
        "## Faults", "",
        "`make faults`: the list of the safety specification, with real processes, Chromium and SQLite. Survived means:",
        "a legal state at the next start, no effect twice on the server's own count, what is in doubt said to be so,",
        "the evidence whole, the slot free within the run's deadline and 5 s, and no process left. `every persisted write`:",
        "each write of evidence, runs, approvals and effects of a discovery with an approved commit, one run a point.",
        f"{len(FAULTS)} faults, {took / 60:.0f} minutes on a machine that other work shared.", "",
        "| fault | verdict | checks | s |", "|---|---|---|---|",
    ]  # fmt: skip
    return "\n".join([*head, *lines]), bad


def main() -> int:
    """Run, write, and fail when a fault was not survived."""
    start = time.monotonic()
    ran = asyncio.run(run())
    text, bad = section(ran, time.monotonic() - start)
    sys.stdout.write(f"{text}\n")
    write_section(REPORT, text, "## Faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
