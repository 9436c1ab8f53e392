"""What a request cost in millionths of a US dollar: reported by the endpoint, else estimated from list prices, else unknown."""

import math
from decimal import Decimal
from typing import Literal, NamedTuple

from genai_prices import Usage as Tokens
from genai_prices import calc_price

from engine.domain.usage import Usage

NOTHING_SPENT = Usage(requests=0, usd_micros=0, usd_source="reported")
"""The use of a planner that makes no request (`--model embedded`): zero is what was spent, not a guess."""

UNKNOWN_BILL = Usage(requests=1, usd_micros=None, usd_source="unknown")
"""A request that was sent and whose bill was never seen: given up on, cut off, or answered without figures."""


class Price(NamedTuple):
    """Money and where the figure comes from."""

    usd_micros: int | None
    source: Literal["reported", "estimated", "unknown"]


UNKNOWN = Price(None, "unknown")


def reported(usd: Decimal) -> Price:
    """What the endpoint says it took, rounded up to a whole micro-dollar."""
    return Price(math.ceil(usd * 1_000_000), "reported") if usd.is_finite() and usd >= 0 else UNKNOWN


def estimated(base_url: str, models: tuple[str, ...], tokens: Tokens) -> Price:
    """Tokens times list price, for the first of `models` that is listed at this provider; unknown for any other endpoint.

    The model's name alone is not enough: the same name on one's own machine has no list price.
    """
    for model in filter(None, models):
        try:
            usd = calc_price(tokens, model, provider_api_url=base_url).total_price
        except (LookupError, ValueError):  # not listed; or figures that contradict each other
            continue
        return Price(math.ceil(usd * 1_000_000), "estimated")
    return UNKNOWN
