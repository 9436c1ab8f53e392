"""One line to one model: climbs down the ladder, waits out what passes, and counts what was paid.

What counts as a request: one that got an answer, and one that was sent and never fully answered (given up on, cut off), for
it may be billed: its price is unknown, and so is then the sum's. A request that the endpoint rejected with an HTTP error
costs nothing and is not counted; neither is one that never connected. So finding out the mode is counted only as far as it
was answered.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace

from engine.domain.usage import Usage
from engine.errors import ModelError, ModelRateLimited, ModelUnavailable
from engine.llm.ladder import Ladder, Rung
from engine.llm.prices import UNKNOWN_BILL
from engine.llm.protocol import IN_PROMPT, Answer, Form, Mode, Model, Question, Rejection, Said

BACK_OFF = (0.5, 2.0)
"""Seconds before each retry, unless the endpoint says how long; so two retries."""

Note = Callable[[Said], None]
Sleep = Callable[[float], Awaitable[None]]

ENDS: dict[str, tuple[type[ModelError], bool, str]] = {
    "rate_limited": (ModelRateLimited, True, "Wait a while, or choose another model with --model."),
    "down": (ModelUnavailable, True, "Try again later, or check --base-url."),
    "refused": (ModelUnavailable, False, "Check --model and --base-url (most servers want /v1 at its end)."),
    "denied": (ModelUnavailable, False, "Check the key and the account's credit."),
}
"""Kind of rejection → the error it ends in, whether a retry may help, and what to do next."""


class Line:
    """Everything one run says to one model goes through here. `usage` is right at any time, also after an error."""

    def __init__(self, model: Model, sleep: Sleep = asyncio.sleep) -> None:
        self.usage = Usage()
        self._model = model
        self._sleep = sleep
        self._ladder = Ladder()
        self._noted: tuple[Said, ...] = ()

    async def put(self, messages: tuple[Said, ...], form: Form, note: Note, until: float) -> tuple[Answer, Mode]:
        """An answer and the mode that got it. `until` is in the event loop's time.

        Raises ModelRateLimited or ModelUnavailable when retries do not help or would end after `until`.
        """
        rungs = list(self._ladder.rungs(any(said.pictures for said in messages)))
        retries = 0
        while True:
            reply, mode = await self._descend(rungs, messages, form, note)
            if isinstance(reply, Answer):
                return reply, mode
            if self._ladder.blames(reply):
                del rungs[1:]  # every rung that was not refused failed alike, so it was none of theirs: an outage
            await self._wait(reply, retries, until)
            retries += 1

    def formless(self, mode: Mode) -> None:
        """The answer to this mode held no JSON: ask more plainly from now on."""
        self._ladder.ignored(mode)

    async def _descend(
        self, rungs: list[Rung], messages: tuple[Said, ...], form: Form, note: Note
    ) -> tuple[Answer | Rejection, Mode]:
        """The first answer on the way down, or the last rejection; rungs that were refused are taken out of the list."""
        pictures = any(said.pictures for said in messages)
        for rung in tuple(rungs):
            reply = await self._send(rung, messages, form, note)
            if isinstance(reply, Answer):
                self._ladder.answered(rung, pictures)
                break
            if not self._ladder.blames(reply):
                break
            if reply.kind == "refused":
                rungs.remove(rung)
        return reply, rung[0]

    async def _send(self, rung: Rung, messages: tuple[Said, ...], form: Form, note: Note) -> Answer | Rejection:
        question = Question(self._worded(rung, messages, form), form, rung[0])
        self._note(question.messages, note)
        try:
            reply = await self._model.answer(question)
        except asyncio.CancelledError:
            self._pay(UNKNOWN_BILL)
            raise
        if reply.usage is not None:
            self._pay(reply.usage)
        if isinstance(reply, Answer):
            said = Said("assistant", reply.text)
            note(said)
            self._noted = (*self._noted, said)
        return reply

    def _worded(self, rung: Rung, messages: tuple[Said, ...], form: Form) -> tuple[Said, ...]:
        """The conversation as this rung wants it: the schema at the end of the first message, pictures or none."""
        mode, sees = rung
        worded = messages if sees else tuple(replace(said, pictures=()) for said in messages)
        if mode not in IN_PROMPT:
            return worded
        schema = json.dumps(form.schema, separators=(",", ":"), ensure_ascii=False)
        told = f"{worded[0].text}\n\nAnswer with one JSON object that fits this JSON Schema, and nothing else:\n{schema}"
        return (replace(worded[0], text=told), *worded[1:])

    def _note(self, messages: tuple[Said, ...], note: Note) -> None:
        """Hand on what was not part of the request before: a stable first message is noted once a run."""
        for said in messages:
            if said not in self._noted:
                note(said)
        self._noted = messages

    def _pay(self, usage: Usage) -> None:
        self.usage = self.usage.plus(usage)

    async def _wait(self, rejection: Rejection, retries: int, until: float) -> None:
        """Sleep before the next try; raises when there is none."""
        error, may_pass, advice = ENDS[rejection.kind]
        if not may_pass or retries >= len(BACK_OFF):
            raise error(f"{self._model.name}: {rejection.why}, after {retries} retries. {advice}")
        pause = BACK_OFF[retries] if rejection.retry_after is None else max(0.0, rejection.retry_after)
        if asyncio.get_running_loop().time() + pause >= until:
            raise error(f"{self._model.name}: {rejection.why}; the wait of {pause:g} s is longer than the time left. {advice}")
        await self._sleep(pause)
