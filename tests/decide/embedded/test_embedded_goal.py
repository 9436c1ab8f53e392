import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.decide.embedded.goal import read_goal
from engine.decide.embedded.intents import (
    Choose,
    Fetch,
    Fill,
    FormTask,
    Intent,
    Locate,
    Phrase,
    Press,
    Read,
    Search,
    SignIn,
    Slot,
    Text,
    Unfold,
    Unknown,
)
from engine.domain.run import Goal

MARKS = SignIn("{{secret.user}}", "{{secret.password}}")


def intents(text: str, inputs: dict[str, str] | None = None, secrets: tuple[str, ...] = ()) -> list[Intent]:
    return list(read_goal(Goal(text=text, target="http://site", inputs=inputs or {}, secrets=secrets)))


READINGS: list[tuple[str, list[Intent]]] = [
    ("Log in, then open order A-17", [MARKS, Locate("order", "A-17")]),
    ("Sign in and log out", [MARKS, Press(Phrase("sign out"))]),
    ("Click on the \"Save, and close\" button.", [Press(Phrase("Save, and close", "button", quoted=True))]),
    ("Go to /reports and press Refresh", [Press(Phrase("/reports")), Press(Phrase("Refresh"))]),
    ("find customers by last name Nguyen", [Search("customers", "last name", "Nguyen")]),
    ("Find all customers whose email is \"a@b.org\"", [Search("customers", "email", "a@b.org")]),
    ("search for Nguyen and open it", [Search("", "", "Nguyen"), Locate("the entry", "Nguyen")]),
    ("Log in. For order 17, press Close", [MARKS, Locate("order", "17"), Press(Phrase("Close"))]),
    ("Log in. Something else is told here", [Unknown("Log in. Something else is told here")]),
    ("search for Nguyen in the Last name field", [Search("", "Last name", "Nguyen")]),
    ("enter 12 as the quantity", [Fill(Phrase("quantity"), Text("12"))]),
    ("Fill in Name with Bob and City with Rome", [Fill(Phrase("Name"), Text("Bob")), Fill(Phrase("City"), Text("Rome"))]),
    ("set the Status to Closed", [Fill(Phrase("Status"), Text("Closed"))]),
    ("copy", [Unknown("copy")]),
    ("untick Newsletter", [Choose(("Newsletter",), on=False, as_one="Newsletter")]),
    ("Expand the \"Billing\" section", [Unfold(Phrase("Billing", "section", quoted=True))]),
    ("move 5.50 from A to B", [FormTask("move", "", (Slot("amount", "5.50"), Slot("from", "A"), Slot("to", "B")))]),
    ("add a note \"Call back\" to order 17", [Locate("order", "17"), FormTask("add", "note", (Slot("note", "Call back"),))]),
    ("download the invoice of order 17 as PDF", [Locate("order", "17"), Fetch("invoice", (), "PDF")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), READINGS, ids=[text for text, _ in READINGS])
def test_reads_everyday_sentences(text: str, wanted: list[Intent]) -> None:
    """Each sentence is these intents and nothing else."""
    asked = ("user", "password") if MARKS in wanted else ()
    assert intents(text, secrets=asked) == wanted


def test_a_shared_noun_belongs_to_every_item() -> None:
    """`the home and work phones` are two phones."""
    (read,) = intents("read the home and work phones")
    assert isinstance(read, Read)
    assert [item.name for item in read.items] == ["homePhone", "workPhone"]
    assert ("home", "phones") in read.items[0].variants


def test_an_address_has_its_parts() -> None:
    """Street, city, state and postcode, and the whole for a page with one field."""
    located, task = intents("change customer 7's address to 12 Oak Street, Springfield, IL 62701")
    assert located == Locate("customer", "7")
    assert isinstance(task, FormTask)
    assert [piece.value for piece in task.pieces] == ["12 Oak Street", "Springfield", "IL", "62701"]
    assert task.slots == (Slot("address", "12 Oak Street, Springfield, IL 62701"),)


def test_an_input_gives_the_key_of_its_noun() -> None:
    """`the order's …` is the order of the input orderId; a placeholder in the goal is the input's value."""
    assert intents("open the page of the order", {"orderId": "17"})[0] == Locate("order", "17")
    assert intents("enter {city} in the City field", {"city": "Rome, press Quit"}) == [
        Fill(Phrase("City", "field", whole="City field"), Text("Rome, press Quit"))
    ]


def test_credentials_in_the_goal_go_before_secrets() -> None:
    """What the sentence says of user and password is what is typed."""
    assert intents('Log in as pat with password "x y"') == [SignIn("pat", "x y")]
    assert intents("Log in as pat with password {{secret.pin}}", secrets=("pin",)) == [SignIn("pat", "{{secret.pin}}")]


def test_the_same_thing_is_located_once() -> None:
    """A second clause about the same order does not look for it again."""
    found = intents("read order 17's total and read order 17's status")
    assert [type(each) for each in found] == [Locate, Read, Read]


@settings(deadline=None)  # the machine may be busy
@given(
    st.text(
        alphabet=st.characters(blacklist_characters="\"“”«»`'‘’{}⟦⟧", blacklist_categories=("Cs", "Cc")), min_size=1
    ).filter(str.strip)
)
def test_what_is_quoted_is_never_read(value: str) -> None:
    """Whatever stands between quotes reaches the field as it is, verbs, commas and all."""
    assert intents(f'Enter "{value}" into the Note field and press Save') == [
        Fill(Phrase("Note", "field", whole="Note field"), Text(value)), Press(Phrase("Save")),
    ]  # fmt: skip


@settings(deadline=None)  # the machine may be busy
@given(st.text(min_size=1, max_size=200).filter(str.strip))
def test_any_sentence_can_be_read(text: str) -> None:
    """Nonsense is Unknown, never an exception."""
    read_goal(Goal(text=text, target="http://site"))


def test_secrets_that_no_clause_types_are_for_a_form_that_asks() -> None:
    """Only with both of them, and only when the goal does not sign in by itself."""
    assert intents("press Go", secrets=("user", "password"))[0] == SignIn("{{secret.user}}", "{{secret.password}}", asked=False)
    assert intents("press Go", secrets=("token",)) == [Press(Phrase("Go"))]
    assert len(intents('enter "{{secret.user}}" as the name', secrets=("user", "password"))) == 1
