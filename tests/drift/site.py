"""A small site of other shapes than the console's: native forms, ARIA widgets, library markup, tables, a wizard; its log is the truth."""

# ruff: noqa: E501

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from engine.demo.serving import serving

COOKIE = {"name": "depot", "value": "open"}
STOCK = tuple((f"SKU-{2300 + 7 * at}", name, 12 + 5 * at, f"{at + 1}.{at}5") for at, name in enumerate(
    ("Bolts", "Nuts", "Washers", "Hinges", "Brackets", "Screws", "Anchors", "Clamps", "Rivets", "Spacers")
))  # fmt: skip
TICKETS = tuple((f"T-{410 + 3 * at}", subject) for at, subject in enumerate(
    ("Printer jam", "Door lock", "New badge", "Lamp broken", "Heating", "Window", "Parking", "Lift noise", "Water", "Keys")
))  # fmt: skip
STYLE = "<style>.row{margin:6px 0;display:block} td,th,[role=cell]{padding:4px 8px} [role=row]{display:flex;gap:20px}</style>"


@dataclass
class Depot:
    """One running site; `operations` is what it really did, oldest first."""

    url: str = ""
    operations: list[tuple[str, dict[str, str]]] = field(default_factory=list)


def page(title: str, main: str) -> str:
    """A whole page."""
    links = "".join(f"<a href=/{path}>{name}</a> " for path, name in (("stock", "Stock list"), ("tickets", "All tickets")))
    head = f"<!doctype html><html lang=en><head><title>{title}</title>{STYLE}</head>"
    return f"{head}<body><header><nav aria-label=Site>{links}</nav></header><main>{main}</main></body></html>"


def row(name: str, label: str, control: str = "<input type=text id={0} name={0}>") -> str:
    """A field with its label before it."""
    return f"<div class=row><label for={name}>{label}</label> {control.format(name)}</div>"


def orders() -> str:
    """A native form."""
    choice = "<select id={0} name={0}><option value=''>Choose</option><option value=std>Standard</option><option value=air>By air</option></select>"
    fields = row("customer", "Customer") + row("quantity", "Quantity") + row("shipping", "Shipping", choice)
    remark = row("remark", "Remark", "<textarea id={0} name={0}></textarea>")
    buttons = (
        "<div class=row><button type=submit data-testid=order-place>Place order</button> <a href=/stock>Cancel order</a></div>"
    )
    aside = "<section><h2>Quick search</h2><form action=/stock><input name=q aria-label='Search stock'><button>Find</button></form></section>"
    return page("Order", f"<h1>New order</h1>{aside}<form method=post action=/orders>{fields}{remark}{buttons}</form>")


def placed(number: str) -> str:
    """What an order ends on."""
    return page("Placed", f"<h1>Order placed</h1><dl><dt>Reference</dt><dd>{number}</dd><dt>State</dt><dd>Open</dd></dl>")


def stock() -> str:
    """A table with a link in each row."""
    rows = "".join(
        f"<tr><td><a href=/stock/{sku}>{sku}</a></td><td>{name}</td><td>{count}</td><td>${price}</td></tr>"
        for sku, name, count, price in STOCK
    )
    head = "<thead><tr><th>Part</th><th>Name</th><th>On hand</th><th>Price</th></tr></thead>"
    return page("Stock", f"<h1>Stock</h1><table id=stock aria-label=Stock>{head}<tbody>{rows}</tbody></table>")


def part(sku: str) -> str:
    """One part."""
    name, count, price = next((name, count, price) for key, name, count, price in STOCK if key == sku)
    facts = f"<dt>Name</dt><dd>{name}</dd><dt>Shelf</dt><dd>Shelf {count}</dd><dt>Price</dt><dd>${price}</dd>"
    return page(sku, f"<h1>Part {sku}</h1><section><h2>Facts</h2><dl>{facts}</dl></section>")


def tickets() -> str:
    """Rows of ARIA with the same button in each, and a dialog that a script makes."""
    rows = "".join(
        f"<div role=row><span role=cell>{number}</span><span role=cell>{subject}</span>"
        f"<span role=cell><button data-js data-ticket={number}>Close</button></span></div>"
        for number, subject in TICKETS
    )
    head = "<div role=row><span role=columnheader>Ticket</span><span role=columnheader>Subject</span><span role=columnheader>Do</span></div>"
    script = """<script>
for (const button of document.querySelectorAll('[data-ticket]')) button.addEventListener('click', () => {
  const box = document.createElement('div');
  box.setAttribute('role', 'dialog'); box.setAttribute('aria-label', 'Close ticket');
  box.innerHTML = `<div class=row><label>Reason <input type=text></label></div>
    <div class=row><span role=checkbox aria-checked=false tabindex=0 data-js>Tell the reporter</span></div>
    <button data-js>Keep open</button> <button data-js>Close for good</button>`;
  const [reason, tell, [keep, close]] = [box.querySelector('input'), box.querySelector('[role=checkbox]'), box.querySelectorAll('button')];
  tell.addEventListener('click', () => tell.setAttribute('aria-checked', tell.getAttribute('aria-checked') !== 'true'));
  keep.addEventListener('click', () => box.remove());
  close.addEventListener('click', async () => {
    const field = box.querySelector('input, textarea') ?? reason;
    const told = tell.isConnected ? tell : box.querySelector('[role=checkbox]') ?? tell;
    const answer = await fetch('/tickets', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({
      ticket: button.dataset.ticket, reason: field.value, tell: String(told.getAttribute('aria-checked')) }) });
    box.remove();
    const said = document.createElement('p'); said.setAttribute('role', 'status'); said.textContent = answer.ok ? 'Ticket closed' : 'It was not saved';
    (document.querySelector('main') ?? document.body).prepend(said);
  });
  document.body.append(box);
});
</script>"""
    return page("Tickets", f"<h1>Tickets</h1><div role=table aria-label=Tickets>{head}{rows}</div>{script}")


def team() -> str:
    """Markup as component libraries write it: hashed classes, generated ids, a combobox of divs."""
    made = [f"mui-{secrets.token_hex(4)}" for _ in range(2)]
    css = [f"css-{secrets.token_hex(3)}" for _ in range(6)]
    script = """<script>
(() => {
  const form = document.querySelector('[data-invite]'), box = form.querySelector('[role=combobox]'), list = form.querySelector('[role=listbox]');
  box.addEventListener('click', () => { list.hidden = !list.hidden; });
  for (const option of list.children) option.addEventListener('click', () => { box.textContent = option.textContent; list.hidden = true; });
  form.querySelector('[data-send]').addEventListener('click', async () => {
    const [mail, name] = form.querySelectorAll('input, textarea');
    const by = (field) => form.querySelector(`[data-field=${field}]`).value;
    const answer = await fetch('/team', { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ mail: by('mail'), name: by('name'), role: box.textContent }) });
    const said = document.createElement('div'); said.setAttribute('role', 'status'); said.textContent = answer.ok ? 'Invitation sent' : 'It was not sent';
    (document.querySelector('main') ?? document.body).append(said);
  });
})();
</script>"""
    field = '<div class="{0} {1}"><label class={2} for={3}>{4}</label><div class={1}><input class={0} type=text id={3} data-field={5}></div></div>'
    fields = field.format(*css[:3], made[0], "E-mail address", "mail") + field.format(*css[:3], made[1], "Full name", "name")
    options = "".join(f"<div role=option data-js class={css[4]}>{each}</div>" for each in ("Viewer", "Editor", "Owner"))
    combo = f"<div class={css[3]} role=combobox data-js tabindex=0 aria-label=Role aria-expanded=false>Viewer</div><div role=listbox aria-label=Roles hidden>{options}</div>"
    send = f"<div class={css[5]}><div role=button tabindex=0 class={css[5]} data-js data-send data-testid=invite-send>Send invitation</div></div>"
    return page(
        "Team", f"<h1>Team</h1><div data-invite class={css[0]}>{fields}<div class={css[1]}>{combo}</div>{send}</div>{script}"
    )


def pay() -> str:
    """The first page of a wizard."""
    fields = row("recipient", "Recipient") + row("amount", "Amount")
    return page(
        "Pay", f"<h1>New payment</h1><form action=/pay/review>{fields}<div class=row><button>Continue</button></div></form>"
    )


def review(asked: dict[str, str]) -> str:
    """The second: what is about to be paid, in words."""
    kept = "".join(f"<input type=hidden name={name} value='{escape(text)}'>" for name, text in asked.items())
    said = f"<p>Amount: <b>${escape(asked.get('amount', ''))}</b></p><p>To: <b>{escape(asked.get('recipient', ''))}</b></p>"
    buttons = "<div class=row><button>Confirm payment</button> <a href=/pay>Change payment</a></div>"
    return page("Review", f"<h1>Check your payment</h1>{said}<form method=post action=/pay>{kept}{buttons}</form>")


async def fields_of(request: Request) -> dict[str, str]:
    """What was sent, as a form or as JSON."""
    if "json" in request.headers.get("content-type", ""):
        return {name: str(text) for name, text in (await request.json()).items()}
    async with request.form() as form:
        return {name: str(text).strip() for name, text in form.items()}


LOGIN = page(
    "Sign in",
    "<form method=post action=/login><label>User <input name=u></label><label>Password <input type=password></label></form>",
)


def app(depot: Depot) -> Starlette:
    """The pages of one site."""

    def inside(answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
        def endpoint(request: Request) -> Response:
            return answer(request) if request.cookies.get(COOKIE["name"]) else RedirectResponse("/login", 303)

        return endpoint

    def shown(text: Callable[[Request], str]) -> Callable[[Request], Response]:
        return inside(lambda request: HTMLResponse(text(request)))

    async def write(request: Request) -> Response:
        if not request.cookies.get(COOKIE["name"]):
            return (
                JSONResponse({}, 401) if "json" in request.headers.get("content-type", "") else RedirectResponse("/login", 303)
            )
        depot.operations.append((request.url.path.strip("/"), await fields_of(request)))
        if "json" in request.headers.get("content-type", ""):
            return JSONResponse({})
        return RedirectResponse(f"{request.url.path}/done/{1000 + len(depot.operations)}", 303)

    async def done(request: Request) -> Response:
        return HTMLResponse(placed(request.path_params["number"]))

    reads = [
        Route("/orders", shown(lambda _request: orders())), Route("/pay", shown(lambda _request: pay())),
        Route("/pay/review", shown(lambda request: review(dict(request.query_params)))),
        Route("/team", shown(lambda _request: team())), Route("/tickets", shown(lambda _request: tickets())),
        Route("/stock", shown(lambda _request: stock())), Route("/stock/{sku}", shown(lambda request: part(request.path_params["sku"]))),
        Route("/login", lambda _request: HTMLResponse(LOGIN)), Route("/{what}/done/{number}", done),
    ]  # fmt: skip
    return Starlette(routes=[*reads, Route("/{what:path}", write, methods=["POST"])])


@asynccontextmanager
async def open_depot() -> AsyncIterator[Depot]:
    """The site on a free loopback port."""
    depot = Depot()
    async with serving(app(depot), 0) as depot.url:
        yield depot
