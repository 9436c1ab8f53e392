"""Which endpoint and model are chosen from words and environment."""

import pytest

from engine.errors import ModelUnavailable, UsageError
from engine.llm.endpoints import choose_endpoint

KEYS = {"OPENROUTER_API_KEY": "k-router", "OPENAI_API_KEY": "k-openai", "AZURE_OPENAI_API_KEY": "k-azure"}


def test_openrouter_first() -> None:
    """OPENROUTER_API_KEY alone is enough; the cost is asked for."""
    chosen = choose_endpoint(KEYS)
    assert (chosen.base_url, chosen.key) == ("https://openrouter.ai/api/v1", "k-router")
    assert chosen.model == "google/gemini-2.5-flash"
    assert chosen.extra == {"usage": {"include": True}}


def test_openai_second() -> None:
    """OPENAI_API_KEY goes to OpenAI, or to the base URL that stands beside it; a model can be named."""
    chosen = choose_endpoint({"OPENAI_API_KEY": "k"}, "gpt-9")
    assert (chosen.base_url, chosen.model, chosen.key, dict(chosen.extra)) == ("https://api.openai.com/v1", "gpt-9", "k", {})
    assert choose_endpoint({"OPENAI_API_KEY": "k"}).model
    beside = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "http://gateway.test/v1"}
    assert (choose_endpoint(beside, "m").base_url, choose_endpoint(beside, "m").key) == ("http://gateway.test/v1", "k")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://127.0.0.1:11434/v1", ""),
        ("http://[::1]:8000/v1/", ""),
        ("https://openrouter.ai.evil.test/v1", ""),
        ("https://notopenai.com/v1", ""),
        ("https://eu.api.openai.com/v1", "k-openai"),
        ("https://openrouter.ai/api/v1", "k-router"),
        ("https://x.openai.azure.com/openai/v1", "k-azure"),
    ],
)
def test_a_key_goes_only_to_its_own_host(url: str, key: str) -> None:
    """A base URL gets the key that was given for its host, and no other."""
    assert choose_endpoint(KEYS, "m", url).key == key
    assert choose_endpoint({**KEYS, "CAPWRIGHT_API_KEY": "k-mine"}, "m", url).key == (key or "k-mine")


def test_urls_are_taken_as_people_paste_them() -> None:
    """A trailing slash, the whole path and a version in the query are put where they belong."""
    assert choose_endpoint({}, "m", "http://h.test:8080/v1/chat/completions").base_url == "http://h.test:8080/v1"
    azure = choose_endpoint({}, "d", "https://x.openai.azure.com/openai/deployments/d/?api-version=2026-01-01")
    assert azure.base_url == "https://x.openai.azure.com/openai/deployments/d"
    assert (azure.query, azure.key_header) == ((("api-version", "2026-01-01"),), "api-key")


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://h.test/v1", "/v1", "http://"])
def test_what_is_no_url_is_said(url: str) -> None:
    """A base URL without scheme or host is a usage error with an example."""
    with pytest.raises(UsageError, match="11434/v1"):
        choose_endpoint({}, "m", url)


def test_a_server_of_ones_own_needs_a_model() -> None:
    """No default is guessed for an unknown host."""
    with pytest.raises(UsageError, match="--model"):
        choose_endpoint({}, None, "http://127.0.0.1:11434/v1")


def test_no_key_says_every_way_out() -> None:
    """The sentence names both keys, --base-url and the embedded planner."""
    with pytest.raises(ModelUnavailable) as caught:
        choose_endpoint({})
    for way in ("OPENROUTER_API_KEY", "OPENAI_API_KEY", "--base-url", "--model embedded"):
        assert way in str(caught.value)


def test_the_key_shows_in_no_repr() -> None:
    """Printing an endpoint, in a log or a traceback, does not print the key."""
    assert "k-router" not in repr(choose_endpoint(KEYS))
