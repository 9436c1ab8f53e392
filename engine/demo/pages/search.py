"""Finding members by number or last name: as a page, and as JSON for the tenant that draws its own results."""

from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from engine.demo.books import Member
from engine.demo.desk import PAGE_SIZE, Visit, refuse_script, signed_in
from engine.demo.paging import Sheet

_SCRIPTED = frozenset({"summit"})


async def show_search(visit: Visit) -> Response:
    """The form, and the results below it when something was asked."""
    asked = {name: visit.asked(name) for name in ("member_number", "last_name")}
    submitted = "member_number" in visit.request.query_params
    scripted = visit.desk.tenant.name in _SCRIPTED
    sheet = find(visit) if any(asked.values()) and not scripted else None
    error = visit.desk.tenant.words["search_empty"] if submitted and not any(asked.values()) else ""
    link = "/search?" + urlencode(asked) + "&page="
    return visit.page("search.html", asked=asked, sheet=sheet, error=error, link=link)


async def answer_search(visit: Visit) -> Response:
    """The same results for a script; 400 when nothing was asked."""
    if not (visit.asked("member_number") or visit.asked("last_name")):
        return JSONResponse({"error": visit.desk.tenant.words["search_empty"]}, status_code=400)
    sheet = find(visit)
    columns = visit.desk.tenant.headers("members")
    return JSONResponse(
        {
            "page": sheet.number,
            "pages": sheet.pages,
            "total": sheet.total,
            "columns": [{"key": key, "header": header} for key, header in columns],
            "rows": [member_cells(member) for member in sheet.items],
        }
    )


def find(visit: Visit) -> Sheet[Member]:
    """Search, and say so in the log."""
    number, last_name = visit.asked("member_number"), visit.asked("last_name")
    found = visit.desk.bank.records.find(number, last_name)
    sheet = Sheet.cut(found, visit.asked("page"), PAGE_SIZE)
    asked = {"member_number": number, "last_name": last_name, "page": str(sheet.number), "found": str(sheet.total)}
    visit.log("search", **asked)
    return sheet


def member_cells(member: Member) -> dict[str, str]:
    """What the results show of a member, by column."""
    return {
        "number": member.id,
        "name": member.name,
        "town": member.address.city,
        "phone": member.phone,
        "status": member.status,
    }


ROUTES: tuple[Route, ...] = (
    Route("/search", signed_in(show_search)),
    Route("/api/members", signed_in(answer_search, refuse_script)),
)
