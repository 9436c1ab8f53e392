import asyncio
import signal
import subprocess
import sys

from mcp import Client, StdioServerParameters

from tests.capabilities import paying, reading
from tests.cli.conftest import Home
from tests.faces.site import LOGIN, PAY
from tests.pages import Pages


def command(home: Home, *arguments: str) -> StdioServerParameters:
    """`discover mcp` in a home."""
    environment = {**home.environment, "CAPWRIGHT_HOME": str(home.home), "PYTHONPATH": "."}
    return StdioServerParameters(command=sys.executable, args=["-m", "engine.cli", "mcp", *arguments], env=environment)


async def test_an_agent_lists_and_calls_what_is_approved_over_stdio(home: Home, site: Pages) -> None:
    """Real replays with the server's own secret; drafts are not there; a risky one asks, and nothing is sent."""
    site["/"] = LOGIN + PAY
    home.keep(reading(target=site.url), paying(target=site.url), reading(id="draft", target=site.url))
    for name in ("read-balance", "pay"):
        await home("review", "approve", name)
    async with Client(command(home)) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == {"read-balance", "pay"}
        read = await client.call_tool("read-balance", {"customer": "4711"})
        assert read.structured_content["outputs"] == {"balance": "1,204.55"}
        asked = await client.call_tool("pay", {"amount": "5"})
        assert asked.structured_content["ending"] == "approval_needed"
        assert asked.structured_content["approval_request"]["step"] == "s3"
        await home("review", "revoke", "read-balance")
        assert [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools] == ["pay"]
    assert [hit.body for hit in site.writes("/find")] == ["customer=4711&pin=9876"]
    assert site.writes("/pay") == []


async def test_a_server_without_the_secret_says_so(home: Home, site: Pages) -> None:
    """The name is said, nothing is started."""
    home.keep(reading(target=site.url))
    await home("review", "approve", "read-balance")
    home.environment["CAPWRIGHT_SECRET_PIN"] = ""
    parameters = command(home)
    assert parameters.env
    del parameters.env["CAPWRIGHT_SECRET_PIN"]
    async with Client(parameters) as client:
        answer = await client.call_tool("read-balance", {"customer": "4711"})
    assert answer.structured_content["ending"] == "input_invalid"
    assert "pin" in answer.structured_content["explanation"]
    assert site.hits == []


async def test_over_http_it_serves_until_it_is_ended(home: Home, site: Pages) -> None:
    """It says where it listens, answers the SDK's client, and leaves on SIGTERM without a trace of an error."""
    home.keep(reading(target=site.url))
    await home("review", "approve", "read-balance")
    parameters = command(home, "--transport", "http")
    process = await asyncio.create_subprocess_exec(
        parameters.command, *parameters.args, env=parameters.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stderr
    try:
        url = (await asyncio.wait_for(process.stderr.readline(), 60)).decode().strip()
        assert url.startswith("http://127.0.0.1:")
        async with Client(url) as client:
            read = await client.call_tool("read-balance", {"customer": "4711"})
            assert read.structured_content["outputs"] == {"balance": "1,204.55"}
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, errors.decode()) == (130, "")
