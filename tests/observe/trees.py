"""Small trees for tests, and a strategy that makes many."""

from hypothesis import strategies as st

from engine.browser.snapshot_text import parse
from engine.domain.observation import Node
from engine.observe.layout import Layout

MEMBER = """\
- generic [active] [ref=e1]:
  - banner [ref=e2]:
    - navigation "Main" [ref=e4]:
      - link "Home" [ref=e5] [cursor=pointer]:
        - /url: /
    - button "Log out" [ref=e9] [cursor=pointer]
  - main [ref=e10]:
    - heading "Ada Byron" [level=1] [ref=e12]
    - button [ref=e14] [cursor=pointer]
    - table "Accounts" [ref=e24]:
      - caption [ref=e25]: Accounts
      - rowgroup [ref=e26]:
        - row [ref=e27]:
          - columnheader "Type" [ref=e28]
          - columnheader "Balance" [ref=e29]
          - columnheader "Free" [ref=e30]
          - columnheader "More" [ref=e31]
      - rowgroup [ref=e35]:
        - row [ref=e36]:
          - cell "Main" [ref=e37]
          - cell "$8,074.96" [ref=e38]
          - cell "$8,074.96" [ref=e39]
          - cell [ref=e43]:
            - link "Open" [ref=e44] [cursor=pointer]:
              - /url: /a/1
    - generic [ref=e50]:
      - term [ref=e51]: Phone
      - definition [ref=e52]: (736) 555-0157
    - generic [ref=e60]:
      - generic [ref=e61]: New note
      - textbox "New note" [ref=e62]: hello
    - combobox "State" [ref=e63]:
      - option "ME" [selected]
      - option "NY"
    - paragraph [ref=e70]:
      - text: See the
      - link "terms" [ref=e71] [cursor=pointer]:
        - /url: /t
      - text: for more.
"""


def tree(text: str) -> Node:
    """The tree of a snapshot's text."""
    return parse(text).root


def written(root: Node, widened: frozenset[str] = frozenset()) -> list[str]:
    """Its lines, uncut."""
    return [str(line) for line in Layout(root, widened).lines]


def rows(count: int) -> Node:
    """A table with so many rows and a link in each."""
    lines = ['- heading "All" [level=1] [ref=e1]', '- table "Items" [ref=e2]:']
    for number in range(count):
        start = 10 + number * 10
        lines.append(f"  - row [ref=e{start}]:")
        lines.append(f'    - cell "Item number {number}" [ref=e{start + 1}]')
        lines.append(f"    - cell [ref=e{start + 2}]:")
        lines.append(f'      - link "Open {number}" [ref=e{start + 3}] [cursor=pointer]')
    lines.append('- button "Last" [ref=e3] [cursor=pointer]')
    return tree("\n".join(lines))


ROLES = (
    "generic", "generic", "generic", "paragraph", "listitem", "list", "table", "row", "rowgroup", "cell", "columnheader",
    "heading", "button", "link", "textbox", "combobox", "checkbox", "dialog", "navigation", "region", "term", "definition",
    "group", "img", "iframe", "status", "caption", "option", "text", "menu", "strong",
)  # fmt: skip
TEXTS = st.text(st.sampled_from("abcdefgh XYZ 0123|[]().:…›\u200b\u202e漢é\n"), max_size=12)


@st.composite
def any_tree(draw: st.DrawFn) -> Node:
    """Any tree of these roles, each node with a ref of its own or none."""
    numbers = iter(range(1, 10_000))

    def node(depth: int) -> Node:
        role = draw(st.sampled_from(ROLES))
        if role == "text":
            return Node(role="text", text=draw(TEXTS) or "x")
        children = tuple(node(depth + 1) for _ in range(draw(st.integers(0, 3)))) if depth < 5 else ()
        pointer = ("cursor=pointer",) if draw(st.integers(0, 5)) == 0 else ()
        ref = f"e{next(numbers)}" if draw(st.integers(0, 4)) else None
        text = "" if children else draw(TEXTS)
        return Node(role=role, name=draw(TEXTS), ref=ref, text=text, states=pointer, children=children)

    return Node(role="document", children=tuple(node(0) for _ in range(draw(st.integers(1, 5)))))
