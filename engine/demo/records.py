"""What the bank's books say now, read from SQLite."""

import sqlite3
from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from engine.demo.books import Account, Address, Member, Note, Transaction, Transfer

_ACCOUNTS = "SELECT number, member_id, type, nickname, balance, hold, opened FROM account"
_MEMBERS = "SELECT id, first_name, last_name, street, city, state, zip_code, phone, email, joined, status FROM member"
_TRANSACTIONS = "SELECT seq, account, posted, description, amount, balance FROM posting"
_TRANSFERS = "SELECT reference, member_id, from_account, to_account, amount, memo, teller FROM transfer"


class Records:
    """Reading the books; every answer is a tuple of frozen records, amounts in dollars."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def members(self) -> tuple[Member, ...]:
        """Every member, by number."""
        return tuple(map(_member, self._rows(f"{_MEMBERS} ORDER BY id")))

    def member(self, member_id: str) -> Member | None:
        """The member with this number, if there is one."""
        found = self._rows(f"{_MEMBERS} WHERE id = ?", member_id)
        return next(map(_member, found), None)

    def find(self, member_id: str, last_name: str) -> tuple[Member, ...]:
        """Members with exactly this number and with a last name that begins so; an empty word asks for nothing."""
        return tuple(
            member
            for member in sorted(self.members, key=lambda each: (each.last_name, each.first_name, each.id))
            if member_id in ("", member.id) and member.last_name.casefold().startswith(last_name.casefold())
        )

    @property
    def all_accounts(self) -> tuple[Account, ...]:
        """Every account, by number."""
        return tuple(map(_account, self._rows(f"{_ACCOUNTS} ORDER BY number")))

    def accounts(self, member_id: str) -> tuple[Account, ...]:
        """The accounts of one member, by number."""
        return tuple(map(_account, self._rows(f"{_ACCOUNTS} WHERE member_id = ? ORDER BY number", member_id)))

    def account(self, number: str) -> Account | None:
        """The account with this number, if there is one."""
        return next(map(_account, self._rows(f"{_ACCOUNTS} WHERE number = ?", number)), None)

    def transactions(self, account: str) -> tuple[Transaction, ...]:
        """The postings of one account, oldest first."""
        return tuple(map(_transaction, self._rows(f"{_TRANSACTIONS} WHERE account = ? ORDER BY seq", account)))

    @property
    def transfers(self) -> tuple[Transfer, ...]:
        """Every transfer that happened, oldest first."""
        return tuple(map(_transfer, self._rows(f"{_TRANSFERS} ORDER BY rowid")))

    def notes(self, member_id: str) -> tuple[Note, ...]:
        """The notes on one member, newest first."""
        query = "SELECT member_id, written, teller, text FROM note WHERE member_id = ? ORDER BY written DESC, rowid DESC"
        return tuple(Note(row[0], date.fromisoformat(row[1]), row[2], row[3]) for row in self._rows(query, member_id))

    def _rows(self, query: str, *values: str) -> Iterable[sqlite3.Row]:
        return self._connection.execute(query, values).fetchall()


def dollars(cents: int) -> Decimal:
    """Cents as kept in the database, as dollars with two places."""
    return Decimal(cents).scaleb(-2)


def cents(amount: Decimal) -> int:
    """Dollars as the cents kept in the database."""
    return int(amount.scaleb(2))


def _member(row: sqlite3.Row) -> Member:
    address = Address(row["street"], row["city"], row["state"], row["zip_code"])
    joined = date.fromisoformat(row["joined"])
    return Member(row["id"], row["first_name"], row["last_name"], address, row["phone"], row["email"], joined, row["status"])


def _account(row: sqlite3.Row) -> Account:
    balance, available = dollars(row["balance"]), dollars(max(row["balance"] - row["hold"], 0))
    opened = date.fromisoformat(row["opened"])
    return Account(row["number"], row["member_id"], row["type"], row["nickname"], balance, available, opened)


def _transaction(row: sqlite3.Row) -> Transaction:
    posted = date.fromisoformat(row["posted"])
    return Transaction(row["seq"], row["account"], posted, row["description"], dollars(row["amount"]), dollars(row["balance"]))


def _transfer(row: sqlite3.Row) -> Transfer:
    ends = (row["from_account"], row["to_account"])
    return Transfer(row["reference"], row["member_id"], *ends, dollars(row["amount"]), row["memo"], row["teller"])
