"""The built-in replay evaluator: a sealed capability is replayed over a case table, in fresh contexts and without a model."""

import asyncio
import hashlib
import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from urllib.parse import urljoin

from engine.access.approvals import DenyingApprover
from engine.assembly import replaying
from engine.assembly.approving import redeeming
from engine.assembly.policies import named
from engine.assembly.sessions import BoundedBrowser, Bounds, open_bounded_browser, open_place
from engine.assembly.targets import secrets_of, target_policy
from engine.domain.capability import Capability, CapabilityStep
from engine.domain.evaluation import Scoring
from engine.domain.policy import Policy
from engine.domain.secret import Secrets
from engine.errors import BrowserError, CapabilityInvalid, DeadlineExceeded, UsageError
from engine.explore.approved import ApprovedTarget
from engine.guard.guard import PolicyGuard
from engine.replay.conditions import unmet
from engine.replay.inputs import checked
from engine.score.cases import Case, CaseTable, parse_cases
from engine.score.cheats import suspicion
from engine.score.evaluator import Terms
from engine.score.feedback import clean
from engine.score.replays import Tried, judge
from engine.settings import Settings
from engine.store.capabilities import read
from engine.subjects.browser import FILE

REPLAY_VERSION = 2
"""Part of the pinned hash: another way of judging is another evaluator."""
START_SECONDS = 0.3


@dataclass(frozen=True)
class ReplayEvaluator:
    """One case table for one target, as it was when the engine was put together."""

    settings: Settings
    name: str
    file: Path
    target: ApprovedTarget
    table: CaseTable
    pinned: str

    @property
    def terms(self) -> Terms:
        """Higher is better; 1 is every case right, every time."""
        return Terms(self.name, self.pinned)

    async def score(self, view: Path, task: Mapping[str, object], seconds: float) -> Scoring:
        """Inspect, then replay every case; as in Evaluator."""
        if pinned(self.settings, self.file, self.target) != self.pinned:
            return Scoring("eval_registry_changed", feedback="the case table or the policy was changed")
        candidate = candidate_in(view)
        if isinstance(candidate, Scoring):
            return candidate
        found = suspicion(candidate, self.table, tuple(self.target.inputs.values()))
        return found or await self._within(seconds, candidate)

    async def _within(self, seconds: float, candidate: Capability) -> Scoring:
        try:
            async with asyncio.timeout(seconds):
                return await self._replayed(candidate)
        except TimeoutError:
            return Scoring("eval_timeout", feedback=f"{seconds:g} s were not enough to replay every case")
        except (BrowserError, DeadlineExceeded, UsageError) as error:
            return Scoring("eval_crash", feedback=clean(str(error)))

    async def _replayed(self, candidate: Capability) -> Scoring:
        tried: list[Tried] = []
        secrets = named(secrets_of(self.settings, self.target))
        for at, cases in groupby(sorted(self.table.cases, key=lambda case: case.target), key=lambda case: case.target):
            url = at or self.target.url
            policy = target_policy(self.settings, self.target, url, secrets)
            async with open_bounded_browser(self.settings, policy) as browser:
                there = Court(self, candidate, url, policy, secrets, browser)
                for number, case in enumerate(cases):
                    if number == 0 and await there.starts_at_its_end(case):
                        return Scoring("tamper", feedback="checkpoint true on the start page")
                    tried.append(await there.tried(case))
        return judge(tried)


@dataclass(frozen=True)
class Court:
    """One candidate in one browser, at one address."""

    evaluator: ReplayEvaluator
    candidate: Capability
    url: str
    policy: Policy
    secrets: Secrets = field(repr=False)
    browser: BoundedBrowser

    async def starts_at_its_end(self, case: Case) -> bool:
        """Whether the checkpoint holds before anything was done, although there is something to do."""
        if all(self._stays(step) for step in self.candidate.steps):
            return False
        guard = PolicyGuard(self.policy, self.url, self.secrets)
        with tempfile.TemporaryDirectory(prefix="capwright-score-") as downloads:
            bounds = Bounds(guard, redeeming(DenyingApprover()), self.url, Path(downloads), replaying=True)
            async with open_place(self.browser, bounds) as place:
                await place.session.start(self.url)
                end = time.monotonic() + START_SECONDS
                return await unmet(self.candidate.checkpoint, place.session, case.inputs, end) is None

    def _stays(self, step: CapabilityStep) -> bool:
        opens = urljoin(self.url, step.value or "") if step.action == "navigate" else None
        return step.action == "extract" or (opens is not None and opens.rstrip("/") == self.url.rstrip("/"))

    async def tried(self, case: Case) -> Tried:
        """Its replays, each in a fresh context; inputs that do not fit end it before a browser is used."""
        problem = checked(self.candidate, case.inputs)
        if problem:
            return Tried(case, (replaying.unstarted(self.candidate, "input_invalid", problem),))
        evaluator = self.evaluator
        order = replaying.Order(
            self.candidate.id, case.inputs, target=self.url, approve="deny", timeout_seconds=evaluator.table.seconds
        )
        results = [
            await replaying.replay_in(evaluator.settings, self.browser, self.candidate, order, self.policy, self.secrets)
            for _ in range(evaluator.table.replays)
        ]
        return Tried(case, tuple(results))


def candidate_in(view: Path) -> Capability | Scoring:
    """The capability of a folder, or the scoring of one that holds none."""
    if not (view / FILE).is_file():
        return Scoring("no_output", feedback="there is no capability")
    try:
        return read(view / FILE)
    except CapabilityInvalid as error:
        return Scoring("invalid_solution", feedback=clean(str(error).removeprefix(str(view))))


def replay_evaluator(settings: Settings, name: str, file: Path, target: ApprovedTarget) -> ReplayEvaluator:
    """The evaluator of a case table as it is now. Raises UsageError when the file, or the policy, is none."""
    try:
        table = parse_cases(file.read_bytes(), str(file))
    except OSError as error:
        raise UsageError(f"evaluator {name}: {file} cannot be read: {error.strerror or error}") from error
    return ReplayEvaluator(settings, name, file, target, table, pinned(settings, file, target))


def pinned(settings: Settings, file: Path, target: ApprovedTarget) -> str:
    """One hash over the table, the target and the policy; empty when one of them cannot be read."""
    try:
        table = hashlib.sha256(file.read_bytes()).hexdigest()
        policy = target_policy(settings, target, target.url).digest
    except (OSError, UsageError):
        return ""
    parts = [REPLAY_VERSION, table, target.model_dump(mode="json"), policy]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
