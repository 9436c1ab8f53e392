"""Moving money between two accounts of a member; sent twice, it moves twice."""

from collections.abc import Mapping

from starlette.responses import Response
from starlette.routing import Route

from engine.demo.books import Member
from engine.demo.desk import Visit, of_member, see_other
from engine.demo.forms import check_transfer


async def show_transfer(visit: Visit, member: Member) -> Response:
    """The empty form."""
    return _form(visit, member, {}, {})


async def make_transfer(visit: Visit, member: Member) -> Response:
    """Move the money and show the receipt, or show the form again with what is wrong."""
    typed = await visit.typed()
    bank = visit.desk.bank
    checked = check_transfer(typed, bank.records.accounts(member.id))
    if checked.value is None:
        return _form(visit, member, typed, checked.errors)
    order = checked.value
    reference = bank.transfer(member.id, order, visit.session.teller)
    moved = {"from_account": order.from_account, "to_account": order.to_account, "amount": str(order.amount)}
    visit.log("transfer", member.id, **moved, memo=order.memo, reference=reference)
    return see_other(f"/members/{member.id}/transfers/{reference}")


async def show_receipt(visit: Visit, member: Member) -> Response:
    """What was moved; 404 when the transfer is not the member's."""
    reference = visit.request.path_params["reference"]
    own = [each for each in visit.desk.bank.records.transfers if each.member_id == member.id]
    transfer = next((each for each in own if each.reference == reference), None)
    if transfer is None:
        return visit.page("missing.html", 404)
    return visit.page("receipt.html", member=member, transfer=transfer)


def _form(visit: Visit, member: Member, typed: Mapping[str, str], errors: Mapping[str, str]) -> Response:
    accounts = visit.desk.bank.records.accounts(member.id)
    return visit.page("transfer.html", member=member, accounts=accounts, typed=typed, errors=errors)


ROUTES: tuple[Route, ...] = (
    Route("/members/{member_id}/transfer", of_member(show_transfer)),
    Route("/members/{member_id}/transfer", of_member(make_transfer), methods=["POST"]),
    Route("/members/{member_id}/transfers/{reference}", of_member(show_receipt)),
)
