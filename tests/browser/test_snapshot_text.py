"""The text of a snapshot is read back to the tree it was written from, whatever the page puts into names and values."""

import json
from dataclasses import replace

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.browser.snapshot_text import DEEPEST, parse, render
from engine.domain.observation import Node

PAGE = """\
- generic [active] [ref=f3e1]:
  - 'link "Terms: all of them, \\"really\\"" [ref=f3e2] [cursor=pointer]':
    - /url: "#top"
  - textbox "Amount" [disabled] [ref=f3e3]:
    - /placeholder: "0.00: zero"
    - text: "12"
  - paragraph [ref=f3e4]: "it's 5: \\x85 \\"yes\\""
  - 'row "It''s [ref=e9] here" [ref=f3e5]'
  - checkbox "Agree" [checked] [ref=f3e6] [box=1,2,3,4]
  - heading "A" [level=2] [ref=f3e7]
  - generic [aria-hidden] [ref=f3e8]:
    - text: before
    - iframe [ref=f3e9]:
      - button "In" [ref=f7e1]
    - text: "- after"
"""

words = st.text(max_size=30)
spoken = st.text(min_size=1, max_size=30).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
marks = st.lists(
    st.sampled_from(["checked", "disabled", "expanded", "selected", "level=1", "active", "cursor=pointer", "aria-hidden"]),
    unique=True,
    max_size=3,
).map(tuple)


def nodes() -> st.SearchStrategy[Node]:
    """Trees as a snapshot can hold them: a text is a child, or the node's own when it is the only one."""

    def leaf(role: str, name: str, text: str, states: tuple[str, ...], url: str, placeholder: str) -> Node:
        return Node(role=role, name=name, text=text, states=states, url=url, placeholder=placeholder)

    roles = st.sampled_from(["generic", "button", "cell", "textbox", "link", "row"])
    leaves = st.builds(
        leaf, roles, spoken | st.just(""), spoken | st.just(""), marks, spoken | st.just(""), spoken | st.just("")
    )
    texts = st.builds(lambda text: Node(role="text", text=text), spoken)
    return st.recursive(
        leaves,
        lambda below: st.builds(
            lambda node, children: replace(node, text="", children=tuple(children)),
            leaves,
            st.lists(below | texts, min_size=2, max_size=4),
        ),
        max_leaves=12,
    )


def test_a_page_is_read() -> None:
    """Names, values, marks, properties, frames and escapes of a snapshot as Playwright writes it."""
    parsed = parse(PAGE)
    body = parsed.root.children[0]
    link, field, paragraph, row, box, heading, hidden = body.children
    assert parsed.frames == {"": "f3", "f1": "f7"}
    assert (body.ref, body.states) == ("e1", ("active",))
    assert (link.name, link.url, link.states) == ('Terms: all of them, "really"', "#top", ("cursor=pointer",))
    assert (field.text, field.placeholder, field.states) == ("12", "0.00: zero", ("disabled",))
    assert paragraph.text == 'it\'s 5: \x85 "yes"'
    assert (row.name, row.ref) == ("It's [ref=e9] here", "e5")
    assert (box.states, heading.states) == (("checked",), ("level=2",))
    assert [child.text for child in hidden.children if child.role == "text"] == ["before", "- after"]
    assert hidden.children[1].children[0].ref == "f1e1"


@settings(max_examples=120, deadline=None)
@given(st.lists(nodes(), max_size=4))
def test_what_is_written_is_read_back(children: list[Node]) -> None:
    """Any tree survives writing and reading, quotes, colons, brackets and line breaks in its texts included."""
    root = Node(role="document", children=tuple(children))
    assert parse(render(root)).root == root


@settings(max_examples=80, deadline=None)
@given(nodes())
def test_what_is_written_is_yaml(node: Node) -> None:
    """Another reader finds the same entry names: evidence can be opened with any YAML tool."""
    printable = render(Node(role="document", children=(node,)))
    if yaml.reader.Reader.NON_PRINTABLE.search(printable) is None:
        assert isinstance(yaml.safe_load(printable), list)


@settings(max_examples=120, deadline=None)
@given(words)
def test_any_text_can_be_given(text: str) -> None:
    """Text that is no snapshot is read without an error, and what is read can be sent anywhere."""
    parsed = parse(text)
    "".join((parsed.text, *(part for node in parsed.root.walk() for part in (node.name, node.text, node.url)))).encode()
    named = parse(f"- button {json.dumps(text)} [ref=e1]").root.children
    assert not named or named[0].ref == "e1"


def test_the_text_has_our_refs() -> None:
    """What is kept as evidence names elements as the tree does, and is read back to the same tree."""
    parsed = parse(PAGE)
    assert parse(parsed.text).root == parsed.root
    assert "[ref=f3" not in parsed.text and "[ref=e3]" in parsed.text
    assert "It''s [ref=e9] here" in parsed.text


def test_a_very_deep_page_is_laid_flat() -> None:
    """No node is lost below the deepest level, and the tree stays shallow."""
    count = 3 * DEEPEST
    root = parse("\n".join("  " * depth + f"- generic [ref=e{depth + 1}]:" for depth in range(count))).root
    found = list(root.walk())
    assert len(found) == count + 1
    depth, level = 0, root.children
    while level:
        depth, level = depth + 1, level[0].children
    assert depth <= DEEPEST + 1
