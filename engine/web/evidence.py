"""Evidence files, by run id and a name of the manifest: pictures in a sandbox, everything else as a download."""

from urllib.parse import quote

from starlette.responses import Response

from engine.web.folder import Folder
from engine.web.page import Page
from engine.web.visit import Visit

SANDBOX = "sandbox; default-src 'none'; frame-ancestors 'none'"


async def file(visit: Visit) -> Response:
    """The bytes as they are recorded, inert whatever they hold."""
    row = visit.admin.runs.get(visit.given("run_id"))
    name = visit.given("name")
    content = Folder(visit.admin.settings.evidence / row.run_id).read(name)
    picture = name.startswith("screenshots/") and content.startswith(b"\xff\xd8\xff")
    last = name.rpartition("/")[2]
    headers = {"content-security-policy": SANDBOX}
    if not picture:
        headers["content-disposition"] = f"attachment; filename*=UTF-8''{quote(last, safe='')}"
    return Response(content, 200, headers, "image/jpeg" if picture else "application/octet-stream")


PAGES = (Page("/admin/runs/{run_id}/files/{name:path}", file),)
