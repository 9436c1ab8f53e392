"""A small site that has one of everything, and the capability that uses all of it."""

from typing import Any

from starlette.responses import Response

from engine.domain.capability import Capability
from tests.capabilities import button, field
from tests.pages import Pages

LOGIN = """<h1>Welcome</h1><form method=post action=/find>
<label>Customer <input name=customer></label><label>PIN <input type=password name=pin></label><button>Find</button></form>"""
ACCOUNTS = """<h1>Accounts</h1><table><tr><td><table><thead><tr><th>Balance</th><th>Kind</th><th>Open</th></tr></thead>
<tr><td>1,204.55</td><td>Deposit</td><td><button>Show</button></td></tr>
<tr><td>7.00</td><td>Loan</td><td><button>Show</button></td></tr></table></td></tr></table>"""
PAY = """<form method=post action=/pay><label>Amount <input name=amount></label><button>Pay</button></form>"""
WIDE = """<title>Wide</title>
<div role=region aria-label=Notice id=n><button onclick="this.parentNode.remove()">Got it</button></div>
<main><h1>Customer 4711</h1>
<section aria-label="Accounts"><h2>Current</h2>
 <table><tr><th>Kind</th><th colspan=2>Balance</th><th>Since</th><th>Open</th></tr>
 <tr><td>Deposit</td><td>USD</td><td>$1,204.55</td><td>Jan 05, 2026</td>
  <td><button onclick="said.value='deposit'">Show</button></td></tr>
 <tr><td>Loan</td><td>USD</td><td>($7.00)</td><td>Feb 06, 2026</td>
  <td><button onclick="said.value='loan'">Show</button></td></tr></table>
 <h2>Closed</h2><p><button onclick="said.value='closed'">Reopen</button></p>
 <h2>Old</h2><p><button onclick="said.value='old'">Reopen</button></p>
</section>
<form aria-label=Filter><label>Said <input id=said name=said></label>
 <label>Branch <select name=branch><option>North 1</option><option>South 2</option></select></label>
 <label>File <input type=file name=file></label><input data-test=mark placeholder="Your mark"></form>
<dl><dt>Items:</dt><dd>1,300</dd><dt>Active</dt><dd>Yes</dd><dt>Of</dt><dd>3 of 1,250 items</dd></dl>
<ul aria-label=Names><li>Ada</li><li>Bob</li></ul>
<table aria-label=Plain><tr><th>Name</th><th>Age</th></tr>
 <tr><td>Ada</td><td>36</td></tr><tr><td>Bob</td><td>41</td></tr></table>
<iframe title="Inner part" src=/inner></iframe>
<button onclick="if (confirm('Remove 4711 for good?')) { said.value = 'removed'; fetch('/remove', {method: 'POST'}) }">Remove
</button>
<div id=busy hidden>Busy</div><button onclick="busy.hidden=false;setTimeout(()=>busy.hidden=true,300)">Work</button>
<a href=/report.csv download>Report</a> <a href="/next?page=2" target=_blank>Next page</a></main>"""
INNER = (
    "<label>Word <input oninput=\"document.getElementById('e').textContent=this.value\"></label><p>Echo</p><p id=e>nothing</p>"
)
NEXT = "<h1>Page two</h1><p>Here.</p>"


def fill(pages: Pages) -> None:
    """Put the site on a server."""
    pages["/"], pages["/find"], pages["/pay"] = LOGIN, ACCOUNTS, PAY
    pages["/wide/4711"], pages["/inner"], pages["/next"], pages["/remove"] = WIDE, INNER, NEXT, "ok"
    saved = {"content-disposition": "attachment; filename=report.csv"}
    pages["/report.csv"] = Response("a,b\n", media_type="text/csv", headers=saved)


def target(by: str, role: str, value: str = "", **more: Any) -> dict[str, Any]:
    """A target with one locator."""
    mark = {"role": role, **more.pop("fingerprint", {})}
    locator = {"by": by, "value": value, **({"role": role} if by == "role" else {}), **more}
    return {"description": f'{role} "{value}"', "locators": [locator], "fingerprint": mark}


def named(role: str, value: str, **more: Any) -> dict[str, Any]:
    """A target by role and name."""
    return target("role", role, value, **more)


def inside(role: str, name: str, within: dict[str, Any] | None = None) -> dict[str, Any]:
    """A region around."""
    return {"by": "region", "role": role, "value": name, "within": within}


def in_row(value: str, within: dict[str, Any] | None = None) -> dict[str, Any]:
    """A row around."""
    return {"by": "row", "value": value, "within": within}


ROW = in_row("{{kind}}", inside("region", "Accounts"))
STEPS: list[dict[str, Any]] = [
    {"action": "navigate", "value": "/wide/{{customer}}", "expect": [{"kind": "url", "value": "/wide/{{customer}}"}]},
    {"action": "click", "target": named("button", "Got it"), "optional": True},
    {"action": "click", "target": named("button", "Never shown"), "optional": True},
    {
        "action": "click",
        "target": named("button", "show", within=ROW),
        "expect": [{"kind": "field", "value": "deposit", "target": field("Said")}],
    },
    {
        "action": "click",
        "target": named(
            "button", "Reopen", within={"by": "section", "value": "Closed", "within": inside("region", "Accounts")}
        ),
        "expect": [{"kind": "field", "value": "closed", "target": target("id", "textbox", "said")}],
    },
    {"action": "type", "target": target("test_id", "textbox", "mark"), "value": 'mark of {{customer}} "it\'s"'},
    {"action": "type", "target": target("placeholder", "textbox", "your  MARK"), "value": "{{secret.pin}}"},
    {"action": "type", "target": target("name", "textbox", "said"), "value": "x"},
    {"action": "select", "target": named("combobox", "Branch"), "value": "{{branch}}", "match": "word"},
    {"action": "upload", "target": target("label", "button", "File", fingerprint={"inputType": "file"}), "value": "letter"},
    {"action": "type", "target": named("textbox", "Word", fingerprint={"frames": ["title=Inner part"]}), "value": "spoken"},
    {"action": "press", "target": named("textbox", "Word", fingerprint={"frames": ["path=/in.er"]}), "value": "End"},
    {"action": "hover", "target": target("text", "link", "Report")},
    {
        "action": "click",
        "target": button("Work"),
        "expect": [
            {"kind": "hidden", "target": target("id", "generic", "busy")},
            {"kind": "visible", "target": button("Work")},
        ],
    },
    {
        "action": "click",
        "target": button("Remove"),
        "effect": "commit",
        "dialog": {"type": "confirm", "message": "(?i)^Remove {{customer}} for", "answer": "accept"},
    },
    {"action": "click", "target": named("link", "^repo.t$", match="pattern")},
    {
        "action": "extract",
        "extract": [
            {
                "output": "balance",
                "kind": "cell",
                "target": target("cell", "cell", "{{kind}}", column="Since", within=inside("region", "Accounts")),
                "parser": {"type": "date"},
            },
            {
                "output": "items",
                "kind": "after_label",
                "target": target("after", "definition", "Items"),
                "parser": {"type": "integer"},
            },
            {
                "output": "active",
                "kind": "after_label",
                "target": target("after", "definition", "Active"),
                "parser": {"type": "boolean"},
            },
            {
                "output": "part",
                "kind": "after_label",
                "target": target("after", "definition", "Of"),
                "parser": {"type": "decimal", "pattern": r"(?i)^\d+\s*of\s*(.+?)\s*items$"},
            },
            {
                "output": "owed",
                "kind": "cell",
                "target": target("text", "cell", r"\$\d", match="pattern", within=in_row("Loan")),
                "parser": {"type": "currency"},
            },
            {"output": "said", "kind": "field", "target": field("Said")},
            {"output": "names", "kind": "list", "target": named("list", "Names")},
            {"output": "people", "kind": "table", "columns": ["Age", "Name"], "target": named("table", "Plain")},
            {"output": "rows", "kind": "table", "target": named("table", "Plain")},
            {"output": "link", "kind": "attribute", "attribute": "href", "target": named("link", "Next page")},
            {
                "output": "echo",
                "kind": "text",
                "target": target("id", "paragraph", "e", fingerprint={"frames": ["title=Inner part"]}),
            },
            {"output": "report", "kind": "file"},
        ],
    },
    {"action": "click", "target": named("link", "Next page"), "expect": [{"kind": "url", "value": "/next"}]},
    {
        "action": "extract",
        "extract": [{"output": "page", "kind": "url_part", "attribute": "query.page", "parser": {"type": "integer"}}],
    },
    {"action": "switch_tab", "value": "0"},
]
WIDE_READ = {
    "balance": "2026-01-05", "items": 1300, "active": True, "part": "1250", "owed": {"amount": "-7.00", "currency": "USD"},
    "said": "removed", "names": ["Ada", "Bob"], "people": [{"Age": "36", "Name": "Ada"}, {"Age": "41", "Name": "Bob"}],
    "rows": [["Name", "Age"], ["Ada", "36"], ["Bob", "41"]], "echo": "spoken", "page": 2,
}  # fmt: skip
"""What the script must print, but for the link and the file, which hold the server's address and a path."""


def wide() -> Capability:
    """A step of every kind, a locator of every kind, an extractor of every kind."""
    inputs = {
        "customer": {"type": "string", "examples": ["990077"]}, "kind": {"type": "string", "enum": ["Deposit", "Loan"]},
        "branch": {"type": "string", "description": "100% of the branches"}, "memo": {"type": "string"},
        "pin": {"type": "string", "x-secret": True},
    }  # fmt: skip
    steps = [{"id": f"s{number}", **step} for number, step in enumerate(STEPS, 1)]
    return Capability.model_validate(
        {
            "id": "use-everything",
            "version": "2.3.4",
            "title": 'Use "everything" \\ once',
            "description": 'It says """so""" itself.',
            "target": "http://127.0.0.1:1",
            "inputs": {"type": "object", "properties": inputs, "required": ["customer", "kind", "branch", "pin"]},
            "outputs": {"type": "object", "properties": {}, "required": [*WIDE_READ, "link", "report"]},
            "steps": steps,
            "checkpoint": [{"kind": "url", "value": "/wide/{{customer}}"}, {"kind": "text", "value": "customer {{customer}}"}],
            "riskClass": "irreversible",
        }
    )
