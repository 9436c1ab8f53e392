"""Differences: what is referred to stands in the page shown before, and both together are the page."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.observe.tokens import tokens
from engine.observe.writing import Writer, Written
from tests.observe.trees import MEMBER, rows, tree

FACTS = ("URL: http://a.test/", "Title: A")
NONE: frozenset[str] = frozenset()


def name(line: str) -> str:
    words = line.split()
    return words[0].rstrip(":|") if re.match(r"(f\d+)?e\d+[:|]?$|\w+:$", words[0]) else " ".join(words[:4])[:40]


def rebuilt(written: Written) -> list[str]:
    """The whole page, as a reader of both texts understands it."""
    if not written.shown:
        return written.text.split("\n")
    shown = written.shown.split("\n")
    names = [name(line) for line in shown]
    lines: list[str] = []
    for line in written.text.split("\n"):
        found = re.fullmatch(r"\(as before: (.*?)(?: to (.*))?\)", line)
        if found:
            start = names.index(found[1])
            lines += shown[start : names.index(found[2] or found[1], start) + 1]
        else:
            lines.append(line)
    return lines


def test_the_first_page_stands_alone() -> None:
    """Nothing is referred to, and the facts come first."""
    written = Writer(5000).write(FACTS, tree(MEMBER), NONE)
    assert written.shown == ""
    assert written.text.startswith("URL: http://a.test/\nTitle: A\ne4 navigation Main")


def test_a_change_is_told_alone() -> None:
    """One field typed into: its line, and references around it."""
    writer = Writer(5000)
    whole = writer.write(FACTS, tree(MEMBER), NONE).text
    written = writer.write(FACTS, tree(MEMBER.replace(": hello", ": goodbye")), NONE)
    assert written.shown == whole
    assert "e62 textbox New note = goodbye" in written.text.split("\n")
    assert len(written.text) < len(whole) / 3
    assert rebuilt(written) == whole.replace("hello", "goodbye").split("\n")


def test_another_page_is_written_out() -> None:
    """Where little is left of the page before, the new one stands alone and is what later ones refer to."""
    writer = Writer(5000)
    writer.write(FACTS, tree(MEMBER), NONE)
    assert writer.write(FACTS, rows(20), NONE).shown == ""
    assert "Item number" in writer.write(FACTS, rows(20), NONE).shown


def test_both_texts_together_hold_the_budget() -> None:
    """A page that fills the budget is written out again where its difference would be too much beside it."""
    for budget in range(150, 700, 10):
        writer = Writer(budget)
        for count in (0, 6, 12, 12, 18, 200, 201):
            written = writer.write(FACTS, rows(count), NONE)
            assert tokens(written.text) + tokens(written.shown) <= budget


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(0, 25), min_size=1, max_size=6))
def test_what_is_referred_to_is_there(counts: list[int]) -> None:
    """Over any run of pages, text and page shown before make exactly the page."""
    writer = Writer(5000)
    for count in counts:
        written = writer.write(FACTS, rows(count), NONE)
        assert rebuilt(written) == Writer(5000).write(FACTS, rows(count), NONE).text.split("\n")
