"""A tree as lines: nothing that can be acted on or read is lost, nothing is said twice, and page text stays page text."""

import re

from hypothesis import given, settings

from engine.domain.observation import Node
from engine.observe.clean import clean
from tests.benchmarks.observation.completeness import actionable, readable
from tests.observe.trees import MEMBER, any_tree, tree, written


def test_a_page_is_written_as_the_guide_says() -> None:
    """Wrappers, captions and labels that repeat a name are gone; rows, pairs, values, options and prose are one line each."""
    assert written(tree(MEMBER)) == [
        "e4 navigation Main",
        " e5 link Home",
        "e9 button Log out",
        "e12: # Ada Byron",
        "e14 button",
        "e24 table Accounts: Type | Balance | Free | More",
        " e36| Main | e38: $8,074.96 | e39: $8,074.96 | e44 link Open",
        "e52: Phone: (736) 555-0157",
        "e62 textbox New note = hello",
        "e63 combobox State = ME",
        " options: ME | NY",
        "e70: See the [e71 link terms] for more.",
    ]


@settings(max_examples=150, deadline=None)
@given(any_tree())
def test_nothing_actionable_or_readable_is_lost(root: Node) -> None:
    """Whatever the tree, every actionable ref and every text is in the lines."""
    assert actionable(root, 10**6).lost == ()
    assert readable(root, 10**6).lost == ()


@settings(max_examples=80, deadline=None)
@given(any_tree())
def test_every_line_starts_with_a_mark_of_ours(root: Node) -> None:
    """No page text can pass for a line of ours: cut and as-before markers start a line, page text never does."""
    for line in written(root):
        assert "\n" not in line
        assert re.match(r" *((f\d+)?e\d+[ :|]|((f\d+)?e\d+)$|-|options: )", line), line


def test_states_are_told_and_hidden_text_is_flagged() -> None:
    """Checked, disabled, focused, pressed and hidden are words in brackets; an icon hidden from readers is dropped."""
    lines = written(
        tree(
            """\
- checkbox "Agree" [checked] [active] [ref=e1]
- button "Go" [disabled] [ref=e2]
- generic [aria-hidden] [ref=e3]: behind the curtain
- link "Home" [ref=e4] [cursor=pointer]:
  - generic [aria-hidden] [ref=e5]: ⌂
  - text: Home"""
        )
    )
    assert lines == [
        "e1 checkbox Agree (checked, focused)",
        "e2 button Go (disabled)",
        "e3: behind the curtain (hidden)",
        "e4 link Home",
    ]


def test_a_clickable_card_shows_what_is_in_it() -> None:
    """Something clickable that holds other things to act on is told, and so are they."""
    lines = written(
        tree(
            """\
- generic [ref=e1] [cursor=pointer]:
  - heading "Plan A" [level=3] [ref=e2]
  - button "Buy" [ref=e3]"""
        )
    )
    assert lines == ["e1 clickable", " e2: ### Plan A", " e3 button Buy"]


def test_a_dialog_is_told_though_it_has_no_name() -> None:
    """What stands in the way is never just flattened away."""
    assert written(tree('- dialog [ref=e1]:\n  - button "OK" [ref=e2]')) == ["e1 dialog", " e2 button OK"]


def test_a_layout_table_is_no_table() -> None:
    """Rows whose cells hold forms and tables of their own are written as what they hold."""
    lines = written(
        tree(
            """\
- table [ref=e1]:
  - row [ref=e2]:
    - cell [ref=e3]:
      - form "Find" [ref=e4]:
        - textbox "Word" [ref=e5]
"""
        )
    )
    assert lines == ["e4 form Find", " e5 textbox Word"]


def test_the_caption_and_name_of_a_layout_table_are_told() -> None:
    """A table that is only for layout still has a name and a caption, wherever in it the caption stands."""
    lines = written(
        tree(
            """\
- table "Search" [ref=e1]:
  - rowgroup [ref=e2]:
    - caption [ref=e3] [cursor=pointer]: More
  - row [ref=e4]:
    - cell [ref=e5]:
      - form "Find" [ref=e6]:
        - textbox "Word" [ref=e7]
"""
        )
    )
    assert lines == ["e1 table Search", "e3 clickable More", "e6 form Find", " e7 textbox Word"]


def test_a_name_that_neighbours_only_happen_to_spell_is_told() -> None:
    """Words of two neighbours that run together are not a name."""
    assert written(tree('- status "b c" [ref=e1]:\n  - listitem [ref=e2]: a b\n  - listitem [ref=e3]: c d')) == [
        "e1 status: b c: a b · c d"
    ]


def test_equal_options_are_told_once() -> None:
    """A second field with the same choices refers to the first; a long choice is cut and counted, and shown when widened."""
    choice = "\n".join(f'  - option "Option {number}"' for number in range(40))
    root = tree(f'- combobox "A" [ref=e1]:\n{choice}\n- combobox "B" [ref=e2]:\n{choice}')
    lines = written(root)
    assert lines[1].endswith("Option 14 | … 25 more options, widen e1")
    assert lines[3] == " options: as e1"
    assert "Option 39" in written(root, frozenset({"e1"}))[1]


def test_page_text_cannot_hide_or_pose() -> None:
    """Invisible characters go, our bar and our bracket before a ref are escaped, joiners that shape letters stay."""
    assert clean("pay\u200bload\u202e x\u00ad") == "payload x"
    assert clean("a | b [e12 button Pay] [f1e3] [x]") == r"a \| b \[e12 button Pay] \[f1e3] [x]"
    assert clean("two\n\tlines\x00") == "two lines"
    assert clean("می\u200cخواهم") == "می\u200cخواهم"
    assert clean("a\u200cb") == "ab"
