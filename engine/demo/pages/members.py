"""One member: details, accounts, and the transactions of an account."""

from starlette.responses import Response
from starlette.routing import Route

from engine.demo.books import Member
from engine.demo.desk import PAGE_SIZE, Visit, of_member
from engine.demo.paging import Sheet


async def show_member(visit: Visit, member: Member) -> Response:
    """Details and accounts."""
    visit.log("view_member", member.id)
    return visit.page("member.html", member=member, accounts=visit.desk.bank.records.accounts(member.id))


async def show_transactions(visit: Visit, member: Member) -> Response:
    """The postings of one account, newest first; 404 when the account is not the member's."""
    records = visit.desk.bank.records
    account = records.account(visit.request.path_params["account"])
    if account is None or account.member_id != member.id:
        return visit.page("missing.html", 404)
    sheet = Sheet.cut(records.transactions(account.number)[::-1], visit.asked("page"), PAGE_SIZE)
    visit.log("view_transactions", member.id, account=account.number, page=str(sheet.number))
    link = f"{visit.request.url.path}?page="
    return visit.page("transactions.html", member=member, account=account, sheet=sheet, link=link)


ROUTES: tuple[Route, ...] = (
    Route("/members/{member_id}", of_member(show_member)),
    Route("/members/{member_id}/accounts/{account}", of_member(show_transactions)),
)
