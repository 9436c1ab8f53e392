"""What every Model does, run on the real adapter over HTTP and on the scripted one in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from engine.domain.usage import Usage
from engine.llm.endpoints import Endpoint
from engine.llm.openai_compatible import open_model
from engine.llm.protocol import MODES, Answer, Form, Mode, Model, Question, Rejection, Said
from engine.llm.scripted import ScriptedModel
from tests.llm.endpoint import ScriptedEndpoint, completion, problem

FORM = Form("Colour", {"type": "object", "properties": {}, "required": [], "additionalProperties": False})
PAID = Usage(requests=1, input_tokens=100, output_tokens=20, usd_micros=250, usd_source="reported")


@asynccontextmanager
async def over_http() -> AsyncIterator[Model]:
    """The adapter before an endpoint that answers, is cut short, declines, and is busy."""
    script = (
        completion("blue"),
        completion("bl", finish="length"),
        completion(None, refusal="no"),
        problem(429, "busy", {"Retry-After": "3"}),
    )
    async with ScriptedEndpoint(*script) as endpoint, open_model(Endpoint(endpoint.url, "m1")) as model:
        yield model


@asynccontextmanager
async def in_memory() -> AsyncIterator[Model]:
    """The same script without an endpoint."""
    yield ScriptedModel(
        [
            Answer("blue", PAID, "scripted-2026"),
            Answer("bl", PAID, "scripted-2026", "length"),
            Answer("no", PAID, "scripted-2026", "refusal"),
            Rejection("rate_limited", "the endpoint answered 429: busy", 429, 3.0),
        ],
        "m1",
    )


@pytest.mark.parametrize("opened", [over_http, in_memory])
@pytest.mark.parametrize("mode", MODES)
async def test_one_question_one_reply(opened: Callable[[], AbstractAsyncContextManager[Model]], mode: Mode) -> None:
    """Answers, cut answers, refusals and rejections are values, in order, in every mode, each with its own use."""
    question = Question((Said("system", "Answer."), Said("user", "Which colour?")), FORM, mode)
    async with opened() as model:
        assert model.name == "m1"
        replies = [await model.answer(question) for _ in range(4)]
    assert replies[:3] == [
        Answer("blue", PAID, "scripted-2026"),
        Answer("bl", PAID, "scripted-2026", "length"),
        Answer("no", PAID, "scripted-2026", "refusal"),
    ]
    busy = replies[3]
    assert isinstance(busy, Rejection)
    assert (busy.kind, busy.status, busy.retry_after, busy.usage) == ("rate_limited", 429, 3.0, None)
