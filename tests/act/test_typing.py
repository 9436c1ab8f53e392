"""What a field may make of what was typed, and what would be another value."""

import pytest

from engine.act.typing import kept

SAME = [
    ("25.00", "$25"), ("1234.5", "1,234.50"), ("2026-05-29", "05/29/2026"), ("2026-05-29", "May 29, 2026"),
    ("5550100", "+1 555-0100"), ("Salem", " SALEM "), ("rent", "rent"), ("25.00", "25.00 USD"),
]  # fmt: skip
OTHER = [
    ("25.00", "250.00"), ("24", "240"), ("2026-05-29", "2026-06-29"), ("Salem", "Salemo"), ("rent", ""), ("25", ""),
    ("12 Oak Street", "12 Elm Street"), ("12 Oak Street", "13 Oak Street"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "held"), SAME)
def test_a_value_written_otherwise_is_the_same(text: str, held: str) -> None:
    """Currency, grouping, another order of a date, case, a country code."""
    assert kept(held, text)


@pytest.mark.parametrize(("text", "held"), OTHER)
def test_another_value_is_not(text: str, held: str) -> None:
    """One digit, letter or word more or less, or nothing at all."""
    assert not kept(held, text)
