"""Which endpoint and which model, from the command line's words and the environment; reads nothing by itself.

1. an explicit base URL: any OpenAI-compatible server. The key is the one that belongs to that host, else CAPWRIGHT_API_KEY,
   else none: a key is never sent to a host it was not given for;
2. OPENROUTER_API_KEY: OpenRouter;
3. OPENAI_API_KEY: OpenAI, or OPENAI_BASE_URL where that is set beside it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from engine.domain.cost import ModelPrice
from engine.errors import ModelUnavailable, UsageError

OPENROUTER = "https://openrouter.ai/api/v1"
OPENAI = "https://api.openai.com/v1"
DEFAULT_MODELS: dict[str, str] = {"openrouter.ai": "google/gemini-2.5-flash", "api.openai.com": "gpt-5.4-mini"}

KEY_OF_HOST: tuple[tuple[str, str], ...] = (
    ("openrouter.ai", "OPENROUTER_API_KEY"),
    ("openai.com", "OPENAI_API_KEY"),
    ("azure.com", "AZURE_OPENAI_API_KEY"),
    ("", "CAPWRIGHT_API_KEY"),
)
"""End of a host name → the variable that holds its key; the first that fits."""

NO_KEY = (
    "No model to ask: set OPENROUTER_API_KEY (default model google/gemini-2.5-flash) or OPENAI_API_KEY, or name a server with "
    "--base-url URL --model ID (Ollama, vLLM, llama.cpp, LM Studio, Azure), or use --model embedded, which needs none."
)


@dataclass(frozen=True)
class Endpoint:
    """Where to ask, which model, at what price. `extra` goes into every request body. The key shows in no repr."""

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    key_header: Literal["authorization", "api-key"] = "authorization"
    query: tuple[tuple[str, str], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    price: ModelPrice | None = None


def choose_endpoint(environment: Mapping[str, str], model: str | None = None, base_url: str | None = None) -> Endpoint:
    """The endpoint to use. Raises ModelUnavailable when there is none, UsageError for a URL or a model that is missing."""
    if base_url:
        return _at(base_url, model, environment)
    if key := environment.get("OPENROUTER_API_KEY"):
        return _at(OPENROUTER, model, environment, key)
    if key := environment.get("OPENAI_API_KEY"):
        return _at(environment.get("OPENAI_BASE_URL") or OPENAI, model, environment, key)
    raise ModelUnavailable(NO_KEY)


def _at(url: str, model: str | None, environment: Mapping[str, str], key: str | None = None) -> Endpoint:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in {"http", "https"} or not host:
        raise UsageError(f"--base-url {url!r} is no http(s) URL; for Ollama it is http://127.0.0.1:11434/v1.")
    chosen = model or DEFAULT_MODELS.get(host)
    if not chosen:
        raise UsageError(f"Say which model {host} is to run, with --model ID.")
    query = tuple(parse_qsl(parts.query))
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    azure = _belongs(host, "azure.com") or any(name == "api-version" for name, _ in query)
    return Endpoint(
        base_url=urlunsplit((parts.scheme, parts.netloc, path, "", "")),
        model=chosen,
        key=key if key is not None else _key(host, environment),
        key_header="api-key" if azure else "authorization",
        query=query,
        extra=MappingProxyType({"usage": {"include": True}} if _belongs(host, "openrouter.ai") else {}),
    )


def _key(host: str, environment: Mapping[str, str]) -> str:
    names = (name for end, name in KEY_OF_HOST if _belongs(host, end))
    return next((environment[name] for name in names if environment.get(name)), "")


def _belongs(host: str, end: str) -> bool:
    """Whether the host is `end` or under it; everything is under the empty name."""
    return not end or host == end or host.endswith(f".{end}")
