"""Every way a model endpoint misbehaves, over real HTTP: never an unknown action, one repair, a typed end, usage right."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from engine.decide.prompted import PromptedPlanner
from engine.domain.brief import Brief, Message
from engine.domain.usage import Usage
from engine.errors import ModelError, ModelGarbled, ModelRateLimited, ModelTimeout, ModelUnavailable
from engine.llm.asking import Asker
from engine.llm.endpoints import Endpoint
from engine.llm.openai_compatible import open_model
from tests.decide.briefs import CLICK, DECISION, TEXT, brief, observation
from tests.llm.endpoint import USAGE, Reply, Request, Script, ScriptedEndpoint, completion, problem, tool_call

ONE = Usage(requests=1, input_tokens=100, output_tokens=20, usd_micros=250, usd_source="reported")
TWO = ONE.plus(ONE)
UNPAID = Usage()


@dataclass
class Rig:
    """A planner before a scripted endpoint, the messages it kept and the seconds it would have slept."""

    planner: PromptedPlanner
    endpoint: ScriptedEndpoint
    kept: list[Message]
    slept: list[float] = field(default_factory=list)

    async def fails(self, error: type[ModelError], about: str, given: Brief | None = None) -> None:
        """The decision ends in this very error, whose sentence matches."""
        with pytest.raises(error, match=about) as caught:
            await self.planner.decide(given or brief())
        assert type(caught.value) is error


@asynccontextmanager
async def rig(*script: Script, deadline: float = 20.0) -> AsyncIterator[Rig]:
    """Everything real but the back-off's sleep."""
    slept: list[float] = []
    kept: list[Message] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with ScriptedEndpoint(*script) as endpoint, open_model(Endpoint(endpoint.url, "m1", key="k-1")) as model:
        asker = Asker(model, deadline=deadline, sleep=sleep)
        planner = PromptedPlanner(asker, kept.append, picture=lambda _path: b"\xff\xd8jpeg")
        yield Rig(planner, endpoint, kept, slept)


def takes(*modes: str, otherwise: Reply) -> Script:
    """A server that answers a click in these modes and `otherwise` in all others."""

    def serve(request: Request) -> Reply:
        if request.mode not in modes:
            return otherwise
        return tool_call(CLICK) if request.mode == "tool" else completion(CLICK)

    return serve


async def test_strict_schema_is_one_request() -> None:
    """An endpoint that knows strict schemas is asked once, with only the allowed actions in the schema."""
    async with rig(completion(CLICK)) as r:
        planned = await r.planner.decide(brief())
        assert (planned.decision, planned.model, planned.repaired) == (DECISION, "scripted-2026", False)
        assert (r.endpoint.modes, r.planner.usage) == (["json_schema"], ONE)
        wanted = r.endpoint.requests[0].body["response_format"]["json_schema"]
        assert wanted["strict"] is True
        actions = {member["properties"]["action"]["enum"][0] for member in wanted["schema"]["properties"]["action"]["anyOf"]}
        assert actions == {*brief().allowed, "done", "stuck", "widen"}
        assert r.endpoint.requests[0].headers["authorization"] == "Bearer k-1"


@pytest.mark.parametrize("status", [400, 404, 422, 500])
async def test_refused_schema_becomes_a_tool_call_and_is_remembered(status: int) -> None:
    """A server that answers an error to json_schema is asked by tool call, from then on at once; the errors cost nothing."""
    async with rig(takes("tool", otherwise=problem(status, "response_format is not supported"))) as r:
        assert (await r.planner.decide(brief())).decision == DECISION
        assert (await r.planner.decide(brief())).decision == DECISION
        assert r.endpoint.modes == ["json_schema", "tool", "tool"]
        assert (r.planner.usage, r.slept) == (TWO, [])


async def test_json_object_with_a_schema_beside_it() -> None:
    """A server that takes only json_object with a schema is found out, and has the schema in the prompt as well."""
    async with rig(takes("object_schema", otherwise=problem(500))) as r:
        assert (await r.planner.decide(brief())).decision == DECISION
        assert r.endpoint.modes == ["json_schema", "tool", "object_schema"]
        assert "additionalProperties" in r.endpoint.requests[2].prompt
        assert "additionalProperties" not in r.endpoint.requests[0].prompt


@pytest.mark.parametrize("mode", ["object", "text"])
async def test_the_lowest_rungs_have_the_schema_in_the_prompt(mode: str) -> None:
    """Plain json_object, then nothing but the prompt, still give a decision."""
    async with rig(takes(mode, otherwise=problem(400))) as r:
        assert (await r.planner.decide(brief())).decision == DECISION
        assert r.endpoint.modes[-1] == mode
        assert "additionalProperties" in r.endpoint.requests[-1].prompt
        assert r.planner.usage == ONE


async def test_ignored_modes_are_left_behind() -> None:
    """A server that takes every mode and heeds none is asked more plainly, in the repair and from then on."""
    async with rig(completion("I would press Find."), completion(CLICK)) as r:
        assert (await r.planner.decide(brief())).repaired
        await r.planner.decide(brief())
        assert r.endpoint.modes == ["json_schema", "tool", "tool"]


async def test_pictures_that_are_not_taken_are_left_out() -> None:
    """A text-only model is found out, and keeps the best mode it has for what follows."""

    def blind(request: Request) -> Reply:
        pictured = any(isinstance(message["content"], list) for message in request.body["messages"])
        return problem(500, "image input is not supported") if pictured else completion(CLICK)

    async with rig(blind) as r:
        seen = brief(observation=observation(screenshot="screenshots/1.jpg"))
        await r.planner.decide(seen)
        await r.planner.decide(seen)
        assert r.endpoint.modes == ["json_schema", "tool", "object_schema", "object", "text", "text", "json_schema"]
        assert r.planner.usage == TWO


async def test_a_picture_is_sent_as_jpeg_and_kept_by_path() -> None:
    """The model gets the bytes, the transcript the path."""
    async with rig(completion(CLICK)) as r:
        await r.planner.decide(brief(observation=observation(screenshot="screenshots/1.jpg")))
        part = r.endpoint.requests[0].body["messages"][1]["content"][1]
        assert part == {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9hqcGVn"}}
        assert [message.images for message in r.kept] == [(), ("screenshots/1.jpg",), ()]


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{json.dumps(CLICK, indent=2)}\n```",
        f"Sure! I will press the button [e3].\n\n{json.dumps(CLICK)}\n\nLet me know {{how}} it goes.",
        f'<think>Maybe {{"reason": "x", "action": {{"action": "click", "ref": "e1"}}}}?</think>{json.dumps(CLICK)}',
    ],
    ids=["fenced", "prose", "thoughts"],
)
async def test_wrapping_around_the_json_is_forgiven(text: str) -> None:
    """Fenced JSON, prose around JSON and thoughts before it are read without a repair question."""
    async with rig(completion(text)) as r:
        planned = await r.planner.decide(brief())
        assert (planned.decision, planned.repaired) == (DECISION, False)
        assert r.planner.usage == ONE


BAD = {
    "extra field": (completion({**CLICK, "action": {"action": "click", "ref": "e3", "force": True}}), "force"),
    "extra field outside": (completion({**CLICK, "confidence": 1}), "confidence"),
    "unknown action": (completion({"reason": "x", "action": {"action": "evaluate", "script": "1"}}), "evaluate"),
    "action not allowed": (completion({"reason": "x", "action": {"action": "go_back"}}), "go_back"),
    "stale ref": (completion({"reason": "x", "action": {"action": "click", "ref": "e99"}}), "e99"),
    "ref of a replay": (completion({"reason": "x", "action": {"action": "click", "ref": "@s1"}}), "@s1"),
    "unknown secret": (completion({"reason": "x", "action": {"action": "type", "ref": "e2", "text": "{{secret.pin}}"}}), "pin"),
    "two actions": (completion(f"{json.dumps(CLICK)}\n{json.dumps({**CLICK, 'reason': 'y'})}"), "2 different"),
    "two actions in a list": (completion([CLICK, CLICK]), "list"),
    "a list of one": (completion([CLICK]), "list"),
    "two tool calls": (tool_call(CLICK, {**CLICK, "reason": "y"}), "list"),
    "one name twice": (completion('{"reason":"x","action":{"action":"done"},"action":{"action":"click","ref":"e3"}}'), "twice"),
    "empty": (completion(""), "empty"),
    "no content": (completion(None), "empty"),
    "no choices": (Reply(body=json.dumps({"choices": [], "usage": USAGE}).encode()), "empty"),
    "truncated": (completion('{"reason": "It fin', finish="length"), "cut off"),
    "truncated but whole": (completion(CLICK, finish="length"), "cut off"),
    "refusal": (completion(None, refusal="I cannot help with that."), "declined"),
    "content filter": (completion("", finish="content_filter"), "declined"),
    "broken JSON": (completion('{"reason": "x", "action": {"action": "click", "ref": "e3",}'), "does not fit|no JSON"),
    "deep nesting": (completion("[" * 100_000), "no JSON"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
async def test_a_bad_answer_gets_one_repair_question_that_says_why(case: str) -> None:
    """The answer is not used; the repair question names what was wrong; both requests are paid once."""
    bad, about = BAD[case]
    async with rig(bad, completion(CLICK)) as r:
        planned = await r.planner.decide(brief())
        assert (planned.decision, planned.repaired) == (DECISION, True)
        assert r.planner.usage == TWO
        asked = r.endpoint.requests[1].body["messages"][-1]["content"]
        assert "Your answer was not used" in asked
        assert any(word in asked.rpartition("Your answer was not used")[2] for word in about.split("|"))


@pytest.mark.parametrize("case", BAD)
async def test_a_second_bad_answer_ends_it(case: str) -> None:
    """No third question: ModelGarbled with the reason, both requests paid once, and nothing was decided."""
    bad, about = BAD[case]
    async with rig(bad) as r:
        await r.fails(ModelGarbled, about)
        assert (len(r.endpoint.requests), r.planner.usage, r.slept) == (2, TWO, [])


async def test_one_megabyte_is_not_read() -> None:
    """An answer beyond the limit is dropped unread; its bill is unknown, and stays unknown in the sum."""
    async with rig(completion("x" * 1_000_000), completion(CLICK)) as r:
        planned = await r.planner.decide(brief())
        assert (planned.decision, planned.repaired) == (DECISION, True)
        assert r.planner.usage == Usage(requests=2, input_tokens=100, output_tokens=20, usd_micros=None, usd_source="unknown")
    async with rig(completion("x" * 1_000_000)) as r:
        await r.fails(ModelGarbled, "far too long")
    async with rig(problem(500, "x" * 1_000_000)) as r:
        await r.fails(ModelGarbled, "far too long")


async def test_retry_after_is_honoured() -> None:
    """429 is waited out as long as the endpoint says; the rejected requests cost nothing."""
    limited = problem(429, "slow down", {"Retry-After": "7"})
    async with rig(limited, limited, completion(CLICK)) as r:
        assert (await r.planner.decide(brief())).decision == DECISION
        assert (r.slept, r.planner.usage, r.endpoint.modes) == ([7.0, 7.0], ONE, ["json_schema"] * 3)


async def test_a_rate_limit_that_stays_ends_typed() -> None:
    """Two retries with our own back-off where the endpoint names no time, then ModelRateLimited."""
    async with rig(problem(429)) as r:
        await r.fails(ModelRateLimited, "429")
        assert (r.slept, r.planner.usage, len(r.endpoint.requests)) == ([0.5, 2.0], UNPAID, 3)


async def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    """Retry-After of an hour ends at once instead of sleeping into the deadline; as seconds and as a date."""
    for given in ("3600", "Fri, 01 Jan 2100 00:00:00 GMT"):
        async with rig(problem(429, headers={"Retry-After": given})) as r:
            await r.fails(ModelRateLimited, "longer than the time left")
            assert (r.slept, len(r.endpoint.requests)) == ([], 1)


async def test_spent_credit_is_no_rate_limit() -> None:
    """OpenAI's 429 for an empty account is not retried."""
    async with rig(problem(429, code="insufficient_quota")) as r:
        await r.fails(ModelUnavailable, "credit")
        assert len(r.endpoint.requests) == 1


async def test_an_outage_is_not_taken_for_an_unknown_mode() -> None:
    """500 on every rung is an outage: two more tries, then ModelUnavailable; nothing was paid."""
    async with rig(problem(500)) as r:
        await r.fails(ModelUnavailable, "500")
        assert r.endpoint.modes == ["json_schema", "tool", "object_schema", "object", "text", "json_schema", "json_schema"]
        assert (r.slept, r.planner.usage) == ([0.5, 2.0], UNPAID)


async def test_an_outage_that_passes_leaves_the_best_mode() -> None:
    """After an outage at the first question the strict schema is used, not the rung it was lowest at."""
    async with rig(*[problem(500)] * 5, completion(CLICK)) as r:
        await r.planner.decide(brief())
        await r.planner.decide(brief())
        assert r.endpoint.modes[-2:] == ["json_schema", "json_schema"]


async def test_an_outage_below_a_refused_mode_is_waited_out_too() -> None:
    """A mode that was refused is not what the retries after an outage ask for."""
    left = [problem(500)] * 4

    def recovering(request: Request) -> Reply:
        if request.mode == "json_schema":
            return problem(400, "response_format is not supported")
        return left.pop() if left else tool_call(CLICK)

    async with rig(recovering) as r:
        assert (await r.planner.decide(brief())).decision == DECISION
        assert r.endpoint.modes == ["json_schema", "tool", "object_schema", "object", "text", "tool"]
        assert (r.slept, r.planner.usage) == ([0.5], ONE)


async def test_an_outage_after_a_good_answer_does_not_climb_down() -> None:
    """Once a mode has answered, a 500 is retried in that mode."""
    async with rig(completion(CLICK), problem(500), problem(503), completion(CLICK)) as r:
        await r.planner.decide(brief())
        await r.planner.decide(brief())
        assert (r.endpoint.modes, r.planner.usage) == (["json_schema"] * 4, TWO)


async def test_an_error_inside_a_200_counts_as_its_code() -> None:
    """Gateways that wrap a provider's 429 or 502 in a 200 are waited out like the bare status."""
    wrapped = [Reply(body=json.dumps({"error": {"code": code, "message": "provider"}}).encode()) for code in (429, 502)]
    async with rig(*wrapped, completion(CLICK)) as r:
        assert (await r.planner.decide(brief())).decision == DECISION
        assert (r.slept, r.planner.usage) == ([0.5, 2.0], ONE)


@pytest.mark.parametrize("status", [401, 402, 403])
async def test_a_refused_key_is_said_at_once(status: int) -> None:
    """No ladder, no retry: the key or the credit is the matter."""
    async with rig(problem(status, "bad key")) as r:
        await r.fails(ModelUnavailable, "key")
        assert len(r.endpoint.requests) == 1


async def test_an_unknown_model_is_said_after_every_rung() -> None:
    """404 on every rung is no question of modes."""
    async with rig(problem(404, "no such model")) as r:
        await r.fails(ModelUnavailable, "no such model")
        assert (len(r.endpoint.requests), r.slept) == (5, [])


async def test_a_page_instead_of_a_completion() -> None:
    """A wrong base URL that answers with a web page ends as unavailable, with the hint."""
    async with rig(Reply(body=b"<html>hello</html>")) as r:
        await r.fails(ModelUnavailable, "--base-url")
        assert r.planner.usage == Usage(requests=3)


async def test_nobody_listens() -> None:
    """A refused connection is retried, then ModelUnavailable; nothing can have been paid."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with open_model(Endpoint("http://127.0.0.1:9/v1", "m1")) as model:
        planner = PromptedPlanner(Asker(model, sleep=sleep), lambda _message: None)
        with pytest.raises(ModelUnavailable, match="no connection"):
            await planner.decide(brief())
        assert (planner.usage, slept) == (UNPAID, [0.5, 2.0])


async def test_a_connection_cut_in_the_answer_may_be_billed() -> None:
    """Half an answer is retried; its bill is unknown."""
    half = Reply(body=completion(CLICK).body, cut=True)
    async with rig(half, completion(CLICK)) as r:
        assert (await r.planner.decide(brief())).decision == DECISION
        assert (r.planner.usage.requests, r.planner.usage.usd_micros) == (2, None)


@pytest.mark.parametrize(
    "slow", [Reply(never=True), Reply(body=completion(CLICK).body, drip=0.05)], ids=["never answers", "drips"]
)
async def test_our_own_deadline_ends_what_does_not_end(slow: Reply) -> None:
    """Silence and dripping bytes end as ModelTimeout in time; the request may be billed and counts as such."""
    async with rig(slow, deadline=0.3) as r:
        started = asyncio.get_running_loop().time()
        await r.fails(ModelTimeout, "0.3 s")
        assert asyncio.get_running_loop().time() - started < 2
        assert r.planner.usage == Usage(requests=1, usd_micros=None, usd_source="unknown")


async def test_an_interrupted_request_is_counted() -> None:
    """Cancelling from outside (Ctrl-C, the run's own deadline) leaves the request in the books with an unknown bill."""
    async with rig(Reply(never=True)) as r:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await r.planner.decide(brief())
        assert r.planner.usage == Usage(requests=1, usd_micros=None, usd_source="unknown")


async def test_no_price_is_not_no_cost() -> None:
    """An endpoint that reports no use at all, or tokens but no cost and is in no price list, leaves the price unknown."""
    async with rig(completion(CLICK, usage=None)) as r:
        await r.planner.decide(brief())
        assert r.planner.usage == Usage(requests=1, usd_micros=None, usd_source="unknown")
    async with rig(completion(CLICK, usage={"prompt_tokens": 7, "completion_tokens": 3})) as r:
        await r.planner.decide(brief())
        assert r.planner.usage == Usage(requests=1, input_tokens=7, output_tokens=3, usd_micros=None, usd_source="unknown")


async def test_the_transcript_is_what_was_said() -> None:
    """Every message once, in order, under its step; the stable system message only when it was first sent."""
    async with rig(completion([CLICK]), completion(CLICK)) as r:
        await r.planner.decide(brief())
        assert [(message.role, message.step) for message in r.kept] == [
            ("system", 1), ("user", 1), ("assistant", 1), ("user", 1), ("assistant", 1),
        ]  # fmt: skip
        await r.planner.decide(brief())
        assert [message.role for message in r.kept[5:]] == ["user", "assistant"]
        sent = [message["content"] for request in r.endpoint.requests for message in request.body["messages"]]
        assert {message.content for message in r.kept if message.role != "assistant"} == set(sent) - {r.kept[2].content}


async def test_the_prefix_is_the_same_to_the_byte() -> None:
    """Two decisions share system message, goal and the page written out, so that a provider's cache can hold them."""
    async with rig(completion(CLICK)) as r:
        await r.planner.decide(brief())
        await r.planner.decide(brief(observation=observation(text="other", shown=TEXT, url="http://shop.test/other")))
        first, second = (request.body["messages"] for request in r.endpoint.requests)
        assert first[0] == second[0]
        assert first[1]["content"].partition("The page now:")[0] == second[1]["content"].partition("The page now:")[0]
