import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from engine.domain.capability import Capability
from engine.domain.ending import Ending, ReplayResult
from engine.errors import BrowserMissing, CapwrightError
from engine.faces import schema
from engine.faces.mcp import PATH, mcp_server, serve_http
from tests.capabilities import paying, reading


@dataclass
class House:
    """Approved capabilities, and a runner that ends as it is told and remembers what it was given."""

    versions: tuple[Capability, ...] = ()
    ending: Ending = "ok"
    fails: CapwrightError | None = None
    asked: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)

    def approved(self) -> tuple[Capability, ...]:
        """What may run."""
        return self.versions

    async def run(self, capability: Capability, inputs: Mapping[str, str], tell: Callable[[str], None]) -> ReplayResult:
        """The ending that was set."""
        self.asked.append((capability.id, inputs))
        tell("started")
        tell("waiting for a person")
        if self.fails:
            raise self.fails
        done = (
            {"outputs": {"balance": "7.00"}} if self.ending == "ok" else {"step": "s3", "explanation": "A person must say yes."}
        )
        fields = {"capability": capability.id, "version": capability.version, "ending": self.ending, "run_id": "r1", **done}
        return ReplayResult.model_validate(fields)


@pytest.fixture
def house() -> House:
    """One that reads and one that pays."""
    return House((reading(), paying()))


@asynccontextmanager
async def served(house: House, token: str | None = None) -> AsyncIterator[str]:
    """The server over real HTTP; its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.ensure_future(serve_http(mcp_server(house, house), listener, token))
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"
        finally:
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving


@asynccontextmanager
async def talking(house: House) -> AsyncIterator[Client]:
    """The SDK's own client over real HTTP; opened and closed by the test itself, as its cancel scopes want it."""
    async with served(house) as url, Client(url) as connected:
        yield connected


def structured(result: CallToolResult) -> Mapping[str, object]:
    """The structured content, which the text repeats."""
    found = result.structured_content
    assert isinstance(found, dict)
    assert json.loads(result.content[0].model_dump()["text"]) == found
    return found


async def test_approved_capabilities_are_tools(house: House) -> None:
    """Named, described, with schemas that hold no secret, and hints from the risk class and the effects."""
    async with talking(house) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"read-balance", "pay"}
        read, pay = tools["read-balance"], tools["pay"]
        assert read.description and "Finds a customer" in read.description
        assert read.input_schema["properties"] == {"customer": {"type": "string"}}
        assert read.input_schema["required"] == ["customer"]
        assert "pin" not in json.dumps(read.model_dump(mode="json"))
        assert read.output_schema and read.output_schema["properties"]["outputs"]["required"] == ["balance"]
        hints = [(each.annotations.read_only_hint, each.annotations.destructive_hint, each.annotations.idempotent_hint)
                 for each in (read, pay) if each.annotations]  # fmt: skip
        assert hints == [(True, False, True), (False, True, False)]


async def test_a_call_gives_the_outputs(house: House) -> None:
    """Structured by the tool's own schema, which the client checks."""
    async with talking(house) as client:
        result = await client.call_tool("read-balance", {"customer": "4711"})
        assert not result.is_error
        said = structured(result)
        assert (said["ending"], said["outputs"]) == ("ok", {"balance": "7.00"})
        assert house.asked == [("read-balance", {"customer": "4711"})]


async def test_a_risky_one_answers_with_its_approval_request(house: House) -> None:
    """Which step, what it would do, and why a person must be asked."""
    async with talking(house) as client:
        house.ending = "approval_needed"
        result = await client.call_tool("pay", {"amount": "5"})
        assert result.is_error
        said = structured(result)
        assert said["ending"] == "approval_needed"
        asked = {
            "step": "s3",
            "action": "click",
            "element": 'button "Pay"',
            "effect": "commit",
            "why": "A person must say yes.",
        }
        assert said["approval_request"] == asked


async def test_what_is_not_approved_is_not_there(house: House) -> None:
    """Neither in the list nor by its name; a version that is revoked while clients are connected is gone at once."""
    async with talking(house) as client:
        house.versions = (reading(),)
        assert [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools] == ["read-balance"]
        with pytest.raises(MCPError, match="no approved capability pay"):
            await client.call_tool("pay", {"amount": "5"})
        assert house.asked == []


@pytest.mark.parametrize("arguments", [{"customer": "4711", "pin": "mine"}, {"customer": "4711", "other": "x"}])
async def test_what_a_caller_may_not_give_is_refused_and_not_repeated(house: House, arguments: dict[str, str]) -> None:
    """A secret is the server's own affair; an unknown name is a mistake."""
    async with talking(house) as client:
        result = await client.call_tool("read-balance", arguments)
        assert structured(result)["ending"] == "input_invalid"
        assert "mine" not in result.model_dump_json()
        assert house.asked == []


async def test_numbers_and_truth_values_arrive_as_text(house: House) -> None:
    """As they would be typed on a command line."""
    async with talking(house) as client:
        properties = {"count": {"type": "integer"}, "all": {"type": "boolean"}, "customer": {"type": "string"}}
        house.versions = (reading(inputs={"type": "object", "properties": properties}),)
        await client.call_tool("read-balance", {"count": 3, "all": True, "customer": "Ünal"})
        assert house.asked == [("read-balance", {"count": "3", "all": "true", "customer": "Ünal"})]


async def test_progress_is_told_in_order(house: House) -> None:
    """To a client that asks for it."""
    async with talking(house) as client:
        heard: list[str | None] = []

        async def hear(_progress: float, _total: float | None, message: str | None) -> None:
            heard.append(message)

        await client.call_tool("read-balance", {"customer": "4711"}, progress_callback=hear)
        assert heard == ["started", "waiting for a person"]


async def test_a_fault_is_an_answer(house: House) -> None:
    """What goes wrong around a replay is said in words, and the server goes on."""
    async with talking(house) as client:
        house.fails = BrowserMissing("No browser here.")
        result = await client.call_tool("read-balance", {"customer": "4711"})
        assert structured(result) == {"ending": "fault", "explanation": "No browser here."}
        house.fails = None
        assert not (await client.call_tool("read-balance", {"customer": "4711"})).is_error


async def test_calls_run_side_by_side(house: House) -> None:
    """Many at once over one connection, each with its own answer."""
    async with talking(house) as client:
        calls = [client.call_tool("read-balance", {"customer": str(number)}) for number in range(20)]
        assert all(not result.is_error for result in await asyncio.gather(*calls))
        assert sorted(inputs["customer"] for _, inputs in house.asked) == sorted(map(str, range(20)))


async def test_a_token_keeps_others_out(house: House) -> None:
    """Where one is set, every request bears it."""
    async with served(house, token="t0ken") as url:
        async with httpx.AsyncClient(trust_env=False) as stranger:
            for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "t0ken"}):
                assert (await stranger.post(url, json={}, headers=headers)).status_code == 401
        bearer = httpx2.AsyncClient(headers={"authorization": "Bearer t0ken"}, trust_env=False)
        async with bearer, Client(streamable_http_client(url, http_client=bearer)) as known:
            assert len((await known.list_tools()).tools) == 2


@pytest.mark.parametrize("header", [{"host": "evil.example"}, {"origin": "https://evil.example"}])
async def test_a_web_page_cannot_reach_it(house: House, header: dict[str, str]) -> None:
    """A page that rebinds a name of its own to this machine carries that name in Host or Origin."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    async with served(house) as url, httpx.AsyncClient(trust_env=False) as page:
        accept = {"accept": "application/json, text/event-stream"}
        answer = await page.post(url, json=body, headers={**accept, **header})
    assert answer.status_code in (403, 421)
    assert "read-balance" not in answer.text


def test_the_document_of_schemas_holds_inputs_and_outputs_without_secrets() -> None:
    """A whole JSON Schema by its own rules."""
    from jsonschema import Draft202012Validator

    document = schema.document(reading())
    Draft202012Validator.check_schema(document)
    validator = Draft202012Validator(document)
    assert validator.is_valid({"inputs": {"customer": "4711"}, "outputs": {"balance": "7.00"}})
    assert not validator.is_valid({"inputs": {"customer": "4711", "pin": "1"}, "outputs": {"balance": "7.00"}})
    assert not validator.is_valid({"inputs": {}, "outputs": {}})
    assert "pin" not in json.dumps(document)
