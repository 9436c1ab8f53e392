"""Readings by a row's ref and a value end at the cell that holds it."""

from engine.domain.action import Click, Extract, Reading
from engine.domain.narrowing import holders, narrowed
from engine.domain.observation import Node


def cell(ref: str, text: str, *children: Node) -> Node:
    return Node(role="cell", ref=ref, name=text, children=children)


ROW = Node(
    role="row",
    ref="e1",
    children=(
        cell("e2", "Main  savings"),
        cell("e3", "$5.00"),
        cell("e4", "$5.00"),
        cell("e5", "", Node(role="link", ref="e6", name="100229")),
    ),
)
ROOT = Node(role="document", children=(ROW,))


def test_a_value_that_stands_once_names_its_cell() -> None:
    """White space and case do not matter, and a link alone in a cell gives way to the cell, which has a column."""
    action = Extract(readings=(Reading(name="a", ref="e1", value="main savings"), Reading(name="b", ref="e1", value="100229")))
    changed = narrowed(action, ROOT)
    assert isinstance(changed, Extract)
    assert [reading.ref for reading in changed.readings] == ["e2", "e5"]


def test_a_value_that_stands_twice_names_all_its_holders_and_changes_nothing() -> None:
    """The planner has to say which one it means."""
    reading = Reading(name="a", ref="e1", value="$5.00")
    assert holders(reading, ROOT) == ("e3", "e4")
    assert narrowed(Extract(readings=(reading,)), ROOT) == Extract(readings=(reading,))


def test_what_fits_already_stays() -> None:
    """An exact ref, a whole table, a missing value, a ref that is not there, and other actions are left alone."""
    for reading in (
        Reading(name="a", ref="e3", value="$5.00"),
        Reading(name="a", ref="e1", what="table", value="$5.00"),
        Reading(name="a", ref="e1"),
        Reading(name="a", ref="e99", value="x"),
    ):
        assert holders(reading, ROOT) == ()
    assert narrowed(Click(ref="e1"), ROOT) == Click(ref="e1")
