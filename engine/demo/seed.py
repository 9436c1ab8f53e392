"""The books a tenant opens with: the same every time, other names and amounts on every tenant."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from engine.demo.books import Account, Address, Member, Note, Transaction

BUSINESS_DATE = date(2026, 5, 29)
FIRST_MEMBER = 100201
MEMBERS = 52
LARGE_FAMILY = ("Johnson", 13)
PLAIN_MEMBER = "100231"

_FIRST_NAMES = (
    "Avery Blair Carmen Devon Elena Felix Grace Hassan Ingrid Jonas Keiko Leila Marcus Nadia Oscar Priya Quentin Rosa "
    "Samuel Tessa Umar Vera Walter Ximena Yusuf Zoe Amara Bruno Clara Diego Esther Farid"
)
_LAST_NAMES = (
    "Abbott Bergstrom Castillo Delgado Eriksen Fontaine Gallagher Haddad Iwata Jankowski Kowalski Lindqvist Mbeki "
    "Novak Okafor Petrov Quigley Ramirez Sorensen Takahashi Underwood Vasquez Whitaker Young"
)
_STREETS = ("Alder Street", "Birch Lane", "Canal Road", "Dock Street", "Elm Avenue", "Foundry Way", "Garden Court")
_TOWNS = (
    ("Portland", "ME", "04101"),
    ("Burlington", "VT", "05401"),
    ("Concord", "NH", "03301"),
    ("Albany", "NY", "12207"),
    ("Erie", "PA", "16501"),
    ("Duluth", "MN", "55802"),
    ("Madison", "WI", "53703"),
)
_STATUSES = ("Active", "Active", "Active", "Active", "Dormant", "Active", "Restricted")
_SUFFIXES = {"Savings": 1, "Certificate": 40, "Checking": 70}
_PLAIN_PLAN = (("Savings", "Main savings"), ("Checking", "Everyday"))
# Most members look alike; the others make "the savings account" a question with several answers, or with none.
_PLANS = (
    _PLAIN_PLAN,
    (("Savings", "Emergency fund"), ("Savings", "Vacation"), ("Checking", "Household")),
    (("Checking", "Bills"), ("Savings", "Rainy day")),
    _PLAIN_PLAN,
    (("Savings", "House deposit"), ("Savings", "Emergency fund"), ("Savings", "Holiday club")),
    (("Checking", "Everyday"),),
    (("Savings", "Main savings"), ("Certificate", "12-month certificate"), ("Checking", "Everyday")),
)
_MOVES = {
    "Savings": (("Transfer in", 1), ("Dividend", 1), ("Cash deposit", 1), ("Cash withdrawal", -1)),
    "Certificate": (("Dividend", 1), ("Scheduled deposit", 1)),
    "Checking": (
        ("Payroll deposit", 1),
        ("Check deposit", 1),
        ("Debit card purchase", -1),
        ("Bill payment", -1),
        ("ATM withdrawal", -1),
    ),
}
_NOTES = (
    "Prefers to be called in the morning.",
    "Asked about certificate rates.",
    "Identification checked in branch.",
    "New debit card ordered.",
)


@dataclass(frozen=True, slots=True)
class Opening:
    """Everything in the books before the first teller signs in."""

    members: tuple[Member, ...]
    accounts: tuple[Account, ...]
    transactions: tuple[Transaction, ...]
    notes: tuple[Note, ...]


def opening_books(tenant: str) -> Opening:
    """Draw the books of `tenant`; equal for equal names."""
    dice = Random(f"teller console of {tenant}")
    members = tuple(_member(dice, position) for position in range(MEMBERS))
    accounts: list[Account] = []
    transactions: list[Transaction] = []
    for position, member in enumerate(members):
        for account, postings in _accounts(dice, position, member):
            accounts.append(account)
            transactions.extend(postings)
    notes = tuple(note for member in members for note in _notes(dice, member))
    return Opening(members, tuple(accounts), tuple(transactions), notes)


def _member(dice: Random, position: int) -> Member:
    family, size = LARGE_FAMILY
    # Every fourth member belongs to the large family, so that its search has more than one page.
    last = family if position % 4 == 0 and position // 4 < size else dice.choice(_LAST_NAMES.split())
    first = dice.choice(_FIRST_NAMES.split())
    town, state, zip_code = dice.choice(_TOWNS)
    return Member(
        id=str(FIRST_MEMBER + position),
        first_name=first,
        last_name=last,
        address=Address(f"{dice.randrange(2, 990)} {dice.choice(_STREETS)}", town, state, zip_code),
        phone=f"({dice.randrange(201, 899)}) 555-{dice.randrange(100, 200):04d}",
        email=f"{first}.{last}{position}@example.com".lower(),
        joined=BUSINESS_DATE - timedelta(days=dice.randrange(400, 9000)),
        status=dice.choice(_STATUSES),
    )


def _accounts(dice: Random, position: int, member: Member) -> Iterator[tuple[Account, list[Transaction]]]:
    plan = _PLAIN_PLAN if member.id == PLAIN_MEMBER else _PLANS[position % len(_PLANS)]
    used: dict[str, int] = {}
    for kind, nickname in plan:
        used[kind] = used.get(kind, -1) + 1
        number = f"{member.id}-{_SUFFIXES[kind] + used[kind]:02d}"
        postings = _postings(dice, number, kind)
        balance = postings[-1].balance
        # Balance and available differ for the plain member, so that reading the wrong column shows.
        hold = _dollars(dice, 5, 90) if member.id == PLAIN_MEMBER or dice.random() < 0.5 else Decimal("0.00")
        opened = member.joined + timedelta(days=dice.randrange(0, 200))
        yield Account(number, member.id, kind, nickname, balance, max(balance - hold, Decimal("0.00")), opened), postings


def _postings(dice: Random, number: str, kind: str) -> list[Transaction]:
    posted = date(2025, 12, dice.randrange(1, 9))
    balance = _dollars(dice, 400, 9000)
    postings = [Transaction(0, number, posted, "Opening balance", balance, balance)]
    while (posted := posted + timedelta(days=dice.randrange(2, 12))) < BUSINESS_DATE:
        description, sign = dice.choice(_MOVES[kind])
        # A withdrawal takes at most a third, so no account is ever overdrawn.
        limit = 900 if sign > 0 else max(int(balance / 3), 2)
        amount = sign * _dollars(dice, 1, limit)
        balance += amount
        postings.append(Transaction(0, number, posted, description, amount, balance))
    return postings


def _notes(dice: Random, member: Member) -> Iterator[Note]:
    for text in dice.sample(_NOTES, dice.randrange(0, 3)):
        yield Note(member.id, BUSINESS_DATE - timedelta(days=dice.randrange(3, 300)), "teller2", text)


def _dollars(dice: Random, low: int, high: int) -> Decimal:
    return Decimal(dice.randrange(low * 100, high * 100)) / 100
