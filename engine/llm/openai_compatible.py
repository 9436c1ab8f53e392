"""The adapter for every endpoint that speaks OpenAI's chat completions: OpenRouter, OpenAI, Azure, Ollama, vLLM and more."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, Omit

from engine.llm.endpoints import Endpoint
from engine.llm.prices import UNKNOWN_BILL
from engine.llm.protocol import Answer, Question, Rejection
from engine.llm.wire import parse, rejection, request_body

ANSWER_LIMIT = 256 * 1024
"""Bytes of a response that are read; the rest is left on the wire."""

CONNECT_SECONDS = 10.0


class _TooLong(httpx2.TransportError):
    """More than ANSWER_LIMIT bytes arrived."""


class _Bounded(httpx2.AsyncByteStream):
    """A response's bytes, up to the limit: of an answer and of an error page alike."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        count = 0
        async for chunk in self._stream:
            count += len(chunk)
            if count > ANSWER_LIMIT:
                raise _TooLong("longer than an answer may be")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _bound(response: httpx2.Response) -> None:
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream)


class OpenAICompatible:
    """One model at one endpoint. Retries nothing, follows no redirect (a key would travel along), sets no deadline."""

    def __init__(self, endpoint: Endpoint, client: AsyncOpenAI) -> None:
        self._endpoint = endpoint
        self._client = client

    @property
    def name(self) -> str:
        """The model as it was asked for."""
        return self._endpoint.model

    async def answer(self, question: Question) -> Answer | Rejection:
        """One request."""
        body = {**request_body(question, self._endpoint.model), **self._endpoint.extra}
        try:
            response = await self._client.post(
                "/chat/completions", cast_to=httpx2.Response, body=body, options={"headers": _headers(self._endpoint)}
            )
        except APIStatusError as error:
            return rejection(error.status_code, error.message, _retry_after(error.response), code=error.code or "")
        except APIConnectionError as error:
            return _unconnected(error)
        return parse(response.content, self._endpoint)


@asynccontextmanager
async def open_model(endpoint: Endpoint) -> AsyncIterator[OpenAICompatible]:
    """The model of an endpoint; its connections are closed at the end."""
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    http = httpx2.AsyncClient(timeout=timeout, follow_redirects=False, event_hooks={"response": [_bound]})
    async with AsyncOpenAI(
        api_key=endpoint.key or "none",
        base_url=endpoint.base_url,
        default_query=dict(endpoint.query),
        max_retries=0,
        timeout=timeout,
        http_client=http,
    ) as client:
        yield OpenAICompatible(endpoint, client)


def _headers(endpoint: Endpoint) -> dict[str, str | Omit]:
    """The key where this endpoint looks for it; the library's own guesses from the environment are left out.

    Compressed answers are not asked for: the limit on bytes would not bound what they unpack to.
    """
    headers: dict[str, str | Omit] = {
        "Accept-Encoding": "identity",
        "OpenAI-Organization": Omit(),
        "OpenAI-Project": Omit(),
    }
    if endpoint.key_header == "api-key":
        return {**headers, "Authorization": Omit(), "api-key": endpoint.key or Omit()}
    return headers if endpoint.key else {**headers, "Authorization": Omit()}


def _unconnected(error: APIConnectionError) -> Answer | Rejection:
    """No whole response. Unless no connection was made, it may be billed."""
    cause = error.__cause__
    if isinstance(cause, _TooLong):
        return Answer("", UNKNOWN_BILL, finish="oversize")
    told = f"no connection ({cause or error})"
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return Rejection("down", told)
    return Rejection("down", told, usage=UNKNOWN_BILL)


def _retry_after(response: httpx2.Response) -> float | None:
    """Seconds from the `Retry-After` header, which holds seconds or a date."""
    given = response.headers.get("retry-after", "")
    try:
        return float(given)
    except ValueError:
        pass
    try:
        return (parsedate_to_datetime(given) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return None
