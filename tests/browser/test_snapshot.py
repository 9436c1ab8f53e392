from engine.browser.session import Session
from engine.browser.snapshot import Snapshot, take
from engine.browser.snapshot_mask import MASK
from tests.pages import Pages


async def look(session: Session, pages: Pages, html: str) -> Snapshot:
    pages["/"] = html
    await session.open(pages.url)
    return await take(session.page)


async def test_a_page_becomes_a_tree_with_refs_that_resolve(session: Session, pages: Pages) -> None:
    """Url, title, roles, names and refs are there, and a ref leads back to its element, also on the second document."""
    await look(session, pages, "<title>One</title><button>Other</button>")
    await look(session, pages, "<title>Two</title><h1>Head</h1><button>Go</button>")
    snapshot = await session.look()
    assert (snapshot.url, snapshot.title) == (f"{pages.url}/", "Two")
    button = next(node for node in snapshot.root.walk() if node.role == "button")
    assert button.name == "Go"
    assert await session.element(button.ref or "").text() == "Go"


async def test_secret_fields_are_masked_everywhere(session: Session, pages: Pages) -> None:
    """Password, card and one-time fields are masked in page, frame and open shadow root; other fields are not."""
    pages["/frame"] = "<input aria-label=Card autocomplete=cc-number value='4111 1111 1111 1111'>"
    snapshot = await look(
        session,
        pages,
        """<input aria-label=User value=anna><input aria-label=P type=password value=hunter22>
        <input aria-label=Code autocomplete='section-a one-time-code' value=991827>
        <input aria-label=Shown id=new-password value=opensesame1 placeholder=opensesame1>
        <p>You typed opensesame1 just now</p><iframe src=/frame></iframe><div id=host></div>
        <script>host.attachShadow({mode: 'open'}).innerHTML
            = '<input type=password aria-label=Deep value=s3cretdeep>'</script>""",
    )
    for secret in ("hunter22", "991827", "opensesame1", "4111", "s3cretdeep"):
        assert secret not in snapshot.yaml
        assert secret not in repr(snapshot.root)
    held = {node.name: node.text for node in snapshot.root.walk() if node.role == "textbox"}
    assert held == {"User": "anna", "P": MASK, "Code": MASK, "Shown": MASK, "Card": MASK, "Deep": MASK}
    assert f"You typed {MASK} just now" in snapshot.yaml


async def test_a_short_secret_does_not_corrupt_the_page(session: Session, pages: Pages) -> None:
    """A password that is a common word is masked in its field and nowhere else."""
    snapshot = await look(session, pages, "<h1>The bank</h1><input type=password aria-label=P value=bank>")
    assert "The bank" in snapshot.yaml
    assert MASK in snapshot.yaml


async def test_what_cannot_be_seen_is_said(session: Session, pages: Pages) -> None:
    """Closed shadow roots, hidden file fields and silent frames become notices; content frames and light ones do not."""
    snapshot = await look(
        session,
        pages,
        """<x-closed style='display:block;width:90px;height:20px'></x-closed><x-light>text</x-light>
        <label>Scan <input type=file style='display:none'></label><iframe src=/nothing title=gone></iframe>
        <iframe srcdoc='<p>Hello</p>'></iframe>
        <script>document.querySelector('x-closed').attachShadow({mode: 'closed'}).innerHTML = '<button>In</button>'</script>""",
    )
    said = " ".join(snapshot.notices)
    assert "<x-closed>" in said
    assert "x-light" not in said
    assert "hidden file field (Scan)" in said
    assert "Hello" in snapshot.yaml


async def test_a_page_drawn_late_is_waited_for(session: Session, pages: Pages) -> None:
    """An empty tree is looked at again until something is drawn."""
    pages["/"] = """<body style='display:none'><button>Late</button><script>
        setTimeout(() => { document.body.style.display = 'block' }, 400)</script>"""
    await session.page.goto(pages.url)
    assert "Late" in (await take(session.page)).yaml


async def test_the_focus_is_told(session: Session, pages: Pages) -> None:
    """The focused field's ref is given; with nothing focused there is none."""
    assert (await look(session, pages, "<input aria-label=One><button>Two</button>")).focused is None
    await session.page.get_by_label("One").focus()
    snapshot = await take(session.page)
    focused = snapshot.root.find(snapshot.focused or "")
    assert focused and focused.name == "One"


def items(count: int, tag: str = "tr") -> str:
    cell = (
        "<td>Row {0}<td><a href=/x/{0}>Open {0}</a><td>a<td>b" if tag == "tr" else "<b>Row {0}</b><a href=/x/{0}>Open {0}</a>"
    )
    rows = "".join(f"<{tag}>{cell.format(number)}</{tag}>" for number in range(count))
    return f"<table><tbody>{rows}</tbody></table>" if tag == "tr" else rows


def left(snapshot: Snapshot) -> list[tuple[str, str | None]]:
    return [(node.states[0], node.ref) for node in snapshot.root.walk() if node.role == "more"]


async def test_a_huge_document_is_read_in_part_and_says_how_much_is_left(session: Session, pages: Pages) -> None:
    """Long tables, lists and cards, in the page, a frame and a shadow root, end in a count; what stands after them is read."""
    pages["/frame"] = f"<ul>{items(3000, 'li')}</ul><button>In frame</button>"
    snapshot = await look(
        session,
        pages,
        f"""<h1>All</h1>{items(1200)}<div>{items(900, "div")}</div><section id=host></section><button>Last</button>
        <iframe src=/frame width=500></iframe><script>host.attachShadow({{mode: 'open'}}).innerHTML
            = `<div>{items(700, "p")}</div>`</script>""",
    )
    assert [count for count, _ in left(snapshot)] == ["1000", "700", "500", "2000"]
    names = {node.name for node in snapshot.root.walk()}
    assert {"Last", "In frame", "Open 0"} <= names
    assert "Open 1199" not in names
    assert await session.page.get_by_role("link", name="Open 1199", exact=True).count() == 1, "Playwright sees all of it again"


async def test_what_is_widened_of_a_huge_document_is_read_to_its_end(session: Session, pages: Pages) -> None:
    """The ref in the count, or one around it, brings the rest; its refs lead to the elements."""
    await look(session, pages, f"<div role=region aria-label=Items>{items(1500)}</div>{items(2000, 'div')}")
    snapshot = await session.look()
    (_, within), _ = left(snapshot)
    snapshot = await session.look(frozenset({within or ""}))
    assert len(left(snapshot)) == 1
    last = next(node for node in snapshot.root.walk() if node.name == "Open 1499")
    assert await session.element(last.ref or "").text() == "Open 1499"
