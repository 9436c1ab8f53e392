"""The console's pages, one module an area; `ROUTES` lists them all."""

from starlette.routing import Route

from engine.demo.pages import address, entry, members, notes, search, statements, transfer

ROUTES: tuple[Route, ...] = (
    *entry.ROUTES,
    *search.ROUTES,
    *members.ROUTES,
    *notes.ROUTES,
    *address.ROUTES,
    *transfer.ROUTES,
    *statements.ROUTES,
)
