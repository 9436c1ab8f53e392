"""Money: reported, else estimated where a price is known, else unknown; never zero for want of a price."""

import json
from decimal import Decimal

import pytest
from genai_prices import Usage as Tokens

from engine.domain.cost import ModelPrice
from engine.domain.usage import Usage
from engine.llm.endpoints import Endpoint
from engine.llm.prices import NOTHING_SPENT, UNKNOWN_BILL, estimated, reported
from engine.llm.wire import parse

TOKENS = Tokens(input_tokens=1_000_000, output_tokens=1_000_000)


def test_reported_is_rounded_up() -> None:
    """A fraction of a micro-dollar is not free."""
    assert reported(Decimal("0.0000001")) == (1, "reported")
    assert reported(Decimal("0.25")) == (250_000, "reported")
    assert reported(Decimal("0")) == (0, "reported")


@pytest.mark.parametrize("nonsense", ["-1", "NaN", "Infinity"])
def test_a_nonsense_report_is_unknown(nonsense: str) -> None:
    """What is no amount is no report."""
    assert reported(Decimal(nonsense)) == (None, "unknown")


def test_estimated_by_the_model_that_answered_else_the_one_asked() -> None:
    """A dated name that is in no list falls back on the name that was asked for."""
    price = estimated("https://openrouter.ai/api/v1", ("no-such/model", "google/gemini-2.5-flash"), TOKENS)
    assert price.source == "estimated"
    assert price.usd_micros is not None
    assert price.usd_micros > 100_000


@pytest.mark.parametrize(
    ("url", "model"),
    [
        ("http://127.0.0.1:11434/v1", "gpt-4.1-mini"),
        ("https://openrouter.ai/api/v1", "no-such/model"),
        ("https://api.openai.com/v1", ""),
    ],
)
def test_an_unlisted_price_is_unknown(url: str, model: str) -> None:
    """A known name on one's own machine, or an unknown name anywhere, has no price."""
    assert estimated(url, (model,), TOKENS) == (None, "unknown")


def test_the_operators_price_comes_before_the_lists() -> None:
    """Also for an endpoint that no list knows; a reported cost comes before both."""
    price = ModelPrice(input=Decimal("0.5"), output=Decimal(3))
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 101, "completion_tokens": 10}}
    for url, model in (("http://127.0.0.1:1/v1", "mine"), ("https://api.openai.com/v1", "gpt-4.1-mini")):
        answer = parse(json.dumps(body).encode(), Endpoint(url, model, price=price))
        assert (answer.usage.usd_micros, answer.usage.usd_source) == (81, "estimated")  # type: ignore[union-attr]
    reported_too = {**body, "usage": {**body["usage"], "cost": 0.25}}  # type: ignore[dict-item]
    answer = parse(json.dumps(reported_too).encode(), Endpoint("http://127.0.0.1:1/v1", "mine", price=price))
    assert (answer.usage.usd_micros, answer.usage.usd_source) == (250_000, "reported")  # type: ignore[union-attr]


def test_sums() -> None:
    """Nothing spent adds nothing; an unknown bill makes the sum unknown but keeps the tokens."""
    paid = Usage(requests=1, input_tokens=5, output_tokens=2, usd_micros=3, usd_source="reported")
    assert NOTHING_SPENT.plus(paid) == paid
    assert paid.plus(UNKNOWN_BILL) == Usage(requests=2, input_tokens=5, output_tokens=2, usd_micros=None, usd_source="unknown")
