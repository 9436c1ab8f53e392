"""The chat completions protocol as bytes: a question becomes a request body, a response body becomes an answer."""

import base64
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from genai_prices import Usage as Tokens
from pydantic import BaseModel, Field, ValidationError

from engine.domain.usage import Usage
from engine.llm.endpoints import Endpoint
from engine.llm.prices import UNKNOWN, UNKNOWN_BILL, Price, estimated, reported
from engine.llm.protocol import Answer, Finish, Form, Mode, Question, Rejection, Said

Body = dict[str, Any]


def _function(form: Form) -> Body:
    named = {"name": form.name, "description": "Give the answer.", "parameters": form.schema}
    choice = {"type": "function", "function": {"name": form.name}}
    return {"tools": [{"type": "function", "function": named}], "tool_choice": choice}


def _strict(form: Form) -> Body:
    return {"type": "json_schema", "json_schema": {"name": form.name, "schema": form.schema, "strict": True}}


FIELDS_OF: dict[Mode, Callable[[Form], Body]] = {
    "json_schema": lambda form: {"response_format": _strict(form)},
    "tool": _function,
    "object_schema": lambda form: {"response_format": {"type": "json_object", "schema": form.schema}},
    "object": lambda _form: {"response_format": {"type": "json_object"}},
    "text": lambda _form: {},
}
"""What each mode adds to a request. Nothing else is set: temperature and length limits are refused by some models."""

FINISH_OF: dict[str, Finish] = {"length": "length", "content_filter": "refusal"}


def request_body(question: Question, model: str) -> Body:
    """The JSON of one request."""
    messages = [{"role": said.role, "content": _content(said)} for said in question.messages]
    return {"model": model, "messages": messages, **FIELDS_OF[question.mode](question.form)}


def _content(said: Said) -> str | list[Body]:
    if not said.pictures:
        return said.text
    urls = (f"data:image/jpeg;base64,{base64.b64encode(picture.jpeg).decode()}" for picture in said.pictures)
    return [{"type": "text", "text": said.text}, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


class _Cached(BaseModel):
    cached_tokens: int | None = None


class _CostDetails(BaseModel):
    upstream_inference_cost: Decimal | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = Field(default=None, ge=0)
    completion_tokens: int | None = Field(default=None, ge=0)
    prompt_tokens_details: _Cached | None = None
    cost: Decimal | None = None
    is_byok: bool | None = None
    cost_details: _CostDetails | None = None


class _Called(BaseModel):
    arguments: str | Body = ""


class _ToolCall(BaseModel):
    function: _Called = _Called()


class _TextPart(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_TextPart] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Problem(BaseModel):
    message: str = ""
    code: int | str | None = None


class _Completion(BaseModel):
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: _Problem | str | None = None


def parse(body: bytes, endpoint: Endpoint) -> Answer | Rejection:
    """A 200 response as an answer; a body that is no completion, or an error inside a 200, as a rejection."""
    try:
        completion = _Completion.model_validate_json(body)
    except ValidationError:
        return Rejection("down", "the endpoint's reply is no chat completion", usage=UNKNOWN_BILL)
    usage = _paid(completion, endpoint)
    if completion.error is not None and not completion.choices:
        return _problem(completion.error, usage)
    if not completion.choices:
        return Answer("", usage, completion.model or "")
    choice = completion.choices[0]
    finish = FINISH_OF.get(choice.finish_reason or "", "stop")
    return Answer(_text(choice.message), usage, completion.model or "", "refusal" if choice.message.refusal else finish)


def _problem(error: _Problem | str, usage: Usage) -> Rejection:
    """Gateways wrap a provider's error in a 200: its code decides as the status would have."""
    code, message = (0, error) if isinstance(error, str) else (error.code, error.message)
    status = int(code or 0) if str(code).isdecimal() else 0
    return rejection(status or 502, message, None, usage if usage.input_tokens or usage.output_tokens else None)


def _text(message: _Message) -> str:
    """What was said: the arguments of a call (of several calls: a list), else the content, else the refusal."""
    given = [call.function.arguments for call in message.tool_calls or ()]
    calls = [part if isinstance(part, str) else json.dumps(part) for part in given]
    if calls:
        return calls[0] if len(calls) == 1 else f"[{','.join(calls)}]"
    if isinstance(message.content, list):
        return "".join(part.text for part in message.content)
    return message.content or message.refusal or ""


def _paid(completion: _Completion, endpoint: Endpoint) -> Usage:
    """The use of one answered request. No figures means an unknown price, never none."""
    used = completion.usage
    if used is None:
        return UNKNOWN_BILL
    sent, got = used.prompt_tokens or 0, used.completion_tokens or 0
    price = UNKNOWN
    if used.cost is not None:
        upstream = used.cost_details.upstream_inference_cost if used.is_byok and used.cost_details else None
        price = reported(used.cost + (upstream or 0))
    elif used.prompt_tokens is not None and used.completion_tokens is not None:
        cached = used.prompt_tokens_details.cached_tokens if used.prompt_tokens_details else None
        tokens = Tokens(input_tokens=sent, output_tokens=got, cache_read_tokens=min(cached or 0, sent))
        listed = estimated(endpoint.base_url, (completion.model or "", endpoint.model), tokens)
        price = Price(endpoint.price.micros(sent, got), "estimated") if endpoint.price else listed
    return Usage(requests=1, input_tokens=sent, output_tokens=got, usd_micros=price.usd_micros, usd_source=price.source)


DENIED = frozenset({401, 402, 403})
BROKE = "insufficient_quota"


def rejection(status: int, why: str, retry_after: float | None, usage: Usage | None = None, code: str = "") -> Rejection:
    """An HTTP error status as a kind of rejection."""
    told = f"the endpoint answered {status}: {' '.join(why.split())[:300]}"
    if status in DENIED or code == BROKE:
        return Rejection("denied", told, status, usage=usage)
    if status == 429:
        return Rejection("rate_limited", told, status, retry_after, usage)
    if status >= 500 or status == 408:
        return Rejection("down", told, status, retry_after, usage)
    return Rejection("refused", told, status, usage=usage)
