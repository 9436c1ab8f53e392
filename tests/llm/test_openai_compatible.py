"""The real adapter's bytes: keys, queries, extras, redirects and what is never read."""

import asyncio

import pytest

from engine.llm.endpoints import Endpoint, choose_endpoint
from engine.llm.openai_compatible import ANSWER_LIMIT, open_model
from engine.llm.protocol import Answer, Form, Question, Rejection, Said
from tests.llm.endpoint import Reply, ScriptedEndpoint, completion, problem, tool_call

QUESTION = Question((Said("user", "Which colour?"),), Form("Colour", {"type": "object"}), "text")


async def test_no_key_no_header(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server without a key gets none, whatever the library would find in the environment."""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "leaked-value")
    async with ScriptedEndpoint(completion("blue")) as endpoint, open_model(Endpoint(endpoint.url, "m1")) as model:
        await model.answer(QUESTION)
        assert "leaked-value" not in str(endpoint.requests[0].headers)
        assert "authorization" not in endpoint.requests[0].headers


async def test_azure_gets_its_own_header_and_query() -> None:
    """Azure's key goes into api-key, its version into the query."""
    async with ScriptedEndpoint(completion("blue")) as endpoint:
        chosen = choose_endpoint({"CAPWRIGHT_API_KEY": "k-9"}, "d1", f"{endpoint.url}/deployments/d1?api-version=2026-01-01")
        async with open_model(chosen) as model:
            await model.answer(QUESTION)
        request = endpoint.requests[0]
        assert request.path == "/v1/deployments/d1/chat/completions?api-version=2026-01-01"
        assert (request.headers["api-key"], "authorization" in request.headers) == ("k-9", False)


async def test_extras_are_in_the_body() -> None:
    """What an endpoint wants in every request is sent: OpenRouter is asked to report the cost."""
    async with ScriptedEndpoint(completion("blue")) as endpoint:
        async with open_model(Endpoint(endpoint.url, "m1", extra={"usage": {"include": True}})) as model:
            await model.answer(QUESTION)
        assert endpoint.requests[0].body == {
            "model": "m1",
            "messages": [{"role": "user", "content": "Which colour?"}],
            "usage": {"include": True},
        }


async def test_a_redirect_is_not_followed() -> None:
    """A key never travels to where a redirect points."""
    async with ScriptedEndpoint(completion("blue")) as other:
        moved = Reply(status=307, headers={"Location": f"{other.url}/chat/completions"})
        async with ScriptedEndpoint(moved) as endpoint, open_model(Endpoint(endpoint.url, "m1", key="k-1")) as model:
            reply = await model.answer(QUESTION)
            assert isinstance(reply, Rejection)
            assert reply.kind == "refused"
        assert other.requests == []


async def test_the_limit_is_on_bytes_to_the_byte() -> None:
    """A response of exactly the limit is read, one byte more is not."""
    empty = len(completion("").body)
    for extra, finish in ((0, "stop"), (1, "oversize")):
        long = completion("x" * (ANSWER_LIMIT - empty + extra))
        async with ScriptedEndpoint(long) as endpoint, open_model(Endpoint(endpoint.url, "m1")) as model:
            reply = await model.answer(QUESTION)
        assert isinstance(reply, Answer)
        assert reply.finish == finish


async def test_cancelling_closes_the_connection() -> None:
    """A request that is given up on leaves nothing open at the endpoint."""
    async with ScriptedEndpoint(Reply(never=True)) as endpoint, open_model(Endpoint(endpoint.url, "m1")) as model:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await model.answer(QUESTION)
        async with asyncio.timeout(5):
            await endpoint.left.wait()


async def test_an_answer_can_take_its_time() -> None:
    """The scripted endpoint's delay is what other rooms measure a slow model with."""
    async with ScriptedEndpoint(completion("blue", delay=0.2)) as endpoint, open_model(Endpoint(endpoint.url, "m1")) as model:
        loop = asyncio.get_running_loop()
        before = loop.time()
        await model.answer(QUESTION)
        assert loop.time() - before >= 0.2


async def test_shapes_of_content() -> None:
    """Content as parts, arguments of one call and of two, and a cost on one's own key are understood."""
    parts = [{"type": "text", "text": "bl"}, {"type": "text", "text": "ue"}]
    own_key = {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.1, "is_byok": True,
               "cost_details": {"upstream_inference_cost": 2}}  # fmt: skip
    script = (
        Reply(body=completion("@").body.replace(b'"@"', str(parts).replace("'", '"').encode())),
        tool_call({"a": 1}),
        tool_call({"a": 1}, {"a": 2}),
        completion("blue", usage=own_key),
    )
    async with ScriptedEndpoint(*script) as endpoint, open_model(Endpoint(endpoint.url, "m1")) as model:
        replies = [await model.answer(QUESTION) for _ in script]
    assert [getattr(reply, "text", None) for reply in replies] == ["blue", '{"a": 1}', '[{"a": 1},{"a": 2}]', "blue"]
    assert isinstance(replies[3], Answer)
    assert replies[3].usage.usd_micros == 2_100_000


@pytest.mark.parametrize(
    ("status", "kind"),
    [(301, "refused"), (400, "refused"), (401, "denied"), (402, "denied"), (403, "denied"), (408, "down"), (413, "refused"),
     (429, "rate_limited"), (500, "down"), (503, "down"), (529, "down")],
)  # fmt: skip
async def test_every_status_has_its_kind(status: int, kind: str) -> None:
    """HTTP errors become the kind of rejection that the caller treats alike."""
    async with ScriptedEndpoint(problem(status)) as endpoint, open_model(Endpoint(endpoint.url, "m1")) as model:
        reply = await model.answer(QUESTION)
    assert isinstance(reply, Rejection)
    assert (reply.kind, reply.status, reply.usage) == (kind, status, None)
