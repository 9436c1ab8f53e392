"""Redaction at the doors: what is seen of a page and what came of an action carry no secret any further."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, TypeVar

from engine.domain.action import Action
from engine.domain.frozen import Frozen
from engine.domain.observation import Download, Observation
from engine.domain.step import Outcome
from engine.domain.verdict import Facts, Permit
from engine.record.leaks import leaks_of
from engine.record.redact import Json, Redactor

R = TypeVar("R", bound=Frozen)


class Observer(Protocol):
    """As much of an observer as is wrapped here."""

    async def observe(self, *, problem: bool, widened: frozenset[str]) -> Observation:
        """The page now."""
        ...


class Actor(Protocol):
    """As much of an actor as is wrapped here."""

    async def facts(self, action: Action, observation: Observation) -> Facts:
        """What the live page knows about the place of this action."""
        ...

    async def act(self, permit: Permit, step: int) -> Outcome:
        """Do it and say what came of it."""
        ...


def redacted(record: R, redactor: Redactor) -> R:
    """The same record with every string redacted; the record itself where there is nothing to take out."""
    content = record.model_dump(mode="json")
    clean = _values(content, redactor)
    return record if clean == content else type(record).model_validate(clean)


class RedactedObserver:
    """An observer whose observations hold no secret, whatever the page echoes."""

    def __init__(self, observer: Observer, redactor: Redactor) -> None:
        self._observer = observer
        self._redactor = redactor

    async def observe(self, *, problem: bool, widened: frozenset[str]) -> Observation:
        """The page now, redacted."""
        return redacted(await self._observer.observe(problem=problem, widened=widened), self._redactor)


class RedactedActor:
    """An actor whose facts and outcomes hold no secret: values, URLs, messages, names."""

    def __init__(self, actor: Actor, redactor: Redactor, folder: Path) -> None:
        self._actor = actor
        self._redactor = redactor
        self._folder = folder

    async def facts(self, action: Action, observation: Observation) -> Facts:
        """What the live page knows about the place of this action, redacted."""
        return redacted(await self._actor.facts(action, observation), self._redactor)

    async def act(self, permit: Permit, step: int) -> Outcome:
        """Do it and say, redacted, what came of it."""
        outcome = await self._actor.act(permit, step)
        downloads = tuple(without_secrets(self._folder, download, self._redactor) for download in outcome.downloads)
        return redacted(outcome.model_copy(update={"downloads": downloads}), self._redactor)


def without_secrets(folder: Path, download: Download, redactor: Redactor) -> Download:
    """A download under the evidence folder, rewritten and renamed if it holds a secret; one that is packed is not kept."""
    file = folder / download.path
    name = redactor(file.name)
    secrets = tuple(dict.fromkeys(leak.secret for leak in leaks_of(file, redactor)))
    if not secrets:
        return download
    content = redactor.content(file.read_bytes())
    clean = file.with_name(re.sub(r"[^\w.-]+", "_", name))
    file.unlink()
    clean.write_bytes(content)
    if leaks_of(clean, redactor):
        content = f"Not kept: this file held the secret {', '.join(secrets)} in packed form.\n".encode()
        clean.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    path = clean.relative_to(folder).as_posix()
    return download.model_copy(update={"path": path, "size": len(content), "sha256": digest})


def _values(value: Json, redactor: Redactor) -> Json:
    """As `Redactor.json`, but keys are field names of ours and stay."""
    if isinstance(value, Mapping):
        return {key: _values(item, redactor) for key, item in value.items()}
    if isinstance(value, list):
        return [_values(item, redactor) for item in value]
    return redactor(value) if isinstance(value, str) else value
