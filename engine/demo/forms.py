"""What tellers type, checked: an address, a transfer, a note."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Generic, TypeVar

from engine.demo.books import Account, Address, TransferOrder

_STATE_CODES = (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA "
    "RI SC SD TN TX UT VT VA WA WV WI WY"
)
STATES = tuple(_STATE_CODES.split())
NOTE_LIMIT = 400
_AMOUNT = re.compile(r"\$?\s*(\d{1,9}|\d{1,3}(?:,\d{3}){1,2})(\.\d{1,2})?", re.ASCII)
_ZIP = re.compile(r"\d{5}", re.ASCII)

Value = TypeVar("Value")


@dataclass(frozen=True)
class Checked(Generic[Value]):
    """A form after checking: either a value, or what is wrong by field name."""

    value: Value | None = None
    errors: Mapping[str, str] = field(default_factory=dict)


def check_address(typed: Mapping[str, str]) -> Checked[Address]:
    """Fields street, city, state, zip_code."""
    street, city, state, zip_code = (typed.get(name, "").strip() for name in ("street", "city", "state", "zip_code"))
    wrong = {
        "street": not street and "Enter a street.",
        "city": not city and "Enter a city.",
        "state": state not in STATES and "Choose a state.",
        "zip_code": not _ZIP.fullmatch(zip_code) and "Enter a ZIP code of five digits.",
    }
    return _checked(Address(street, city, state, zip_code), wrong)


def check_transfer(typed: Mapping[str, str], accounts: Sequence[Account]) -> Checked[TransferOrder]:
    """Fields from_account, to_account, amount, memo; both accounts must be among `accounts`."""
    own = {account.number: account for account in accounts}
    source, target = own.get(typed.get("from_account", "")), own.get(typed.get("to_account", ""))
    amount = read_amount(typed.get("amount", ""))
    wrong = {
        "from_account": source is None and "Choose the account to take the money from.",
        "to_account": (target is None and "Choose the account to put the money in.")
        or (target is source and "Choose two different accounts."),
        "amount": (not amount and "Enter an amount greater than zero, such as 25.00.")
        or (source is not None and amount is not None and amount > source.available and "Not enough funds available."),
    }
    ends = (source.number if source else "", target.number if target else "")
    memo = typed.get("memo", "").strip()[:NOTE_LIMIT]
    return _checked(TransferOrder(*ends, amount or Decimal(), memo), wrong)


def check_note(typed: Mapping[str, str]) -> Checked[str]:
    """Field text: something, and not too much."""
    text = typed.get("text", "").strip()
    wrong = {
        "text": (not text and "Write something first.")
        or (len(text) > NOTE_LIMIT and f"A note has at most {NOTE_LIMIT} characters.")
    }
    return _checked(text, wrong)


def read_amount(text: str) -> Decimal | None:
    """Dollars with at most two places, such as `25`, `$1,250.00`; nothing when it is no such amount."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        return None
    return Decimal(match[1].replace(",", "") + (match[2] or "")).quantize(Decimal("0.01"))


def _checked(value: Value, wrong: Mapping[str, str | bool]) -> Checked[Value]:
    errors = {name: message for name, message in wrong.items() if isinstance(message, str)}
    return Checked(errors=errors) if errors else Checked(value)
