"""The observer on a real page: what is new, what is referred to, pictures, fingerprints, and what is kept."""

from dataclasses import dataclass, field

from engine.browser.session import Session
from engine.observe.observer import PageObserver, Screenshots
from tests.pages import Pages

NONE: frozenset[str] = frozenset()
PAGE = """<title>Orders</title><nav aria-label=Main><a href=/>Home</a><a href=/orders>Orders</a><a href=/people>People</a></nav>
<h1>Orders of today</h1><p>There are orders that wait for an answer, and some that do not.</p>
<label>Search <input id=q></label><label>Password <input type=password value=opensesame9></label><button>Find orders</button>
<footer>Version 7 of the order desk, with all the words that a footer has</footer>"""


@dataclass
class Kept:
    """What an observer put under the evidence folder."""

    files: list[tuple[bytes, str]] = field(default_factory=list)

    def keep(self, content: bytes, kind: str) -> str:
        self.files.append((content, kind))
        return f"{len(self.files)}.{kind}"


def observer(session: Session, kept: Kept, screenshots: Screenshots = "auto", max_tokens: int = 5000) -> PageObserver:
    return PageObserver(session, max_tokens=max_tokens, screenshots=screenshots, keep=kept.keep)


async def test_the_second_look_tells_what_changed(session: Session, pages: Pages) -> None:
    """The first text is whole; after typing, only the field is written and the first text comes along."""
    pages["/"] = PAGE
    await session.open(pages.url)
    looks = observer(session, Kept())
    first = await looks.observe(problem=False, widened=NONE)
    await session.page.fill("#q", "late ones")
    second = await looks.observe(problem=False, widened=NONE)
    assert first.shown == ""
    assert first.text.startswith(f"URL: {pages.url}/\nTitle: Orders\n")
    assert second.shown == first.text
    assert "textbox Search = late ones (focused)" in second.text
    assert "Home" not in second.text
    assert second.tokens < first.tokens / 2


async def test_refs_of_the_text_lead_to_their_elements(session: Session, pages: Pages) -> None:
    """A ref works on a page opened later, and inside a frame."""
    pages["/frame"] = "<button>Inside</button>"
    pages["/"] = PAGE
    pages["/two"] = "<h1>Two</h1><iframe src=/frame></iframe>"
    await session.open(pages.url)
    await session.open(f"{pages.url}/two")
    seen = await observer(session, Kept()).observe(problem=False, widened=NONE)
    line = next(line for line in seen.text.split("\n") if line.endswith("button Inside"))
    assert line.startswith("f1e")
    assert await session.element(line.split()[0]).text() == "Inside"


async def test_no_secret_is_kept_or_shown(session: Session, pages: Pages) -> None:
    """Neither text nor tree nor kept snapshot holds what a password field holds."""
    pages["/"] = PAGE
    await session.open(pages.url)
    kept = Kept()
    seen = await observer(session, kept).observe(problem=False, widened=NONE)
    assert "opensesame9" not in seen.model_dump_json()
    assert b"opensesame9" not in next(content for content, kind in kept.files if kind == "yaml")


async def test_pictures_are_taken_when_they_are_worth_it(session: Session, pages: Pages) -> None:
    """auto: the first look, after a failure, and of a page that says little; never and always are what they say."""
    pages["/"] = PAGE
    pages["/icons"] = "<button>&#8203;</button><button></button><button></button><canvas width=1200 height=700></canvas>"
    await session.open(pages.url)
    auto, always, never = (observer(session, Kept(), kind) for kind in ("auto", "always", "never"))
    assert [bool((await auto.observe(problem=problem, widened=NONE)).screenshot) for problem in (False, False, True)] == [
        True,
        False,
        True,
    ]
    assert [bool((await always.observe(problem=False, widened=NONE)).screenshot) for _ in range(2)] == [True, True]
    assert (await never.observe(problem=True, widened=NONE)).screenshot is None
    await session.open(f"{pages.url}/icons")
    poor = await auto.observe(problem=False, widened=NONE)
    assert poor.poor
    assert poor.screenshot


async def test_the_fingerprint_is_of_the_state_not_of_the_look(session: Session, pages: Pages) -> None:
    """The same page has the same fingerprint after a reload and a change of focus, another one after a change."""
    pages["/"] = PAGE
    await session.open(pages.url)
    looks = observer(session, Kept(), "never")
    prints = [(await looks.observe(problem=False, widened=NONE)).fingerprint]
    await session.open(pages.url)
    await session.page.focus("#q")
    prints.append((await looks.observe(problem=False, widened=NONE)).fingerprint)
    await session.page.fill("#q", "x")
    prints.append((await looks.observe(problem=False, widened=NONE)).fingerprint)
    assert prints[0] == prints[1] != prints[2]


async def test_dialogs_are_seen_and_left_for_the_outcome(session: Session, pages: Pages) -> None:
    """A dialog since the last action stands in the observation, and the next drain still has it."""
    pages["/"] = "<button onclick='setTimeout(() => alert(\"Saved\"))'>Save</button>"
    await session.open(pages.url)
    await session.page.click("button")
    await session.settle()
    seen = await observer(session, Kept()).observe(problem=False, widened=NONE)
    assert [dialog.message for dialog in seen.dialogs] == ["Saved"]
    assert [dialog.message for dialog in (await session.drain()).dialogs] == ["Saved"]


async def test_a_widened_table_is_shown_whole(session: Session, pages: Pages) -> None:
    """The marker's ref, widened, shows the rows that were cut."""
    rows = "".join(f"<tr><td>Row {number}<td><a href=/{number}>Open</a>" for number in range(60))
    pages["/"] = f"<table aria-label=All><tr><th>Name<th>More{rows}</table>"
    await session.open(pages.url)
    looks = observer(session, Kept())
    first = await looks.observe(problem=False, widened=NONE)
    marker = next(line for line in first.text.split("\n") if "more rows" in line)
    assert "Row 59" not in first.text
    ref = marker.split()[-1]
    assert "Row 59" in (await looks.observe(problem=False, widened=frozenset({ref}))).text
