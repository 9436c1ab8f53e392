"""A trajectory becomes a draft without run data, typed and named, or is refused with a sentence."""

import re

import pytest

from engine.distill.draft import distill
from engine.distill.naming import DraftNames
from engine.domain.action import GoBack
from engine.domain.capability import Capability, Locator
from engine.domain.template import fill_pattern
from engine.domain.verdict import Refusal
from engine.errors import DistillRefused
from tests.distill.making import Trip, confirmed, seen, write


def draft(trip: Trip, names: DraftNames | None = None) -> Capability:
    """The draft of a trip."""
    return distill(trip.goal, trip.trajectory, names)


def actions(made: Capability) -> list[str]:
    """What its steps do."""
    return [step.action for step in made.steps]


def lookup() -> Trip:
    """The usual trip: search for a number, read a value."""
    trip = Trip("Read the phone of member 100231").open("/search").type("Member number", "100231")
    return trip.click("Search", "/members/100231").read("phone", "555-1234")


def test_values_of_the_goal_become_named_inputs() -> None:
    """What was typed because the goal says so is an input named by its field; URLs and expectations hold its placeholder."""
    made = draft(lookup())
    assert made.inputs["properties"]["memberNumber"]["examples"] == ["100231"]
    assert [step.value for step in made.steps[:2]] == ["/search", "{{memberNumber}}"]
    assert made.steps[2].expect[0].value == "/members/{{memberNumber}}"
    assert made.checkpoint[0].value == "/members/{{memberNumber}}"
    assert "100231" not in made.model_dump_json(exclude={"inputs"})


def test_the_callers_names_win() -> None:
    """A value given as an input keeps the name that the caller gave it."""
    trip = Trip("Read a phone", inputs={"who": "100231"}).open("/search").type("Member number", "100231")
    trip.click("Search", "/members/100231").read("phone", "555-1234")
    assert list(draft(trip).inputs["properties"]) == ["who"]


def test_what_the_goal_does_not_mention_stays_a_constant() -> None:
    """A word that only the planner chose is part of the flow."""
    trip = Trip("Send the form").open("/form").type("Memo", "hello").click("Send", "/sent")
    made = draft(trip)
    assert made.inputs["properties"] == {} and made.steps[1].value == "hello"


def test_secrets_are_inputs_without_a_value() -> None:
    """A typed secret becomes an x-secret input; its placeholder stays for the actor."""
    trip = (
        Trip("Log in")
        .open("/login")
        .type("Password", "{{secret.pass}}")
        .click("Go", "/home", requests=write("/login"), login=True)
    )
    made = draft(trip)
    assert made.inputs["properties"]["pass"]["x-secret"] is True and "examples" not in made.inputs["properties"]["pass"]
    assert made.steps[1].value == "{{secret.pass}}"
    assert (made.steps[2].effect, made.risk_class) == ("idempotent", "read_only")


def test_refused_failed_and_idle_turns_go() -> None:
    """Only what happened and mattered is kept; a wait becomes an expectation of the step before it."""
    trip = Trip().open("/a").click("Bad", ok=False).click("Go", "/b").wait("Ready").read("phone", "555-1234")
    action = trip.steps[0].decision.action
    trip.steps[0:0] = [trip.steps[0].model_copy(update={"verdict": Refusal(action=action, rule="r", why="no")})]
    made = draft(trip)
    assert actions(made) == ["navigate", "click", "extract"]
    assert [each.value for each in made.steps[1].expect] == ["/b", "Ready"]


def test_typing_over_and_going_back_leave_no_trace() -> None:
    """A field typed twice is typed once; a click that was taken back is not made; three clicks on plus stay three."""
    trip = Trip("Set it to 42").open("/a").type("Count", "41").type("Count", "42")
    trip.click("Wrong", "/x").add(GoBack(), to="/a").click("+").click("+").click("+").click("Go", "/b")
    made = draft(trip)
    assert actions(made) == ["navigate", "type", "click", "click", "click", "click"]
    assert made.steps[1].value == "{{count}}" and made.steps[-1].target is not None


def test_a_commit_is_never_taken_out() -> None:
    """What wrote something stays, also when the planner went back or opened another page after it."""
    trip = Trip().open("/a").click("Delete", "/deleted", requests=write("/delete")).add(GoBack(), to="/a").open("/b")
    made = draft(trip)
    assert actions(made) == ["navigate", "click", "go_back", "navigate"]
    assert (made.steps[1].effect, made.risk_class) == ("commit", "irreversible")


def test_a_dialog_is_part_of_its_step() -> None:
    """Type, answer, and the message with the inputs in it; a replay with other inputs expects the other message."""
    trip = Trip("Pay $25.50 to 1002").open("/pay").type("Amount", "25.50").type("To account", "1002")
    trip.click("Pay", "/paid", dialogs=confirmed("Pay $25.50 to 1002?"), requests=write("/pay"))
    dialog = draft(trip).steps[-1].dialog
    assert dialog is not None and (dialog.type, dialog.answer) == ("confirm", "accept")
    filled = fill_pattern(dialog.message, {"amount": "7.00", "toAccount": "1003"})
    assert re.search(filled, "Pay $7.00 to 1003?") and not re.search(filled, "Pay $7.00 to 1004?")


def test_a_first_visit_notice_is_optional() -> None:
    """A click in a notice right after the page opened, that did nothing else, is tried only where the notice is."""
    notice = seen("button", "Got it", print_={"region": "dialog Welcome"})
    trip = Trip().open("/a").click("Got it", target=notice).click("Go", "/b")
    assert [step.optional for step in draft(trip).steps] == [False, True, False]


def test_a_dialog_of_the_flow_is_not_optional() -> None:
    """A question that a click opened belongs to the flow."""
    asked = seen("button", "Yes", print_={"region": "dialog Really"})
    trip = Trip().open("/a").click("Delete").click("Yes", target=asked).click("Go", "/b")
    assert not any(step.optional for step in draft(trip).steps)


def test_an_option_is_chosen_by_the_part_that_is_an_input() -> None:
    """Only the account number of a long option is the caller's; the balance in it is nobody's."""
    options = ("Choose…", "Savings 1002, Rainy day ($12.40)", "Checking 1003, Daily ($7.00)")
    trip = Trip("Use account 1002").open("/a").select("From account", options[1], *options).click("Go", "/b")
    step = draft(trip).steps[1]
    assert (step.value, step.match) == ("{{fromAccount}}", "word")


def test_a_plain_choice_is_an_enum() -> None:
    """A select whose options are words is typed by them."""
    trip = Trip("Ship to Oregon").open("/a").select("State", "Oregon", "Ohio", "Oregon").click("Go", "/b")
    assert draft(trip).inputs["properties"]["state"]["enum"] == ["Ohio", "Oregon"]


@pytest.mark.parametrize(
    ("raw", "text", "kind"),
    [("$1,204.55", "$1,204.55", "currency"), ("42", "Total: 42 items", "text"), ("May 29, 2026", "May 29, 2026", "text")],
)
def test_extractors_read_the_runs_own_value_again(raw: str, text: str, kind: str) -> None:
    """The parser is tried on what the run read; money is seen as money; a part of a text is cut out by the words beside it."""
    trip = Trip().open("/a").click("Go", "/b").read("total", raw, text=text)
    extractor = draft(trip).steps[-1].extract[0]
    assert extractor.parser.type == kind and extractor.kind == "after_label"
    assert extractor.parser.pattern is None or re.search(extractor.parser.pattern, "Total: 7 items")[1] == "7"  # type: ignore[index]


def test_an_element_that_only_run_data_finds_is_refused() -> None:
    """A button in a row that nothing of the goal names makes no capability, and the sentence says what to do."""
    row = Locator(by="row", value="Ann Lee")
    target = seen("button", "", Locator(by="role", role="button", value="Open", within=row))
    with pytest.raises(DistillRefused, match="give it as --input"):
        draft(Trip().open("/a").click("Open", "/b", target=target))


def test_a_value_left_in_the_artifact_is_refused() -> None:
    """What was read must not find or prove anything: a heading that holds it is not used, a locator that does is refused."""
    held = seen("generic", "", Locator(by="test_id", value="TR-ABC 9X"), text="TR-ABC 9X")
    trip = Trip().open("/a").click("Go", "/b").read("reference", "TR-ABC 9X", held)
    with pytest.raises(DistillRefused):
        draft(trip)
    trip = Trip().open("/a").click("Go", appeared=("Ann Lee", "Profile")).read("name", "Ann Lee")
    assert draft(trip).steps[1].expect[0].value == "Profile"


def test_the_checkpoint_is_false_on_the_start_page() -> None:
    """The end's path where it differs; else what appeared last; else the places of the outputs; else there is no draft."""
    assert draft(lookup()).checkpoint[0].kind == "url"
    same = Trip().open("/a").click("Show", appeared=("Results",)).read("phone", "555-1234")
    assert [(each.kind, each.value) for each in draft(same).checkpoint] == [("text", "Results")]
    quiet = Trip().open("/a").click("Show").read("phone", "555-1234")
    assert draft(quiet).checkpoint[0].kind == "visible"
    with pytest.raises(DistillRefused, match="start page"):
        draft(Trip().open("/a").click("Show"))


def test_nothing_done_is_no_capability() -> None:
    """An empty trajectory is refused."""
    with pytest.raises(DistillRefused):
        draft(Trip())


def test_another_site_is_refused() -> None:
    """A capability opens paths of its target only."""
    with pytest.raises(DistillRefused, match="not the target"):
        draft(Trip().open("/a").add(Trip().open("http://other.example/x").steps[0].decision.action, to="/b"))


def test_a_models_words_are_checked() -> None:
    """Good names are taken; a title with run data, a bad name or a lower risk than a dialog warns of are not."""
    good = DraftNames(title="Read a member's phone", inputs={"memberNumber": "memberId"})
    made = draft(lookup(), good)
    assert (made.title, list(made.inputs["properties"])) == ("Read a member's phone", ["memberId"])
    bad = DraftNames(title="Read 100231 of 7", inputs={"memberNumber": "1 bad"})
    assert "100231" not in draft(lookup(), bad).title and list(draft(lookup(), bad).inputs["properties"]) == ["memberNumber"]
    trip = Trip().open("/a").click("Pay", "/b", dialogs=confirmed("Sure?"), requests=write("/b"))
    assert draft(trip, DraftNames(risk_class="read_only")).risk_class == "irreversible"


def test_the_identifier_is_made_of_the_goals_words() -> None:
    """Lower case, no small words, no run data."""
    assert draft(lookup()).id == "read-phone-member"


def test_a_piece_of_a_number_is_no_input() -> None:
    """00 does not stand in $25.00: a button at 08:00 makes no input of it, and what no step uses is none either."""
    trip = Trip("Pay $25.00 to Ann").open("/pay").type("Amount", "25.00").click("Slot 08:00")
    draft = distill(trip.goal, trip.click("Pay", to="/done").trajectory)
    assert list(draft.inputs["properties"]) == ["amount"]


def test_what_the_page_repeats_before_a_commit_must_be_there() -> None:
    """A page to confirm that says the amount: the step before expects it, so another amount is never confirmed."""
    trip = Trip("Pay 145.20 to Ann").open("/pay").type("Amount", "145.20").click("Continue", to="/review")
    said = seen("button", "Confirm", said=("Amount: $145.20", "Fee: $1.00", "Change"))
    draft = distill(trip.goal, trip.click("Confirm", to="/done", target=said, requests=write("/pay")).trajectory)
    before = draft.steps[-2]
    assert [(each.kind, each.value) for each in before.expect] == [("url", "/review"), ("text", "{{amount}}")]
