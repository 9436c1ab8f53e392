"""Asks a model for one record of a given type: one question, at most one repair question, one deadline around it all."""

import asyncio
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from engine.domain.usage import Usage
from engine.errors import ModelGarbled, ModelTimeout
from engine.llm.line import Line, Note, Sleep
from engine.llm.protocol import Answer, Form, Model, Said
from engine.llm.reading import Check, Fault, read
from engine.llm.schema import form_of

T = TypeVar("T", bound=BaseModel)

DEADLINE = 60.0
"""Seconds for one record, retries and repair included."""

ECHO_LIMIT = 4096
"""Characters of a bad answer that go back with the repair question."""


@dataclass(frozen=True)
class Asked(Generic[T]):
    """A record, the model that the provider says gave it (empty when unknown), and whether it took the repair question."""

    record: T
    model: str
    repaired: bool


class Asker:
    """The questions of one run to one model; what the endpoint was found to take is remembered between them."""

    def __init__(self, model: Model, deadline: float = DEADLINE, sleep: Sleep = asyncio.sleep) -> None:
        self._name = model.name
        self._deadline = deadline
        self._line = Line(model, sleep)

    @property
    def usage(self) -> Usage:
        """All that was paid so far, failed and repair requests included (the rule is in `line.py`)."""
        return self._line.usage

    async def ask(
        self, messages: tuple[Said, ...], shape: type[T], check: Check[T] | None = None, note: Note | None = None
    ) -> Asked[T]:
        """One record of `shape`, for which `check` has no objection; `note` gets every message as it is sent and received.

        The first message says what form is wanted in words too: not every endpoint passes a schema on.
        Raises ModelTimeout, ModelRateLimited, ModelUnavailable, or ModelGarbled after the one repair question.
        """
        asking = _Asking(self._line, form_of(shape), shape, check or _content, note or _ignore)
        try:
            async with asyncio.timeout(self._deadline) as limit:
                answer, found = await asking.once(messages, limit.when() or 0.0)
                if not isinstance(found, Fault):
                    return Asked(found, answer.model, repaired=False)
                answer, found = await asking.once(repair(messages, answer, found), limit.when() or 0.0)
        except TimeoutError as error:
            raise ModelTimeout(
                f"{self._name} gave no whole answer within {self._deadline:g} s. Try again, or choose a faster model."
            ) from error
        if isinstance(found, Fault):
            raise ModelGarbled(
                f"{self._name}: its answer could not be used, also after asking once more: {found.problem}. "
                "Choose a stronger model with --model."
            )
        return Asked(found, answer.model, repaired=True)


@dataclass(frozen=True)
class _Asking(Generic[T]):
    """One record being asked for."""

    line: Line
    form: Form
    shape: type[T]
    check: Check[T]
    note: Note

    async def once(self, messages: tuple[Said, ...], until: float) -> tuple[Answer, T | Fault]:
        answer, mode = await self.line.put(messages, self.form, self.note, until)
        found = read(answer, self.shape, self.check)
        if isinstance(found, Fault) and found.formless:
            self.line.formless(mode)
        return answer, found


def repair(messages: tuple[Said, ...], answer: Answer, fault: Fault) -> tuple[Said, ...]:
    """The conversation with the one question that follows a bad answer: it says exactly what was wrong."""
    given = (Said("assistant", answer.text[:ECHO_LIMIT]),) if answer.text.strip() else ()
    asked = f"Your answer was not used: {fault.problem}. Answer again with exactly one JSON object in the form asked for."
    if given:
        return (*messages, *given, Said("user", asked))
    # Some chat templates refuse two user messages in a row, and there is nothing to put between them.
    return (*messages[:-1], Said("user", f"{messages[-1].text}\n\n{asked}", messages[-1].pictures))


def _content(_record: BaseModel) -> None:
    return None


def _ignore(_said: Said) -> None:
    return None
