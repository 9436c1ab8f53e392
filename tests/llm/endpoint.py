"""A real chat completions endpoint on loopback that behaves as scripted: for every test that needs a model over HTTP."""

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Request:
    """One request as it arrived; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def mode(self) -> str:
        """How structure was asked for, in the words of engine.llm.protocol.Mode."""
        wanted = self.body.get("response_format")
        if wanted is None:
            return "tool" if "tools" in self.body else "text"
        if wanted["type"] == "json_object":
            return "object_schema" if "schema" in wanted else "object"
        return str(wanted["type"])

    @property
    def prompt(self) -> str:
        """Everything that was said, pictures left out."""
        contents = (message["content"] for message in self.body["messages"])
        return "\n".join(part if isinstance(part, str) else part[0]["text"] for part in contents)


@dataclass(frozen=True)
class Reply:
    """One response. `delay` seconds before it; `drip` seconds between single bytes of the body; `never`: no byte at all;
    `cut`: the connection closes in the middle of the body; `held`: not before this is set."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    never: bool = False
    cut: bool = False
    held: asyncio.Event | None = None


Script = Reply | Callable[[Request], Reply]
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": 0.00025}


def completion(
    content: object = None, *, finish: str = "stop", usage: dict[str, Any] | None = USAGE, delay: float = 0.0, **message: Any
) -> Reply:
    """A 200 with one choice. `content` that is no string is sent as its JSON; more fields of the message by name."""
    text = content if content is None or isinstance(content, str) else json.dumps(content)
    said = {"role": "assistant", "content": text, **message}
    whole = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-2026",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
    }
    return Reply(body=json.dumps(whole if usage is None else {**whole, "usage": usage}).encode(), delay=delay)


def tool_call(*arguments: object) -> Reply:
    """A 200 whose choice calls a function, once for each of `arguments`."""
    calls = [
        {"id": f"c{at}", "type": "function", "function": {"name": "Decision", "arguments": json.dumps(given)}}
        for at, given in enumerate(arguments)
    ]
    return completion(None, finish="tool_calls", tool_calls=calls)


def problem(status: int, message: str = "scripted", headers: dict[str, str] | None = None, **more: Any) -> Reply:
    """An HTTP error as such endpoints send it."""
    return Reply(status, json.dumps({"error": {"message": message, **more}}).encode(), headers or {})


class ScriptedEndpoint:
    """Answers call by call from `script`; the last entry answers all further calls. `async with` starts and stops it.

    An entry may be a function of the request, for servers that judge by what they are asked. `requests` is all that arrived;
    `left` is set once the other side closed a connection before it had its whole reply.
    """

    def __init__(self, *script: Script) -> None:
        self.script: Sequence[Script] = script
        self.requests: list[Request] = []
        self.left = asyncio.Event()
        self.url = ""

    async def __aenter__(self) -> "ScriptedEndpoint":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        self._tasks: set[asyncio.Task[None]] = set()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def modes(self) -> list[str]:
        """The mode of every request, in order."""
        return [request.mode for request in self.requests]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._reply(await self._request(reader), reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        except asyncio.CancelledError:
            pass  # the test is over, and asyncio's own server would report it as an error
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _request(self, reader: asyncio.StreamReader) -> Script:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        request = Request(method, path, headers, json.loads(body or b"{}"))
        self.requests.append(request)
        entry = self.script[min(len(self.requests), len(self.script)) - 1]
        return entry if isinstance(entry, Reply) else entry(request)

    async def _reply(self, reply: Script, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(reply, Reply)
        if reply.never:
            await reader.read()
            self.left.set()
            return
        await asyncio.sleep(reply.delay)
        if reply.held:
            await reply.held.wait()
        headers = {"Content-Type": "application/json", "Connection": "close", **reply.headers}
        lines = [f"HTTP/1.1 {reply.status} Scripted", f"Content-Length: {len(reply.body)}"]
        writer.write("\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items()), "", ""]).encode())
        if reply.drip:
            for byte in reply.body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(reply.drip)
        else:
            writer.write(reply.body[: len(reply.body) // 2] if reply.cut else reply.body)
        await writer.drain()
