from datetime import date
from decimal import Decimal

import pytest

from engine.demo.books import Account
from engine.demo.forms import NOTE_LIMIT, check_address, check_note, check_transfer, read_amount

ADDRESS = {"street": "1 Main Street", "city": "Erie", "state": "PA", "zip_code": "16501"}
ACCOUNTS = [
    Account(number, "100231", kind, "", Decimal(100), Decimal("80.00"), date(2020, 1, 1))
    for number, kind in (("100231-01", "Savings"), ("100231-70", "Checking"))
]
TRANSFER = {"from_account": "100231-01", "to_account": "100231-70", "amount": "25", "memo": " rent "}


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("25", "25.00"),
        (" $1,250.5 ", "1250.50"),
        ("0", "0.00"),
        ("1,2,3", None),
        ("-5", None),
        ("1.005", None),
        ("1e3", None),
        ("٢٥", None),
        ("", None),
        ("Infinity", None),
    ],
)
def test_amounts_are_plain_dollars_and_cents(text: str, amount: str | None) -> None:
    """What is not plainly an amount is none, rather than a guess."""
    assert read_amount(text) == (Decimal(amount) if amount else None)


def test_a_good_address_is_taken_without_its_blanks() -> None:
    """Blanks around a field do not count."""
    checked = check_address(ADDRESS | {"city": "  Erie "})
    assert checked.value is not None
    assert checked.value.city == "Erie"
    assert not checked.errors


@pytest.mark.parametrize(
    ("field", "typed"), [("street", " "), ("city", ""), ("state", "XX"), ("zip_code", "1650"), ("zip_code", "16501-1234")]
)
def test_each_bad_field_of_an_address_is_named(field: str, typed: str) -> None:
    """One wrong field gives one error, for that field."""
    checked = check_address(ADDRESS | {field: typed})
    assert checked.value is None
    assert list(checked.errors) == [field]


def test_a_good_transfer_becomes_an_order() -> None:
    """Amount and memo are cleaned."""
    order = check_transfer(TRANSFER, ACCOUNTS).value
    assert order is not None
    assert (order.amount, order.memo) == (Decimal("25.00"), "rent")


@pytest.mark.parametrize(
    ("field", "typed"),
    [
        ("from_account", "100232-01"),
        ("to_account", ""),
        ("to_account", "100231-01"),
        ("amount", "0"),
        ("amount", "ten"),
        ("amount", "80.01"),
    ],
)
def test_each_bad_field_of_a_transfer_is_named(field: str, typed: str) -> None:
    """Another member's account, the same account twice, no amount, or more than is available."""
    checked = check_transfer(TRANSFER | {field: typed}, ACCOUNTS)
    assert checked.value is None
    assert list(checked.errors) == [field]


@pytest.mark.parametrize("text", [" ", "x" * (NOTE_LIMIT + 1)])
def test_a_note_says_something_and_not_too_much(text: str) -> None:
    """Empty and overlong notes are refused."""
    assert list(check_note({"text": text}).errors) == ["text"]
