from collections import Counter
from decimal import Decimal

import pytest

from engine.demo.seed import PLAIN_MEMBER, Opening, opening_books
from engine.demo.tenants import TENANTS


@pytest.fixture(params=sorted(TENANTS))
def opening(request: pytest.FixtureRequest) -> Opening:
    return opening_books(request.param)


def test_books_are_the_same_every_time(opening: Opening) -> None:
    """Two drawings for one tenant are equal, so that a recorded run can be repeated."""
    assert opening in [opening_books(name) for name in TENANTS]


def test_tenants_keep_different_books() -> None:
    """The plain member's balances differ on every tenant, so that a reading shows where it was made."""
    readings = {
        tuple(each.balance for each in opening_books(name).accounts if each.member_id == PLAIN_MEMBER) for name in TENANTS
    }
    assert len(readings) == len(TENANTS)


def test_there_are_enough_members_and_one_large_family(opening: Opening) -> None:
    """At least forty members, and one last name fills more than a page of ten."""
    assert len({member.id for member in opening.members}) >= 40
    assert Counter(member.last_name for member in opening.members).most_common(1)[0][1] > 10


def test_the_plain_member_has_one_savings_and_one_checking_account(opening: Opening) -> None:
    """Exactly these two, and what is available differs from the balance in both."""
    accounts = [each for each in opening.accounts if each.member_id == PLAIN_MEMBER]
    assert [each.type for each in accounts] == ["Savings", "Checking"]
    assert all(each.available < each.balance for each in accounts)


def test_several_members_have_several_savings_accounts(opening: Opening) -> None:
    """Their nicknames tell the accounts apart."""
    savings = Counter(each.member_id for each in opening.accounts if each.type == "Savings")
    several = [member for member, count in savings.items() if count > 1]
    assert len(several) >= 5
    for member in several:
        names = [each.nickname for each in opening.accounts if (each.member_id, each.type) == (member, "Savings")]
        assert len(set(names)) == len(names)


def test_balances_are_what_the_transactions_add_up_to(opening: Opening) -> None:
    """Each running balance is the sum so far, never below zero, and the last one is the account's."""
    for account in opening.accounts:
        total = Decimal(0)
        for posting in (each for each in opening.transactions if each.account == account.number):
            total += posting.amount
            assert posting.balance == total >= 0
        assert account.balance == total
