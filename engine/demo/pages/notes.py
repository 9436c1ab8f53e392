"""The notes on a member, shown in a frame of the member's page."""

from starlette.responses import Response
from starlette.routing import Route

from engine.demo.books import Member
from engine.demo.desk import Visit, of_member, refuse_in_frame, see_other
from engine.demo.forms import Checked, check_note


async def show_notes(visit: Visit, member: Member) -> Response:
    """The list and an empty form."""
    return _frame(visit, member, "", Checked())


async def add_note(visit: Visit, member: Member) -> Response:
    """Add what was typed, or say what is wrong with it."""
    typed = await visit.typed()
    checked = check_note(typed)
    if checked.value is None:
        return _frame(visit, member, typed.get("text", ""), checked)
    visit.desk.bank.add_note(member.id, checked.value, visit.session.teller)
    visit.log("add_note", member.id, text=checked.value)
    return see_other(f"{visit.request.url.path}?added=1")


def _frame(visit: Visit, member: Member, text: str, checked: Checked[str]) -> Response:
    # The session's waiting message belongs to the page around the frame, so the frame leaves it alone.
    message = visit.desk.tenant.words["note_added"] if visit.asked("added") else ""
    notes = visit.desk.bank.records.notes(member.id)
    return visit.desk.page(
        visit.request, "notes.html", member=member, notes=notes, text=text, errors=checked.errors, message=message
    )


ROUTES: tuple[Route, ...] = (
    Route("/members/{member_id}/notes", of_member(show_notes, refuse_in_frame)),
    Route("/members/{member_id}/notes", of_member(add_note, refuse_in_frame), methods=["POST"]),
)
