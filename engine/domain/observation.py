"""What a planner sees: the page as a tree of nodes, and the compact text made of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import Field

from engine.domain.action import Ref
from engine.domain.frozen import Frozen

GUIDE = """\
Each line of the page is one thing; indented lines belong to the line above them.
e9 button Log out: an element to act on, with ref, role and name. `= …` is what a field holds; `options:` below it are \
what can be chosen; words in brackets are states. `clickable` has no other role.
e63: Phone: (736) 555-0157: text. The ref names the element that holds the value.
e24 table Accounts: Type | Balance: a table and its columns. e36| Main | $5.00 | e44 link Open: a row of it. Read a cell by \
its own ref if it has one, else by the ref of its row with the exact value of the cell.
… 87 more rows, widen e40: not shown; widen that ref to see them.
(as before: e3 to e14): the lines from e3 to e14 of the page as last written out stand here, unchanged and with the same refs. \
What is neither here nor referred to is gone."""
"""How the text of an observation is to be read: belongs into the stable part of a prompt."""


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of the accessibility snapshot; not validated, for only the parser makes it, by the ten thousand.

    `text` is what the node itself shows: the value of a field, the text of a paragraph or cell (masked for secrets).
    `states` holds marks such as checked, disabled, expanded, selected, pressed, active, level=2, mixed.
    """

    role: str
    name: str = ""
    ref: Ref | None = None
    text: str = ""
    states: tuple[str, ...] = ()
    url: str = ""
    placeholder: str = ""
    children: tuple["Node", ...] = ()

    def walk(self) -> Iterator["Node"]:
        """This node and all below it, in document order."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def find(self, ref: str) -> "Node | None":
        """The node with this ref, or None."""
        return next((node for node in self.walk() if node.ref == ref), None)


class Tab(Frozen):
    """One open page of the run's context."""

    index: int
    url: str
    title: str
    current: bool = False


class DialogSeen(Frozen):
    """A JavaScript dialog that opened, and what the policy answered."""

    type: str
    message: str
    answer: str = Field(description="accepted, dismissed, or the text given to a prompt")
    url: str = ""


class Download(Frozen):
    """A file that the browser received, kept under the evidence folder."""

    name: str
    path: str = Field(description="Relative to the evidence folder")
    size: int
    sha256: str
    media_type: str = ""


class Observation(Frozen):
    """The page at one moment.

    `text` goes to the model, written as `GUIDE` says; `root` is the whole masked tree. When `shown` is not empty, `text` refers
    to lines of it ("as before"), so a prompt must carry `shown` before `text`: best ahead of the history, where it stays byte
    for byte the same from step to step until the page is written out anew. Together they are at most maxObservationTokens.
    `fingerprint` is equal for two observations with the same URL, tree and tabs: it is how "no progress" is seen.
    """

    url: str
    title: str
    root: Node
    text: str
    shown: str = Field(default="", description="The page as written out at an earlier step, if `text` refers to it")
    fingerprint: str
    tabs: tuple[Tab, ...] = ()
    dialogs: tuple[DialogSeen, ...] = ()
    downloads: tuple[Download, ...] = ()
    focused: Ref | None = None
    notices: tuple[str, ...] = Field(default=(), description="What could not be seen: closed shadow roots, failed frames")
    snapshot: str = Field(default="", description="Path of the whole snapshot, relative to the evidence folder")
    screenshot: str | None = Field(default=None, description="Path relative to the evidence folder")
    poor: bool = Field(default=False, description="The tree says little about the page: a picture is worth its tokens")
    tokens: int = 0

    def facts(self) -> tuple[str, ...]:
        """What is told of the page beside its tree, a line each."""
        return facts(self.url, self.title, self.tabs, self.notices)


def facts(url: str, title: str, tabs: tuple[Tab, ...], notices: tuple[str, ...]) -> tuple[str, ...]:
    """URL and title, the tabs if there are several, and what could not be seen; each on one line of bounded length."""
    open_tabs = [
        f"Tab {tab.index}{' (this one)' if tab.current else ''}: {_short(tab.title)} {_short(tab.url)}" for tab in tabs
    ]
    said = [f"Note: {_short(notice)}" for notice in notices]
    return (f"URL: {_short(url, 2000)}", f"Title: {_short(title)}", *(open_tabs if len(tabs) > 1 else ()), *said)


def _short(text: str, limit: int = 200) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"
