import csv
import io
import re
from decimal import Decimal
from pathlib import Path

from engine.demo.bank import Bank
from engine.demo.pdf import text_pdf
from engine.demo.seed import opening_books
from engine.demo.statement import Statement, months_of


def statement(tmp_path: Path) -> Statement:
    bank = Bank.open(tmp_path / "bank.sqlite", opening_books("harbor"))
    records = bank.records
    member, account = records.member("100231"), records.account("100231-70")
    assert member is not None
    assert account is not None
    postings = records.transactions(account.number)
    bank.close()
    return Statement("Harbor", member, account, months_of(postings)[0], postings)


def test_the_csv_holds_every_transaction(tmp_path: Path) -> None:
    """A header and a row each, with amounts as plain decimals."""
    made = statement(tmp_path)
    header, *rows = csv.reader(io.StringIO(made.as_csv().decode()))
    assert header == ["Date", "Description", "Amount", "Balance"]
    assert [Decimal(row[2]) for row in rows] == [each.amount for each in made.transactions]


def test_every_entry_of_the_pdf_index_points_at_its_object(tmp_path: Path) -> None:
    """Readers find objects by offset, so each offset must be exact."""
    content = statement(tmp_path).as_pdf()
    assert content.startswith(b"%PDF-1.4")
    start = int(re.findall(rb"startxref\n(\d+)", content)[0])
    assert content[start:].startswith(b"xref")
    offsets = re.findall(rb"(\d{10}) 00000 n", content)
    assert len(offsets) >= 5
    for number, offset in enumerate(offsets, start=1):
        assert content[int(offset) :].startswith(b"%d 0 obj" % number)


def test_every_stream_of_the_pdf_has_its_stated_length() -> None:
    """Two pages of text, with the characters a PDF string must escape."""
    content = text_pdf([r"a (b) \c ü 漢"] * 60)
    assert b"/Count 2" in content
    assert rb"(a \(b\) \\c " in content
    for length, stream in re.findall(rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", content, re.S):
        assert len(stream) == int(length)
