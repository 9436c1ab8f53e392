"""Explorations with the real browser on one small page, with a model that is scripted over real HTTP."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.llm.endpoint import Reply, Request, completion
from tests.pages import Pages

PAGE = "<title>Account</title><h1>Account</h1><dl><dt>Balance</dt><dd>$12.50</dd></dl><button>Again</button>"
Move = Callable[[str], dict[str, Any]]
TOKENS = {"prompt_tokens": 1000, "completion_tokens": 100}
"""What each request takes, without a price."""


def reads(prompt: str) -> dict[str, Any]:
    """Read the balance."""
    refs: list[str] = re.findall(r"(?m)\b(e\d+)\W[^\n]*\$12\.50", prompt)
    return {"action": "extract", "readings": [{"name": "balance", "ref": refs[-1], "type": "currency", "value": "$12.50"}]}


def claims(prompt: str) -> dict[str, Any]:
    """Say that it is done."""
    return {"action": "done", "summary": "read"}


def idles(prompt: str) -> dict[str, Any]:
    """Press a button that does nothing."""
    refs: list[str] = re.findall(r"(?m)\b(e\d+)\W[^\n]*button Again", prompt)
    return {"action": "click", "ref": refs[-1]}


def gives_up(prompt: str) -> dict[str, Any]:
    """Leave nothing."""
    return {"action": "stuck", "problem": "no idea"}


class Model:
    """One list of moves an attempt, the last move again and again; the last list for all further attempts.

    Replies are held until `free` is set.
    """

    def __init__(self, *attempts: list[Move], usage: Mapping[str, Any] | None = TOKENS) -> None:
        self.attempts = list(attempts)
        self.usage = dict(usage) if usage is not None else None
        self.moves: list[Move] = []
        self.free = asyncio.Event()
        self.free.set()

    def __call__(self, request: Request) -> Reply:
        if "Done so far:" not in request.prompt:
            self.moves = list(self.attempts.pop(0) if len(self.attempts) > 1 else self.attempts[0])
        move = self.moves.pop(0) if len(self.moves) > 1 else self.moves[0]
        reply = completion({"reason": "scripted", "action": move(request.prompt)}, usage=self.usage)
        return replace(reply, held=self.free)


def prepare(home: Path, pages: Pages, more: str = "") -> None:
    """Put the page on the server, and approve it and one case in the home."""
    pages["/"] = PAGE
    home.mkdir(exist_ok=True)
    (home / "cases.json").write_text(json.dumps({"cases": [{"outputs": {"balance": "12.50"}}], "replays": 1}))
    (home / "config.toml").write_text(
        f'[[targets]]\nid = "page"\nurl = "{pages.url}"\n'
        f'[[evaluators]]\nname = "cases"\ntarget = "page"\ncases = "cases.json"\n{more}'
    )
