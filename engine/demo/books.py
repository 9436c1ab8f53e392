"""What the bank keeps: members, accounts, transactions, transfers and notes, as frozen records."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Address:
    """A postal address; `state` is a two-letter code, `zip_code` has five digits."""

    street: str
    city: str
    state: str
    zip_code: str


@dataclass(frozen=True, slots=True)
class Member:
    """One customer of the bank; `id` has six digits."""

    id: str
    first_name: str
    last_name: str
    address: Address
    phone: str
    email: str
    joined: date
    status: str

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"


@dataclass(frozen=True, slots=True)
class Account:
    """One account; amounts are in dollars with two places, `available` leaves out what is on hold."""

    number: str
    member_id: str
    type: str
    nickname: str
    balance: Decimal
    available: Decimal
    opened: date

    @property
    def title(self) -> str:
        """Type and number, as a teller says it."""
        return f"{self.type} {self.number}"


@dataclass(frozen=True, slots=True)
class Transaction:
    """One posting; `amount` is signed, `balance` is the account's balance after it."""

    seq: int
    account: str
    posted: date
    description: str
    amount: Decimal
    balance: Decimal


@dataclass(frozen=True, slots=True)
class Transfer:
    """Money that was moved between two accounts of one member."""

    reference: str
    member_id: str
    from_account: str
    to_account: str
    amount: Decimal
    memo: str
    teller: str


@dataclass(frozen=True, slots=True)
class TransferOrder:
    """A transfer somebody asks for and that was found possible."""

    from_account: str
    to_account: str
    amount: Decimal
    memo: str


@dataclass(frozen=True, slots=True)
class Note:
    """A remark a teller left on a member."""

    member_id: str
    written: date
    teller: str
    text: str
