"""`/admin/capabilities`: every version with its state."""

from starlette.responses import Response

from engine.assembly.reviewing import Reviewed
from engine.web.page import Page
from engine.web.visit import Visit

FILTERS = ("draft", "approved", "")


async def listed(visit: Visit) -> Response:
    """By state, drafts first; files that do not parse are shown with why."""
    wanted = visit.request.query_params.get("state", "")
    found = list(visit.admin.reviewing.all())
    versions = [each for each in found if isinstance(each, Reviewed) and wanted in ("", each.state)]
    versions.sort(key=lambda each: (each.state != "draft", each.capability.id, each.capability.version))
    broken = [each for each in found if not isinstance(each, Reviewed)]
    return visit.page("capabilities.html", versions=versions, broken=broken, wanted=wanted, filters=FILTERS)


PAGES = (Page("/admin/capabilities", listed),)
