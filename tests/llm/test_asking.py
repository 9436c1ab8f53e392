"""The generic question: any record type, one ladder, one repair."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from engine.domain.usage import Usage
from engine.errors import ModelGarbled
from engine.llm.asking import Asker
from engine.llm.protocol import Answer, Said
from engine.llm.reading import Fault, read
from engine.llm.scripted import ScriptedModel


class Draft(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    title: str
    price: Decimal = Decimal(1)


ASKED = (Said("system", "You name things."), Said("user", "Name this."))


async def test_any_record_can_be_asked_for() -> None:
    """The model's JSON becomes the record; the use is kept."""
    model = ScriptedModel(['{"title": "Orders"}'])
    asker = Asker(model)
    asked = await asker.ask(ASKED, Draft)
    assert (asked.record, asked.model, asked.repaired) == (Draft(title="Orders"), "scripted", False)
    assert (asker.usage.requests, model.questions[0].form.name) == (1, "Draft")


async def test_a_check_can_object() -> None:
    """A record that parses but is not right is repaired with the caller's sentence."""
    model = ScriptedModel(['{"title": ""}', '{"title": "Orders"}'])
    asked = await Asker(model).ask(ASKED, Draft, check=lambda draft: None if draft.title else "the title is empty")
    assert (asked.record.title, asked.repaired) == ("Orders", True)
    assert model.questions[1].messages[-1].text.startswith("Your answer was not used: the title is empty.")
    assert model.questions[1].messages[-2] == Said("assistant", '{"title": ""}')


async def test_a_long_bad_answer_goes_back_only_in_part() -> None:
    """The repair question does not pay for a long wrong answer again."""
    model = ScriptedModel(["x" * 100_000, '{"title": "Orders"}'])
    await Asker(model).ask(ASKED, Draft)
    assert len(model.questions[1].messages[-2].text) < 5000


async def test_garbled_names_the_model_and_the_fault() -> None:
    """The last sentence is for a person: who, what, and what to do."""
    with pytest.raises(ModelGarbled, match=r"scripted.*no JSON object.*--model"):
        await Asker(ScriptedModel(["hm", "hm"])).ask(ASKED, Draft)


def found(text: str) -> Draft | Fault:
    """What is read from this text."""
    return read(Answer(text, Usage()), Draft, lambda _draft: None)


@settings(deadline=None)
@given(st.text())
def test_reading_never_raises(text: str) -> None:
    """Whatever a model says is a record or a fault."""
    assert isinstance(found(text), Draft | Fault)


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:a1 \n\\<>`'))
def test_reading_never_raises_on_almost_json(text: str) -> None:
    """Nor does almost-JSON."""
    assert isinstance(found(text), Draft | Fault)


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('{"title": "a"}', "a"),
        ('It is {"not": "it"} but {"title": "a"} then', "a"),
        ('{"title": "a"} {"title": "a"}', "a"),
        ('see [1] and [2]: {"title": "a"}', "a"),
        ('<think>{"title": "b"}</think>{"title": "a"}', "a"),
        ('{"title": "b"} hm </think>{"title": "a"}', None),
        ('hm {"title": "b"} </think>{"title": "a"}', "a"),
        ('{"title": "</think>a"}', "</think>a"),
        ('<think>{"title": "b"}', None),
        ('{"title": "a"} {"title": "b"}', None),
        ('[{"title": "a"}]', None),
        ('{"title": "a", "title": "b"}', None),
        ('{"title": "a", "price": NaN}', None),
        ('{"title": "a"', None),
        ("null", None),
    ],
)
def test_exactly_one_record_or_none(text: str, title: str | None) -> None:
    """Wrapping is forgiven; a second answer, a list, a name given twice and half an object are not."""
    record = found(text)
    assert (record.title if isinstance(record, Draft) else None) == title


def test_a_flood_of_braces_is_given_up_on() -> None:
    """256 KiB of opening braces are refused without trying each."""
    assert isinstance(found("{" * 262_144), Fault)
