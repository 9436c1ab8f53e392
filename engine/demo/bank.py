"""The bank behind the console: opens the books in SQLite and changes them."""

import sqlite3
from pathlib import Path
from typing import Self

from engine.demo.books import Account, Address, Member, Note, Transaction, TransferOrder
from engine.demo.records import Records, cents
from engine.demo.seed import BUSINESS_DATE, Opening

_SCHEMA = """
CREATE TABLE member (
    id TEXT PRIMARY KEY, first_name TEXT, last_name TEXT, street TEXT, city TEXT, state TEXT, zip_code TEXT,
    phone TEXT, email TEXT, joined TEXT, status TEXT);
CREATE TABLE account (
    number TEXT PRIMARY KEY, member_id TEXT REFERENCES member (id), type TEXT, nickname TEXT,
    balance INTEGER CHECK (balance >= 0), hold INTEGER, opened TEXT);
CREATE TABLE posting (
    seq INTEGER PRIMARY KEY, account TEXT REFERENCES account (number), posted TEXT, description TEXT,
    amount INTEGER, balance INTEGER);
CREATE INDEX posting_by_account ON posting (account);
CREATE TABLE transfer (
    reference TEXT PRIMARY KEY, member_id TEXT, from_account TEXT, to_account TEXT, amount INTEGER, memo TEXT,
    teller TEXT);
CREATE TABLE note (member_id TEXT REFERENCES member (id), written TEXT, teller TEXT, text TEXT);
"""


class Bank:
    """The books of one tenant; reads go through `records`, every change is one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.records = Records(connection)

    @classmethod
    def open(cls, database: Path, opening: Opening) -> Self:
        """Create the books in a new file and fill them."""
        connection = sqlite3.connect(database, isolation_level=None)
        connection.row_factory = sqlite3.Row
        # The file is thrown away at the end, so nothing is gained by waiting for the disk.
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_SCHEMA)
        _fill(connection, opening)
        return cls(connection)

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def change_address(self, member_id: str, address: Address) -> None:
        """Write a member's new address."""
        self._connection.execute(
            "UPDATE member SET street = ?, city = ?, state = ?, zip_code = ? WHERE id = ?",
            (address.street, address.city, address.state, address.zip_code, member_id),
        )

    def transfer(self, member_id: str, order: TransferOrder, teller: str) -> str:
        """Move the money, once for every call; answers the reference."""
        amount = cents(order.amount)
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            count = self._connection.execute("SELECT count(*) FROM transfer").fetchone()[0]
            reference = f"T{count + 1:06d}"
            self._post(order.from_account, f"Transfer to {order.to_account}", -amount)
            self._post(order.to_account, f"Transfer from {order.from_account}", amount)
            row = (reference, member_id, order.from_account, order.to_account, amount, order.memo, teller)
            self._connection.execute("INSERT INTO transfer VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        return reference

    def add_note(self, member_id: str, text: str, teller: str) -> None:
        """Leave a note on a member."""
        row = (member_id, BUSINESS_DATE.isoformat(), teller, text)
        self._connection.execute("INSERT INTO note VALUES (?, ?, ?, ?)", row)

    def _post(self, account: str, description: str, amount: int) -> None:
        self._connection.execute("UPDATE account SET balance = balance + ? WHERE number = ?", (amount, account))
        self._connection.execute(
            "INSERT INTO posting (account, posted, description, amount, balance) "
            "SELECT number, ?, ?, ?, balance FROM account WHERE number = ?",
            (BUSINESS_DATE.isoformat(), description, amount, account),
        )


def _fill(connection: sqlite3.Connection, opening: Opening) -> None:
    connection.execute("BEGIN")
    with connection:
        connection.executemany(_insert("member", 11), map(_member_row, opening.members))
        connection.executemany(_insert("account", 7), map(_account_row, opening.accounts))
        connection.executemany(_insert("posting", 6), map(_posting_row, opening.transactions))
        connection.executemany(_insert("note", 4), map(_note_row, opening.notes))


def _insert(table: str, columns: int) -> str:
    return f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})"


def _member_row(member: Member) -> tuple[str, ...]:
    address = member.address
    who = (member.id, member.first_name, member.last_name)
    where = (address.street, address.city, address.state, address.zip_code)
    return (*who, *where, member.phone, member.email, member.joined.isoformat(), member.status)


def _account_row(account: Account) -> tuple[str | int, ...]:
    hold = cents(account.balance - account.available)
    names = (account.number, account.member_id, account.type, account.nickname)
    return (*names, cents(account.balance), hold, account.opened.isoformat())


def _posting_row(posting: Transaction) -> tuple[str | int | None, ...]:
    amounts = (cents(posting.amount), cents(posting.balance))
    return (None, posting.account, posting.posted.isoformat(), posting.description, *amounts)


def _note_row(note: Note) -> tuple[str, ...]:
    return (note.member_id, note.written.isoformat(), note.teller, note.text)
