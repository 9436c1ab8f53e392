"""Redaction at the doors: what is seen of a page and what came of an action carry no secret any further."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from engine.domain.action import Action
from engine.domain.clearance import Approver
from engine.domain.doing import Actor, Observer
from engine.domain.frozen import Frozen
from engine.domain.observation import Download, Observation
from engine.domain.step import Outcome
from engine.domain.verdict import ApprovalNeeded, Facts, Permit, Refusal
from engine.record.leaks import leaks_of
from engine.record.redact import Redactor

R = TypeVar("R", bound=Frozen)


def redacted(record: R, redactor: Redactor) -> R:
    """The same record with every string redacted but the words of closed sets; the record itself where nothing is taken out."""
    fields = type(record).model_fields.items()
    values = {name: getattr(record, name) for name, field in fields if "Literal[" not in repr(field.annotation)}
    changed = {name: clean for name, value in values.items() if (clean := _clean(value, redactor)) != value}
    return record.model_copy(update=changed) if changed else record


class RedactedObserver:
    """An observer whose observations hold no secret, whatever the page echoes."""

    def __init__(self, observer: Observer, redactor: Redactor) -> None:
        self._observer = observer
        self._redactor = redactor

    async def observe(self, *, problem: bool, widened: frozenset[str]) -> Observation:
        """The page now, redacted."""
        return redacted(await self._observer.observe(problem=problem, widened=widened), self._redactor)


class RedactedApprover:
    """Puts questions that hold no secret, and redeems their answers against facts that hold none."""

    def __init__(self, approver: Approver, redactor: Redactor) -> None:
        self._approver = approver
        self._redactor = redactor

    async def ask(self, needed: ApprovalNeeded, step: int) -> Permit | Refusal:
        """A person's answer to the redacted question."""
        return await self._approver.ask(redacted(needed, self._redactor), step)

    def redeem(self, permit: Permit, facts: Facts, step: int) -> str | None:
        """Use the answer up; None, or why it is void."""
        return self._approver.redeem(permit, redacted(facts, self._redactor), step)


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


def _clean(value: Any, redactor: Redactor) -> Any:
    """Strings redacted, in records and containers too; keys are field names of ours and stay."""
    if isinstance(value, str):
        return redactor(value)
    if isinstance(value, Frozen):
        return redacted(value, redactor)
    if isinstance(value, Mapping):
        return {key: _clean(item, redactor) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_clean(item, redactor) for item in value])
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{field.name: _clean(getattr(value, field.name), redactor) for field in fields(value)})
    return value
