"""A month of one account, as CSV and as PDF."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from engine.demo.books import Account, Member, Transaction
from engine.demo.pdf import text_pdf


@dataclass(frozen=True, slots=True)
class Statement:
    """What a statement says; `month` is `YYYY-MM`, transactions are oldest first."""

    bank: str
    member: Member
    account: Account
    month: str
    transactions: tuple[Transaction, ...]

    def as_csv(self) -> bytes:
        """One row a transaction below a header row."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["Date", "Description", "Amount", "Balance"])
        writer.writerows((each.posted, each.description, each.amount, each.balance) for each in self.transactions)
        return text.getvalue().encode()

    def as_pdf(self) -> bytes:
        """A page or more of text."""
        head = [
            self.bank,
            f"Statement for {self.month}",
            "",
            f"{self.member.name}, member {self.member.id}",
            f"{self.account.title} ({self.account.nickname})",
            "",
            f"{'Date':<12}{'Description':<34}{'Amount':>12}{'Balance':>14}",
        ]
        lines = [
            f"{each.posted.isoformat():<12}{each.description[:32]:<34}{each.amount:>12,.2f}{each.balance:>14,.2f}"
            for each in self.transactions
        ]
        return text_pdf(head + lines)


def months_of(transactions: Sequence[Transaction]) -> tuple[str, ...]:
    """Months in which something was posted, as `YYYY-MM`, newest first."""
    return tuple(sorted({f"{each.posted:%Y-%m}" for each in transactions}, reverse=True))
