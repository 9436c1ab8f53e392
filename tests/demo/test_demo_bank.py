import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from engine.demo.bank import Bank
from engine.demo.books import TransferOrder
from engine.demo.seed import opening_books

ORDER = TransferOrder("100231-01", "100231-70", Decimal("12.34"), "rent")


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    bank = Bank.open(tmp_path / "bank.sqlite", opening_books("harbor"))
    yield bank
    bank.close()


def balances(bank: Bank) -> list[Decimal]:
    return [account.balance for account in bank.records.accounts("100231")]


def test_the_books_read_back_as_they_were_drawn(bank: Bank) -> None:
    """Members, accounts and postings survive the way through SQLite unchanged."""
    opening = opening_books("harbor")
    assert bank.records.members == opening.members
    assert set(bank.records.all_accounts) == set(opening.accounts)
    read = [(each.amount, each.balance, each.posted) for each in bank.records.transactions("100231-01")]
    drawn = [each for each in opening.transactions if each.account == "100231-01"]
    assert read == [(each.amount, each.balance, each.posted) for each in drawn]


def test_a_transfer_moves_the_money_and_leaves_a_trace(bank: Bank) -> None:
    """Both balances, both postings and the transfer itself agree."""
    savings, checking = balances(bank)
    reference = bank.transfer("100231", ORDER, "teller1")
    assert balances(bank) == [savings - ORDER.amount, checking + ORDER.amount]
    assert bank.records.transactions("100231-01")[-1].balance == savings - ORDER.amount
    assert bank.records.transactions("100231-70")[-1].amount == ORDER.amount
    assert [each.reference for each in bank.records.transfers] == [reference]


def test_a_transfer_asked_for_twice_happens_twice(bank: Bank) -> None:
    """The bank does not guess that the second one was a mistake."""
    savings, _ = balances(bank)
    assert bank.transfer("100231", ORDER, "teller1") != bank.transfer("100231", ORDER, "teller1")
    assert balances(bank)[0] == savings - 2 * ORDER.amount


def test_a_transfer_that_would_overdraw_changes_nothing(bank: Bank) -> None:
    """The books refuse it as a whole, even when no form checked it before."""
    before = balances(bank)
    with pytest.raises(sqlite3.IntegrityError):
        bank.transfer("100231", TransferOrder("100231-01", "100231-70", Decimal(10_000_000), ""), "teller1")
    assert balances(bank) == before
    assert bank.records.transfers == ()
