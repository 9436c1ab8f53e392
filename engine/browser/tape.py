"""A site's answers on tape: recorded while it is there, played back when it is off, so that a capability can be tried alone."""

import base64
import json
from collections import defaultdict, deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.async_api import CDPSession
from playwright.async_api import Error as PlaywrightError

LEFT_OUT = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers of the way that a body came; it is kept as it was read."""
Key = tuple[str, str]


class Tape:
    """The tape of one replay: it plays when the file is there, and records when it is not.

    `hide` takes secrets out of a text; cookies are kept without their values. Answers are found by method and URL, else by
    method and URL without its query, in the order in which they came; the last one stays.
    """

    def __init__(self, file: Path, hide: Callable[[str], str]) -> None:
        self.playing = file.is_file()
        self.missing: list[str] = []
        self._file, self._hide = file, hide
        self._lines = [json.loads(line) for line in file.read_text().splitlines()] if self.playing else []
        self._answers: defaultdict[Key, deque[dict[str, Any]]] = defaultdict(deque)
        for line in self._lines:
            for url in {line["url"], line["url"].partition("?")[0]}:
                self._answers[line["method"], url].append(line)

    async def pass_on(self, session: CDPSession, event: dict[str, Any]) -> None:
        """Let a request go, and hear its answer; or answer it from the tape, and nothing is sent."""
        held = {"requestId": event["requestId"]}
        if not self.playing:
            await session.send("Fetch.continueRequest", {**held, "interceptResponse": True})
        elif answer := self._found(event["request"]["method"], self._hide(event["request"]["url"])):
            headers = [{"name": name, "value": value} for name, value in answer["headers"]]
            body = {} if answer["body"] is None else {"body": answer["body"]}
            await session.send(
                "Fetch.fulfillRequest", {**held, "responseCode": answer["status"], "responseHeaders": headers, **body}
            )
        else:
            await session.send("Fetch.failRequest", {**held, "errorReason": "InternetDisconnected"})

    async def hear(self, session: CDPSession, event: dict[str, Any]) -> None:
        """Keep an answer and pass it on."""
        held = {"requestId": event["requestId"]}
        if "responseStatusCode" in event:
            headers = [
                [each["name"], self._kept(**each)] for each in event["responseHeaders"] if each["name"].lower() not in LEFT_OUT
            ]
            request = event["request"]
            self._lines.append({
                "method": request["method"], "url": self._hide(request["url"]), "status": event["responseStatusCode"],
                "headers": headers, "body": await self._body(session, held),
            })  # fmt: skip
        await session.send("Fetch.continueRequest", held)

    def end(self, worth: bool) -> str:
        """Write what was recorded, if it is worth keeping; a sentence about what the tape did not do."""
        if not self.playing and worth:
            self._file.write_text("".join(json.dumps(line) + "\n" for line in self._lines))
        elif not self.playing:
            return f"Nothing was recorded in {self._file}, since the replay did not end ok."
        return f"The tape has no answer to {', '.join(self.missing[:3])}." if self.missing else ""

    def _found(self, method: str, url: str) -> dict[str, Any] | None:
        for each in (url, url.partition("?")[0]):
            answers = self._answers.get((method, each))
            if answers:
                return answers.popleft() if len(answers) > 1 else answers[0]
        self.missing.append(f"{method} {url}")
        return None

    def _kept(self, name: str, value: str) -> str:
        if name.lower() != "set-cookie":
            return self._hide(value)
        pair, _, attributes = value.partition(";")
        return f"{pair.partition('=')[0]}=taped; {attributes}"

    async def _body(self, session: CDPSession, held: dict[str, str]) -> str | None:
        try:
            answer = await session.send("Fetch.getResponseBody", held)
        except PlaywrightError:  # a redirect, or an answer without one
            return None
        content = base64.b64decode(answer["body"]) if answer["base64Encoded"] else answer["body"].encode()
        with suppress(UnicodeDecodeError):
            content = self._hide(content.decode()).encode()
        return base64.b64encode(content).decode()
