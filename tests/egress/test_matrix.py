"""A slice of the egress matrix: the layers that leak are seen to leak, the product is not."""

from pathlib import Path

import pytest

from tests.egress.layers import LAYERS
from tests.egress.matrix import leaks
from tests.egress.vectors import VECTORS

TELLING = (
    "navigation 302", "form post 307", "popup redirect", "fetch redirect", "image", "iframe", "form post", "fetch post",
    "beacon at unload", "keepalive at unload", "shared worker", "websocket in a worker", "speculation prefetch", "stun",
    "turn tcp", "worker fetch", "localhost",
)  # fmt: skip


@pytest.mark.slow
async def test_nothing_gets_past_the_product_and_the_test_would_see_it(tmp_path: Path) -> None:
    """The same vectors reach the forbidden server without control and past routing alone; past the product none does."""
    vectors = {name: VECTORS[name] for name in TELLING}
    layers = {name: LAYERS[name] for name in ("nothing", "context.route", "product")}
    found = await leaks(vectors, "http", layers, tmp_path)
    assert len(found["nothing"]) == len(TELLING)
    assert {"navigation 302", "shared worker", "stun"} <= found["context.route"]
    assert found["product"] == frozenset()


def test_the_matrix_tries_enough_ways_out() -> None:
    """At least the number that the specification asks for."""
    assert len(VECTORS) >= 67
