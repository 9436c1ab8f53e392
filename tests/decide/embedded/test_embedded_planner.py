import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.decide.embedded import EmbeddedPlanner
from engine.decide.embedded.planner import decide
from engine.domain.action import Action, Click, Done, Extract, Press, Select, Stuck, Type, Wait, Widen
from engine.domain.brief import Brief
from engine.domain.observation import Download
from engine.domain.run import Goal
from engine.domain.step import Outcome, Value
from tests.decide.embedded.scenes import ALLOWED, SITE, World, first, observed, played, same


def stuck(goal: str, page: str, world: World | None = None) -> str:
    """The problem that the run ends with."""
    last = played(goal, page, world)[-1].action
    assert isinstance(last, Stuck), last
    return last.problem


def actions(goal: str, page: str, world: World | None = None, **parts: object) -> list[Action]:
    return [decision.action for decision in played(goal, page, world, **parts)]


async def test_needs_no_model() -> None:
    """No request is ever counted, and provenance says who decided."""
    planner = EmbeddedPlanner()
    seen = observed('- button "Go" [ref=e1]')
    planned = await planner.decide(
        Brief(goal=Goal(text="press Go", target=SITE), observation=seen, history=(), allowed=ALLOWED)
    )
    assert planned.model == "embedded"
    assert planner.usage.requests == 0


def test_never_picks_a_disabled_element() -> None:
    """A disabled button is as good as none; so is one behind a modal that hides the application."""
    assert "nothing on this page" in stuck("press Save", '- button "Save" [disabled] [ref=e1]\n- text: a page')
    assert "nothing on this page" in stuck(
        "press Save", '- main [aria-hidden] [ref=e1]:\n  - button "Save" [ref=e2]\n- text: b'
    )
    page = '- button "Save" [disabled] [ref=e1]\n- button "Save" [ref=e2]'
    assert first("press Save", page) == Click(ref="e2")


def test_ambiguity_is_stuck_and_names_the_candidates() -> None:
    """Two buttons of one name are not guessed between."""
    problem = stuck("press Edit", '- button "Edit" [ref=e1]\n- button "Edit" [ref=e2]')
    assert 'button "Edit" [e1]' in problem
    assert 'button "Edit" [e2]' in problem


def test_links_to_one_place_are_one() -> None:
    """The same link twice is no ambiguity."""
    page = '- link "Help" [ref=e1]:\n  - /url: /help\n- link "Help" [ref=e2]:\n  - /url: /help'
    assert first("open Help", page) == Click(ref="e1")


def test_an_exact_name_wins_over_one_that_contains_it() -> None:
    """Save is not Save as; upper and lower case decide where nothing else does."""
    assert first("press Save", '- button "Save as" [ref=e1]\n- button "Save" [ref=e2]') == Click(ref="e2")
    assert first('click the "ok" button', '- button "OK" [ref=e1]\n- button "ok" [ref=e2]') == Click(ref="e2")


def test_numbers_are_never_matched_roughly() -> None:
    """Tab 2 is not tab 3, however alike they look."""
    assert "nothing on this page" in stuck("open tab 2", '- tab "Tab 3" [ref=e1]\n- tab "Tab 22" [ref=e2]')


def test_a_slip_in_a_long_word_is_forgiven() -> None:
    """Preferences and Preferenses are the same word; five letters and more only."""
    assert first("open Preferenses", '- link "Preferences" [ref=e1]') == Click(ref="e1")
    assert "nothing on this page" in stuck("open Sand", '- link "Send" [ref=e1]')


def test_an_action_in_vain_is_tried_twice_at_most() -> None:
    """The third time it is stuck, with the page's reason."""
    taken = actions(
        "press Go",
        '- button "Go" [ref=e1]',
        lambda _action, _number: ('- button "Go" [ref=e1]', Outcome(ok=False, problem="Covered.")),
    )
    assert taken[:-1] == [Click(ref="e1"), Click(ref="e1")]
    assert isinstance(taken[-1], Stuck)
    assert "Covered." in taken[-1].problem


def test_a_goal_that_is_not_understood_starts_nothing() -> None:
    """The clause is named before the first step is taken."""
    problem = stuck("press Go and then juggle", '- button "Go" [ref=e1]')
    assert "juggle" in problem
    assert isinstance(first("frobnicate the widget and press Go", '- button "Go" [ref=e1]'), Stuck)


def test_an_action_that_the_policy_does_not_allow_is_not_asked_for() -> None:
    """Stuck says which action it would need."""
    seen = observed('- button "Go" [ref=e1]')
    decision = decide(Brief(goal=Goal(text="press Go", target=SITE), observation=seen, history=(), allowed=("type",)))
    assert isinstance(decision.action, Stuck)
    assert "click" in decision.action.problem


def test_the_goals_own_echo_is_no_label() -> None:
    """A page that repeats the goal does not name its fields with it."""
    goal = 'Enter "Rome" into the text field'
    assert first(goal, f"- text: {goal}\n- textbox [ref=e1]") == Type(ref="e1", text="Rome")


def test_an_echo_in_a_table_is_no_cell() -> None:
    """Wherever the goal is repeated, it is not there for the planner."""
    goal = "read the phone number"
    page = f"- list:\n  - listitem:\n    - generic: Phone\n    - generic: {goal}\n- generic: {goal}\n- text: a page"
    assert "I see no" in stuck(goal, page)


def test_a_field_is_labelled_by_the_text_before_it() -> None:
    """Where no name is given, as people read it."""
    page = "- paragraph:\n  - text: Phone\n  - textbox [ref=e1]\n- paragraph:\n  - text: Email\n  - textbox [ref=e2]"
    assert first('enter "a@b.org" as the email', page) == Type(ref="e2", text="a@b.org")


def test_a_page_that_shows_nothing_gets_one_moment() -> None:
    """One wait, then stuck."""
    taken = actions("press Go", "- generic [ref=e1]")
    assert isinstance(taken[0], Wait)
    assert isinstance(taken[1], Stuck)


def test_boxes_are_ticked_unless_they_are() -> None:
    """A box that is ticked already is left alone; `nothing` ticks nothing."""
    page = '- checkbox "A" [checked] [ref=e1]\n- checkbox "B" [ref=e2]\n- checkbox "C" [ref=e3]\n- button "Send" [ref=e4]'
    assert actions("tick A and C and press Send", page)[:-1] == [Click(ref="e3"), Click(ref="e4")]
    assert actions("select nothing and press Send", page)[:-1] == [Click(ref="e4")]


def test_an_option_with_and_in_its_name_is_one_option() -> None:
    """`Trinidad and Tobago` is looked for whole first."""
    page = '- combobox "Country" [ref=e1]:\n  - option "Trinidad and Tobago"\n  - option "Togo" [selected]'
    assert first("select Trinidad and Tobago from the list", page) == Select(ref="e1", options=("Trinidad and Tobago",))


def test_a_list_that_hides_its_options_is_opened_first() -> None:
    """Click the box, then the option that appears."""
    closed = '- combobox "Size" [ref=e1]\n- text: page'
    opened = (
        '- combobox "Size" [expanded] [ref=e1]\n- listbox [ref=e2]:\n  - option "Small" [ref=e3]\n  - option "Large" [ref=e4]'
    )
    taken = actions("choose Large as the size", closed, lambda action, _number: (opened, Outcome(ok=True)))
    assert taken[:2] == [Click(ref="e1"), Click(ref="e4")]
    assert isinstance(taken[2], Done)


def test_a_date_that_a_field_refuses_is_written_the_other_way() -> None:
    """Month first becomes year-month-day."""
    page = '- textbox "Date" [ref=e1]'

    def world(action: Action, _number: int) -> tuple[str, Outcome]:
        good = isinstance(action, Type) and action.text == "2010-04-03"
        return page, Outcome(ok=good, problem="" if good else "Malformed value")

    taken = actions("enter 04/03/2010 as the date", page, world)
    assert taken[:2] == [Type(ref="e1", text="04/03/2010"), Type(ref="e1", text="2010-04-03")]
    assert isinstance(taken[2], Done)


SIGN_IN = '- textbox "Operator" [ref=e1]\n- textbox "Passphrase" [ref=e2]\n- button "Log in" [ref=e3]'


def test_signs_in_by_secret_names() -> None:
    """Each mark goes where it fits, then the form's button."""

    def world(action: Action, _number: int) -> tuple[str, Outcome]:
        return ('- heading "Desk" [ref=e9]' if action == Click(ref="e3") else SIGN_IN), Outcome(ok=True)

    taken = actions("Sign in", SIGN_IN, world, secrets=("deskPassword", "deskUser"))
    assert taken[:3] == [
        Type(ref="e1", text="{{secret.deskUser}}"),
        Type(ref="e2", text="{{secret.deskPassword}}"),
        Click(ref="e3"),
    ]
    assert isinstance(taken[3], Done)


def test_a_sign_in_that_is_refused_is_not_tried_again() -> None:
    """The page's own message is the explanation."""
    refused = f"- alert [ref=e8]: Wrong passphrase.\n{SIGN_IN}"
    taken = actions(
        "Sign in",
        SIGN_IN,
        lambda action, _number: (refused if action == Click(ref="e3") else SIGN_IN, Outcome(ok=True)),
        secrets=("user", "password"),
    )
    assert [type(each) for each in taken] == [Type, Type, Click, Stuck]
    assert isinstance(taken[-1], Stuck)
    assert "Wrong passphrase." in taken[-1].problem


def test_without_credentials_it_says_so() -> None:
    """No secret, no word in the goal: stuck before anything is typed."""
    assert "secrets" in stuck("Sign in", SIGN_IN)


TABLE = """
- table "Stock" [ref=e1]:
  - rowgroup:
    - row [ref=e2]:
      - columnheader "Item" [ref=e3]
      - columnheader "Price" [ref=e4]
      - columnheader "Left" [ref=e5]
  - rowgroup:
    - row [ref=e6]:
      - cell "Apples" [ref=e7]
      - cell "$1.20" [ref=e8]
      - cell "12" [ref=e9]
    - row [ref=e10]:
      - cell "Pears" [ref=e11]
      - cell "$2.40" [ref=e12]
      - cell "7" [ref=e13]
"""


@pytest.mark.parametrize(
    ("goal", "wanted"),
    [
        ("read the price of Pears", [("pearsPrice", "e12", "$2.40", "currency")]),
        (
            "read the apples and pears prices",
            [("applesPrice", "e8", "$1.20", "currency"), ("pearsPrice", "e12", "$2.40", "currency")],
        ),
        ("read the Apples left", [("applesLeft", "e9", "12", "integer")]),
    ],
)
def test_reads_cells_by_row_and_column(goal: str, wanted: list[tuple[str, str, str, str]]) -> None:
    """The ref is the cell's own, the value as it stands, the type as it is written."""
    extract = first(goal, TABLE)
    assert isinstance(extract, Extract)
    assert [(each.name, each.ref, each.value, each.type) for each in extract.readings] == wanted


def test_reads_a_table_whole() -> None:
    """By name, or because it is the only one."""
    for goal in ("read the table", "read the Stock table", "list the prices"):
        extract = first(goal, TABLE)
        assert isinstance(extract, Extract)
        assert [(each.what, each.ref) for each in extract.readings] == [("table", "e1")]


@pytest.mark.parametrize(
    "page",
    [
        "- term: Phone\n- definition [ref=e1]: 555-0100",
        "- table:\n  - row:\n    - rowheader \"Phone\"\n    - cell \"555-0100\" [ref=e1]",
        "- list:\n  - listitem:\n    - generic: Phone\n    - generic [ref=e1]: 555-0100",
        '- textbox "Phone" [ref=e1]: 555-0100',
    ],
)  # fmt: skip
def test_reads_a_value_beside_its_label(page: str) -> None:
    """Terms, rows of two, pairs of texts, fields."""
    extract = first("read the phone number", f"- text: a page\n- generic:\n{indent(page)}")
    assert isinstance(extract, Extract)
    assert (extract.readings[0].ref, extract.readings[0].value) == ("e1", "555-0100")


def indent(page: str) -> str:
    return "\n".join(f"  {line}" for line in page.split("\n"))


def test_what_was_read_is_not_read_again() -> None:
    """Done follows when every value is in the history."""
    taken = actions(
        "read the price of Pears",
        TABLE,
        lambda _action, _number: (TABLE, Outcome(ok=True, values=(Value(name="pearsPrice", raw="$2.40"),))),
    )
    assert [type(each) for each in taken] == [Extract, Done]


FORM = """
- heading "Edit" [level=1] [ref=e9]
- generic:
  - textbox "Phone" [ref=e1]: "1"
  - button "Save" [ref=e2]
  - button "Cancel" [ref=e3]
"""


def test_a_form_is_sent_once_and_never_again() -> None:
    """A page that does not react to the submit ends stuck."""
    taken = actions("change the phone to 555-0100", FORM)
    assert taken[:2] == [Type(ref="e1", text="555-0100"), Click(ref="e2")]
    assert isinstance(taken[2], Stuck)


def test_an_alert_beside_the_form_means_it_was_not_accepted() -> None:
    """Its words are the explanation."""
    refused = f"- alert: Enter a real number.\n{FORM}"
    problem = stuck(
        "change the phone to 555-0100",
        FORM,
        lambda action, _number: (refused if action == Click(ref="e2") else FORM, Outcome(ok=True)),
    )
    assert "Enter a real number." in problem


def test_a_dialog_in_the_way_is_dismissed_first() -> None:
    """What the goal is about is not in it, so it is closed by the word that closes."""
    dialog = '- dialog "Welcome" [ref=e8]:\n  - button "Take the tour" [ref=e6]\n  - button "Got it" [ref=e7]\n'
    page = '- button "Save" [ref=e1]'
    taken = actions("press Save", dialog + page, lambda action, _number: (page, Outcome(ok=True)))
    assert taken[:2] == [Click(ref="e7"), Click(ref="e1")]


def test_a_dialog_that_holds_the_target_stays() -> None:
    """The button is pressed where it is."""
    page = '- dialog "Delete?" [ref=e8]:\n  - button "Delete" [ref=e6]\n  - button "Cancel" [ref=e7]\n- button "Back" [ref=e1]'
    assert first("press Delete", page) == Click(ref="e6")


def test_a_search_without_a_button_is_sent_with_enter() -> None:
    """Type, then Enter in the field."""
    taken = actions("search for Nguyen", '- searchbox "Search" [ref=e1]')
    assert taken[:2] == [Type(ref="e1", text="Nguyen"), Press(ref="e1", key="Enter")]


RESULTS = """
- table [ref=e1]:
  - row:
    - columnheader "Order" [ref=e20]
    - columnheader "" [ref=e21]
  - row [ref=e2]:
    - cell "17" [ref=e3]
    - cell [ref=e4]:
      - link "Open" [ref=e5]
  - row [ref=e6]:
    - cell "170" [ref=e7]
    - cell [ref=e8]:
      - link "Open" [ref=e9]
"""


def test_opens_the_row_with_exactly_that_key() -> None:
    """17 is not 170, and the link in its row is the one."""
    assert first("open order 17", RESULTS) == Click(ref="e5")
    assert first("open the second result", RESULTS) == Click(ref="e9")


def test_a_download_is_kept_as_an_output() -> None:
    """The file is extracted once it came, then it is done."""
    page = '- button "Download CSV" [ref=e1]\n- button "Download PDF" [ref=e2]'
    came = Outcome(ok=True, downloads=(Download(name="a.pdf", path="d/a.pdf", size=1, sha256="0"),))
    taken = actions(
        "download the report as PDF",
        page,
        lambda action, _number: (page, came if action == Click(ref="e2") else Outcome(ok=True)),
    )
    assert taken[0] == Click(ref="e2")
    assert isinstance(taken[1], Extract)
    assert taken[1].readings[0].what == "file"
    assert isinstance(taken[2], Done)


def test_a_click_that_brings_no_file_is_stuck() -> None:
    """It is not pressed again."""
    taken = actions("download the report as PDF", '- button "Download PDF" [ref=e2]')
    assert [type(each) for each in taken] == [Click, Stuck]


ROLES = ["button", "link", "textbox", "checkbox", "radio", "heading", "cell", "generic", "combobox", "dialog", "tab"]
NODES = st.lists(
    st.tuples(st.sampled_from(ROLES), st.sampled_from(["Save", "Name", "Next", "Close", "Search", "Password", "17", ""]),
              st.sampled_from(["", " [disabled]", " [checked]", " [aria-hidden]"])),
    max_size=8,
)  # fmt: skip
GOALS = st.sampled_from([
    "press Save", "log in and open order 17", "enter \"x\" as the Name", "search for 17 and open it", "read the Name",
    "change order 17's name to Bob", "tick Save and press Next", "close the dialog", "download the file", "read the table",
])  # fmt: skip


@settings(deadline=None)  # the machine may be busy
@given(goal=GOALS, nodes=NODES)
def test_always_ends_and_acts_on_live_elements_only(goal: str, nodes: list[tuple[str, str, str]]) -> None:
    """On any page that never changes: at most thirty decisions, never a dead or unknown ref, no action more than twice."""
    page = (
        "\n".join(f'- {role} "{name}"{state} [ref=e{index}]' for index, (role, name, state) in enumerate(nodes))
        or "- text: empty"
    )
    taken = actions(goal, page, same(page), secrets=("user", "password"))
    assert isinstance(taken[-1], Done | Stuck)
    live = {f"e{index}" for index, (_, _, state) in enumerate(nodes) if state not in (" [disabled]", " [aria-hidden]")}
    written = [each.model_dump_json() for each in taken]
    assert all(getattr(each, "ref", None) in {*live, None} for each in taken)
    assert all(written.count(each) <= 2 for each in written)


def test_a_near_miss_is_not_read() -> None:
    """The account number is not any number, though the phone number is any phone."""
    terms = "  - term: Number\n  - definition [ref=e1]: 17\n  - term: Phone\n  - definition [ref=e2]: 555"
    page = f"- text: a page\n- generic:\n{terms}"
    assert "I see no account number" in stuck("read the account number", page)
    extract = first("read the phone number", page)
    assert isinstance(extract, Extract)
    assert extract.readings[0].ref == "e2"


def test_a_short_number_alone_does_not_tell_the_page() -> None:
    """/branch/17 is not the page of order 17; /orders/17 is."""
    page = '- heading "Top 17 of the week" [ref=e1]\n- link "17" [ref=e2]'
    made = Goal(text="open order 17", target=SITE)
    for url, done in ((f"{SITE}/branch/17", False), (f"{SITE}/orders/17", True)):
        decision = decide(Brief(goal=made, observation=observed(page, url), history=(), allowed=ALLOWED))
        assert isinstance(decision.action, Done) is done


def test_what_was_not_read_of_a_huge_page_is_read_before_giving_up() -> None:
    """A page that was read in part may hold what is not found, so its rest is asked for; what is found needs no rest."""
    page = """
    - list [ref=e1]:
      - listitem [ref=e2]:
        - link "Open 1" [ref=e3]
      - more [2480] [ref=e1]
    - text: a page
    """
    assert first("press Open 1", page) == Click(ref="e3")
    assert first("press Open 2400", page) == Widen(ref="e1")
