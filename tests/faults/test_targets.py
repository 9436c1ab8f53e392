"""The site resets, refuses or fails at every moment of a run: the end says whose fault it is, and nothing is sent twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from engine.assembly.homes import effect_store
from engine.settings import Settings
from tests.journeys.command import Command
from tests.journeys.test_ends import discover, sound
from tests.llm.endpoint import ScriptedEndpoint, completion

SITE = "<a href=/next>Next</a><form method=post action=/do><button>Send</button></form>"
NEXT = completion({"reason": "go on", "action": {"action": "click", "ref": "e2"}})
SEND = completion({"reason": "go on", "action": {"action": "click", "ref": "e4"}})
STUCK = completion({"reason": "it fails", "action": {"action": "stuck", "problem": "The site fails."}})
POLICY = "version: 1\nscope: {{navigate: ['{url}']}}\nactions: {{allow: [navigate, click]}}\n"


@asynccontextmanager
async def site(broken: str, how: str) -> AsyncIterator[tuple[str, list[str]]]:
    """A server whose path `broken` resets the connection or answers a status; its address, and what it was asked."""
    asked: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            method, path = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split(" ")[:2]
            asked.append(f"{method} {path}")
            if path == broken and how == "reset":
                writer.transport.abort()
                return
            status = how if path == broken else "200 OK"
            head = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(SITE)}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode() + SITE.encode())
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


CASES = {
    "reset at the start": ("/", "reset", (7, "target")),
    "429 at the start": ("/", "429 Too Many Requests", (7, "target")),
    "503 at the start": ("/", "503 Service Unavailable", (7, "target")),
    "reset in a step": ("/next", "reset", (3, "stuck")),
    "429 in a step": ("/next", "429 Too Many Requests", (3, "stuck")),
    "503 in a step": ("/next", "503 Service Unavailable", (3, "stuck")),
    "reset in a commit": ("/do", "reset", (3, "stuck")),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
async def test_whose_fault_it_is(case: str, command: Command, tmp_path: Path) -> None:
    """Exit 7 when there is nothing to work on; later the model is told and gives up; a commit without an answer is in doubt."""
    broken, how, end = CASES[case]
    commit = broken == "/do"
    async with site(broken, how) as (url, asked), ScriptedEndpoint(SEND if commit else NEXT, STUCK) as model:
        (tmp_path / "policy.yaml").write_text(POLICY.format(url=url))
        ended = await command.finish(await discover(command, url, model, "--policy", str(tmp_path / "policy.yaml")))
    assert (ended.code, ended.json["stop_reason"]) == end, ended
    sound(command.home, ended)
    effects = effect_store(Settings(home=command.home)).of_run(ended.json["run_id"])
    assert [effect.state for effect in effects] == (["in_doubt"] if commit else [])
    assert asked.count("POST /do") == int(commit)
    assert not commit or "not known" in ended.json["explanation"]
