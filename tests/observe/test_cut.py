"""Budgets and markers: what is not shown is counted, and can be widened."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.observation import Node
from engine.observe.cut import SHOWN, fit
from engine.observe.layout import Layout
from engine.observe.tokens import tokens
from tests.observe.trees import any_tree, rows, tree

NONE: frozenset[str] = frozenset()


def shown(root: Node, budget: int = 10**6, widened: frozenset[str] = NONE) -> list[str]:
    return [str(line) for line in fit(Layout(root, widened).lines, budget, widened)]


def test_a_long_table_ends_in_a_counted_marker() -> None:
    """The first rows, how many more there are, and what to widen; what follows the table is there."""
    lines = shown(rows(107))
    assert sum("Item number" in line for line in lines) == SHOWN
    assert " … 87 more rows, widen e2" in lines
    assert lines[-1] == "e3 button Last"


def test_a_widened_table_is_shown_whole() -> None:
    """All rows and no marker, as long as the budget holds them."""
    lines = shown(rows(107), widened=frozenset({"e2"}))
    assert sum("Item number" in line for line in lines) == 107
    assert not any("…" in line for line in lines)


def test_what_is_widened_deep_in_a_long_table_is_laid_out() -> None:
    """A row behind the marker is there when its own ref is widened, though rows there are else not even laid out."""
    lines = shown(rows(107), widened=frozenset({"e510"}))
    assert any("Item number 50 " in line for line in lines)


def test_a_widened_table_over_the_budget_can_be_widened_further() -> None:
    """Its marker names the first row that is hidden; widening that shows what follows."""
    budget = 900
    lines = shown(rows(300), budget, frozenset({"e2"}))
    marker = next(line for line in lines if "…" in line)
    anchor = re.search(r"widen (e\d+)", marker)
    assert anchor
    further = "\n".join(shown(rows(300), budget, frozenset({"e2", anchor[1]})))
    assert f"{anchor[1]}|" in further


def test_a_table_just_over_the_length_is_not_cut() -> None:
    """A marker for five rows would hide more than it saves."""
    assert not any("…" in line for line in shown(rows(SHOWN + 5)))


def test_a_long_text_is_cut_and_counted() -> None:
    """Its beginning, the number of characters left, and its ref; whole when widened."""
    root = tree(f"- paragraph [ref=e1]: {'word ' * 400}end.")
    assert re.search(r"… \d+ more characters, widen e1$", shown(root)[0])
    assert shown(root, widened=frozenset({"e1"}))[0].endswith("end.")


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 200), st.integers(60, 3000))
def test_the_budget_is_hard_and_every_row_is_counted(count: int, budget: int) -> None:
    """Never more tokens than allowed; shown rows and counted ones are all rows."""
    lines = shown(rows(count), budget)
    assert tokens("\n".join(lines)) <= budget
    visible = sum("Item number" in line for line in lines)
    counted = sum(int(found[1]) for line in lines if (found := re.search(r"… (\d+) more rows", line)))
    if any("more lines" in line for line in lines):
        assert visible + counted <= count
    else:
        assert visible + counted == count


@settings(max_examples=60, deadline=None)
@given(any_tree(), st.integers(60, 400))
def test_any_tree_fits(root: Node, budget: int) -> None:
    """Whatever the tree, the budget holds, and what is left out is marked."""
    whole = Layout(root, NONE).lines
    lines = shown(root, budget)
    assert tokens("\n".join(lines)) <= budget
    if len(lines) < len(whole):
        assert any("more" in line for line in lines)
