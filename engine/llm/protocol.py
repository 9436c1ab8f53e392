"""What may be asked of a model and what comes back: one question, one answer or one rejection, never an exception."""

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, get_args

from engine.domain.capability import JsonSchema
from engine.domain.usage import Usage

Mode: TypeAlias = Literal["json_schema", "tool", "object_schema", "object", "text"]
"""How the shape of an answer is asked for, strongest first.

json_schema: strict `response_format`; tool: a forced function call; object_schema: `json_object` with the schema beside it
(some servers know only that); object: plain `json_object`; text: nothing but the prompt. The last three need the schema in
the prompt.
"""

MODES: tuple[Mode, ...] = get_args(Mode)
IN_PROMPT: frozenset[Mode] = frozenset({"object_schema", "object", "text"})

Finish: TypeAlias = Literal["stop", "length", "refusal", "oversize"]
"""Why an answer ended; oversize: more bytes than we read, so the text was thrown away."""


@dataclass(frozen=True)
class Picture:
    """A JPEG and the path it has in the evidence folder."""

    path: str
    jpeg: bytes = field(repr=False)


@dataclass(frozen=True)
class Said:
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    text: str
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True)
class Form:
    """The shape an answer must have: a name and a strict JSON Schema (see `schema.py`)."""

    name: str
    schema: JsonSchema


@dataclass(frozen=True)
class Question:
    """One request: the whole conversation, the wanted form, and how to ask for it."""

    messages: tuple[Said, ...]
    form: Form
    mode: Mode


@dataclass(frozen=True)
class Answer:
    """What a model said. `model` is the one the provider says it was; `usage` is this one request's."""

    text: str
    usage: Usage
    model: str = ""
    finish: Finish = "stop"


@dataclass(frozen=True)
class Rejection:
    """No answer. `usage` is None when nothing can have been billed.

    refused: 4xx about the request itself; denied: the key or the account; rate_limited: 429; down: 5xx, or no connection.
    `retry_after` is in seconds, None when the endpoint did not say.
    """

    kind: Literal["refused", "denied", "rate_limited", "down"]
    why: str
    status: int = 0
    retry_after: float | None = None
    usage: Usage | None = None


class Model(Protocol):
    """One model at one endpoint. It has no deadline, retries nothing and remembers nothing: `asking.py` does."""

    @property
    def name(self) -> str:
        """The model as it was asked for."""
        ...

    async def answer(self, question: Question) -> Answer | Rejection:
        """One request, one reply; cancelling it closes the connection."""
        ...
