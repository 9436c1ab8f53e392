"""What `discover doctor` checks: each check answers a sentence, or raises one that says what to do."""

import time
from collections.abc import Callable, Coroutine, Mapping
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from engine.assembly.homes import database, effect_store
from engine.browser.launch import BrowserSettings, open_browser
from engine.errors import UsageError
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


async def effects(settings: Settings) -> str:
    """Says what needs a person: commits of the last month of which nobody knows whether they happened."""
    found = effect_store(settings).in_doubt(time.time() - 30 * 86_400)
    return f"{len(found)} in doubt. {' '.join(map(str, found[:10]))}".strip()


async def model(settings: Settings) -> str:
    """Says which model a discovery would use; asks it nothing."""
    from engine.assembly.planning import chosen_model

    return chosen_model(settings).says


async def explorations(settings: Settings) -> str:
    """Reads what explorations may use: case tables, policies, baselines, secrets, roots, and whom the tables name."""
    from engine.assembly.exploring import RUNTIME, exploring
    from engine.assembly.targets import secrets_of

    opened = exploring(settings)
    for target in settings.targets:
        secrets_of(settings, target)
        await opened.desk.roots[target.id].subject.verify()
    for root in settings.roots:
        if not (settings.home / root.path).is_dir():
            raise UsageError(f"Root {root.id}: {settings.home / root.path} is no folder.")
    known = {"roots": set(opened.desk.roots), "evaluators": set(opened.desk.registry.names()), "runtimes": {RUNTIME}}
    named = [(f"Agent {agent.agent_id}", kind, getattr(agent, kind)) for agent in settings.agents for kind in known]
    known["users"] = {user.name for user in settings.users}
    named += [("A token", "users", {token.user}) for token in settings.tokens]
    for whose, kind, names in named:
        if unknown := sorted(set(names) - known[kind]):
            raise UsageError(f"{whose} names {kind} that are not there: {', '.join(unknown)}.")
    if not settings.targets:
        return "no approved targets; config.toml says how to name one"
    names = ", ".join(opened.desk.registry.names()) or "none"
    agents = ", ".join(agent.agent_id for agent in opened.catalog.agents)
    return f"targets {', '.join(opened.desk.roots)}; evaluators {names}; agents {agents}"


BROWSER: Mapping[str, Check] = MappingProxyType({"browser": browser})
CHECKS: Mapping[str, Check] = MappingProxyType(
    {"home": home, "effects": effects, "browser": browser, "model": model, "explorations": explorations}
)
