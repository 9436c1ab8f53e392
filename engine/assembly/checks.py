"""What `discover doctor` checks: each check answers a sentence, or raises one that says what to do."""

from collections.abc import Callable, Coroutine, Mapping
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from engine.assembly.homes import database
from engine.browser.launch import BrowserSettings, open_browser
from engine.settings import Settings

Check = Callable[[Settings], Coroutine[Any, Any, str]]


async def browser(settings: Settings) -> str:
    """Starts a browser and ends it."""
    async with open_browser(BrowserSettings(executable=settings.browser, environment=settings.environment)) as running:
        where = running.candidate.executable or running.candidate.channel or "bundled"
        return f"Chromium {running.playwright.version} ({running.candidate.source}: {where})"


async def home(settings: Settings) -> str:
    """Opens the database, migrating it."""
    database(settings).close()
    return f"{settings.home}, capwright {version('capwright')}"


async def model(settings: Settings) -> str:
    """Says which model a discovery would use; asks it nothing."""
    from engine.assembly.planning import chosen_model

    return chosen_model(settings).says


async def explorations(settings: Settings) -> str:
    """Reads what explorations may use: case tables, policies, baselines and secrets."""
    from engine.assembly.exploring import exploring
    from engine.assembly.targets import secrets_of

    opened = exploring(settings)
    for target in settings.targets:
        secrets_of(settings, target)
        await opened.desk.roots[target.id].subject.verify()
    if not settings.targets:
        return "no approved targets; config.toml says how to name one"
    names = ", ".join(opened.desk.registry.names()) or "none"
    agents = ", ".join(agent.agent_id for agent in opened.catalog.agents)
    return f"targets {', '.join(opened.desk.roots)}; evaluators {names}; agents {agents}"


BROWSER: Mapping[str, Check] = MappingProxyType({"browser": browser})
CHECKS: Mapping[str, Check] = MappingProxyType({"home": home, "browser": browser, "model": model, "explorations": explorations})
