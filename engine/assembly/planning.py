"""Which planner decides: a model at an endpoint, or the embedded one; the only place that knows both."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.discover.stages import Planner
from engine.domain.brief import Message
from engine.errors import ModelUnavailable
from engine.llm.endpoints import Endpoint, choose_endpoint
from engine.settings import Settings

if TYPE_CHECKING:
    from engine.decide.prompted import Screenshots

EMBEDDED = "embedded"


@dataclass(frozen=True)
class Chosen:
    """The model of a run; without an endpoint it is the embedded planner."""

    name: str
    endpoint: Endpoint | None

    @property
    def says(self) -> str:
        """A sentence for people."""
        if self.endpoint is None:
            return "the embedded planner; set OPENROUTER_API_KEY, OPENAI_API_KEY or --base-url to use a model"
        return f"{self.endpoint.model} at {self.endpoint.base_url}"


def chosen_model(settings: Settings, model: str | None = None, base_url: str | None = None) -> Chosen:
    """Options win over settings; with neither key nor endpoint: the embedded planner. Raises UsageError, ModelUnavailable."""
    model, base_url = model or settings.model, base_url or settings.base_url
    if model == EMBEDDED:
        return Chosen(EMBEDDED, None)
    try:
        endpoint = choose_endpoint(settings.environment, model=model, base_url=base_url)
    except ModelUnavailable:
        if model or base_url:
            raise
        return Chosen(EMBEDDED, None)
    return Chosen(endpoint.model, replace(endpoint, price=settings.prices.get(endpoint.model)))


@asynccontextmanager
async def open_planner(
    chosen: Chosen, keep: Callable[[Message], None], picture: Callable[[str], bytes | None], screenshots: "Screenshots"
) -> AsyncIterator[Planner]:
    """The planner, with its connections closed at the end. What each needs is imported here: it takes most of a second."""
    if chosen.endpoint is None:
        from engine.decide.embedded import EmbeddedPlanner

        yield EmbeddedPlanner()
        return
    from engine.decide.prompted import PromptedPlanner
    from engine.llm.asking import Asker
    from engine.llm.openai_compatible import open_model

    async with open_model(chosen.endpoint) as model:
        yield PromptedPlanner(Asker(model), keep, screenshots, picture)
