"""The first page: what waits for the visitor, what is going on, and in a fresh home what to do next."""

from starlette.responses import Response

from engine.assembly.planning import chosen_model
from engine.assembly.reviewing import Reviewed
from engine.errors import CapwrightError
from engine.web.page import Page
from engine.web.visit import Visit


async def home(visit: Visit) -> Response:
    """Counts and the newest runs; three steps to begin with where nothing has run yet."""
    versions = [each for each in visit.admin.reviewing.all() if isinstance(each, Reviewed)]
    return visit.page(
        "home.html",
        runs=visit.admin.runs.list(limit=5),
        drafts=[each for each in versions if each.state == "draft"],
        approved=[each for each in versions if each.state == "approved"],
        model=_model(visit),
        home=visit.admin.settings.home,
    )


async def root(visit: Visit) -> Response:
    """There is nothing outside the admin."""
    return visit.go("/admin")


def _model(visit: Visit) -> str:
    try:
        return chosen_model(visit.admin.settings).says
    except CapwrightError as error:
        return str(error)


PAGES = (Page("/admin", home), Page("/", root, right=None))
