"""Statements: choose account and month, download a file."""

from collections.abc import Callable, Mapping

from starlette.responses import Response
from starlette.routing import Route

from engine.demo.books import Member
from engine.demo.desk import Visit, of_member
from engine.demo.statement import Statement, months_of

_FORMATS: Mapping[str, tuple[str, Callable[[Statement], bytes]]] = {
    "csv": ("text/csv", Statement.as_csv),
    "pdf": ("application/pdf", Statement.as_pdf),
}


async def show_statements(visit: Visit, member: Member) -> Response:
    """The choice of account and month."""
    return _form(visit, member, "")


async def download_statement(visit: Visit, member: Member) -> Response:
    """One file; the form again when nothing was posted, 404 for another's account or an unknown format."""
    records = visit.desk.bank.records
    account, month, kind = records.account(visit.asked("account")), visit.asked("month"), visit.asked("format")
    if account is None or account.member_id != member.id or kind not in _FORMATS:
        return visit.page("missing.html", 404)
    posted = tuple(each for each in records.transactions(account.number) if f"{each.posted:%Y-%m}" == month)
    if not posted:
        return _form(visit, member, visit.desk.tenant.words["no_statement"])
    media_type, render = _FORMATS[kind]
    content = render(Statement(visit.desk.tenant.words["bank"], member, account, month, posted))
    visit.log("download_statement", member.id, account=account.number, month=month, format=kind)
    headers = {"Content-Disposition": f'attachment; filename="statement-{account.number}-{month}.{kind}"'}
    return Response(content, media_type=media_type, headers=headers)


def _form(visit: Visit, member: Member, error: str) -> Response:
    records = visit.desk.bank.records
    accounts = records.accounts(member.id)
    months = months_of([each for account in accounts for each in records.transactions(account.number)])
    chosen = {name: visit.asked(name) for name in ("account", "month")}
    return visit.page("statements.html", member=member, accounts=accounts, months=months, chosen=chosen, error=error)


ROUTES: tuple[Route, ...] = (
    Route("/members/{member_id}/statements", of_member(show_statements)),
    Route("/members/{member_id}/statements/file", of_member(download_statement)),
)
