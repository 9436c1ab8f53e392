"""Replays as a JUnit report, for a CI server to show."""

from pathlib import Path
from xml.etree import ElementTree

from engine.domain.ending import BatchResult, Ending

ERRORS: frozenset[Ending] = frozenset({"target_error", "timeout", "input_invalid", "not_approved", "tampered"})
"""Endings that say nothing about the page: errors; the others are failures."""


def write(file: Path, batch: BatchResult) -> None:
    """One test case a row; what stopped it, what was expected and what was seen are its message and text."""
    name = f"{batch.capability}@{batch.version}"
    endings = [row.result.ending for row in batch.rows]
    suite = ElementTree.Element("testsuite", {
        "name": name,
        "tests": str(batch.total),
        "failures": str(sum(ending != "ok" and ending not in ERRORS for ending in endings)),
        "errors": str(sum(ending in ERRORS for ending in endings)),
        "skipped": str(batch.total - len(batch.rows)),
        "time": f"{sum(row.result.millis for row in batch.rows) / 1000:.3f}",
    })  # fmt: skip
    ran = {row.row: row for row in batch.rows}
    for number in range(1, batch.total + 1):
        row = ran.get(number)
        given = ", ".join(f"{key}={value}" for key, value in row.inputs.items()) if row else ""
        title = f"row {number}" + (f": {given}" if given else "")
        seconds = row.result.millis / 1000 if row else 0
        case = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": _clean(title), "time": f"{seconds:.3f}"})
        if row is None:
            ElementTree.SubElement(case, "skipped", {"message": "not begun"})
        elif row.result.ending != "ok":
            kind = "error" if row.result.ending in ERRORS else "failure"
            problem = ElementTree.SubElement(case, kind, {"type": row.result.ending, "message": _clean(row.result.explanation)})
            problem.text = _clean(f"step: {row.result.step}\nexpected: {row.result.expected}\nseen: {row.result.seen}")
    file.write_bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _clean(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return "".join(char for char in text if char in "\t\n\r" or (char >= " " and char not in "\ufffe\uffff"))
