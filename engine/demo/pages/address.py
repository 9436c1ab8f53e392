"""Changing a member's address."""

from collections.abc import Mapping
from dataclasses import asdict

from starlette.responses import Response
from starlette.routing import Route

from engine.demo.books import Member
from engine.demo.desk import Visit, of_member, see_other
from engine.demo.forms import STATES, check_address


async def show_address(visit: Visit, member: Member) -> Response:
    """The form with the address as it is."""
    return _form(visit, member, asdict(member.address), {})


async def change_address(visit: Visit, member: Member) -> Response:
    """Write the new address, or show the form again with what was typed and what is wrong."""
    typed = await visit.typed()
    checked = check_address(typed)
    if checked.value is None:
        return _form(visit, member, typed, checked.errors)
    visit.desk.bank.change_address(member.id, checked.value)
    visit.log("change_address", member.id, **asdict(checked.value))
    visit.session.message = visit.desk.tenant.words["address_saved"]
    return see_other(f"/members/{member.id}")


def _form(visit: Visit, member: Member, typed: Mapping[str, str], errors: Mapping[str, str]) -> Response:
    return visit.page("address.html", member=member, typed=typed, errors=errors, states=STATES)


ROUTES: tuple[Route, ...] = (
    Route("/members/{member_id}/address", of_member(show_address)),
    Route("/members/{member_id}/address", of_member(change_address), methods=["POST"]),
)
