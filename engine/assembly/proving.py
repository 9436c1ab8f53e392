"""Distil a run, prove the draft by replays in fresh contexts, and keep it."""

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

import semver

from engine.assembly import replaying
from engine.assembly.homes import capability_store
from engine.assembly.sessions import BoundedBrowser, open_bounded_browser
from engine.distill.draft import distill
from engine.domain.capability import Capability, ProofReplay, Provenance
from engine.domain.policy import Policy
from engine.domain.run import Goal
from engine.domain.secret import Secrets
from engine.domain.step import Step
from engine.errors import DistillRefused
from engine.replay.proof import provable, run_inputs
from engine.settings import Settings

TIMES = 2
"""Replays with the run's own inputs; once more for each example."""


@dataclass(frozen=True)
class Workbench:
    """Makes capabilities of one run."""

    settings: Settings
    policy: Policy
    secrets: Secrets
    goal: Goal
    run_id: str
    model: str
    files: Mapping[str, str] = field(default_factory=dict)

    async def distill(self, steps: tuple[Step, ...]) -> Capability:
        """The draft. Raises DistillRefused."""
        transcript = self.settings.evidence / self.run_id / "transcript.json"
        digest = hashlib.sha256(transcript.read_bytes()).hexdigest() if transcript.is_file() else ""
        provenance = Provenance(
            discovery_model=self.model,
            discovery_run_id=self.run_id,
            transcript_digest=digest,
            engine_version=version("capwright"),
        )
        draft = distill(self.goal, steps, provenance=provenance)
        taken = capability_store(self.settings).versions(draft.id)
        return draft.model_copy(update={"version": following(taken)}) if taken else draft

    async def prove(self, draft: Capability, own: Mapping[str, str] | None = None) -> Capability:
        """The draft with its proof, by the run's inputs unless others are its `own`.

        Raises DistillRefused when a replay does not end ok, saying which and how.
        """
        shortened = provable(draft)
        own = dict(run_inputs(draft) if own is None else own)
        proofs = []
        async with open_bounded_browser(self.settings, self.policy) as browser:
            for inputs in [own] * TIMES + [own | example for example in self.goal.examples]:
                proofs.append(await self._replayed(browser, shortened, inputs))
        note = "" if self.goal.examples else "same inputs only"
        if shortened is not draft:
            note = f"not replayed past the commit step{'; ' + note if note else ''}"
        proof = draft.provenance.model_copy(update={"proof": tuple(proofs), "proof_note": note})
        return draft.model_copy(update={"provenance": proof})

    def keep(self, capability: Capability) -> Path:
        """Write it."""
        return capability_store(self.settings).keep(capability)

    async def _replayed(self, browser: BoundedBrowser, capability: Capability, inputs: Mapping[str, str]) -> ProofReplay:
        order = replaying.Order(capability.id, inputs, files=self.files, target=self.goal.target, approve="deny")
        start = time.monotonic()
        result = await replaying.replay_in(self.settings, browser, capability, order, self.policy, self.secrets)
        if result.ending != "ok":
            raise DistillRefused(f"A proof replay ended {result.ending} at {result.step or 'the end'}: {result.explanation}")
        outputs = hashlib.sha256(json.dumps(result.outputs, sort_keys=True).encode()).hexdigest()
        millis = round((time.monotonic() - start) * 1000)
        return ProofReplay(inputs=dict(inputs), ending=result.ending, outputs_sha256=outputs, millis=millis)


def following(versions: tuple[str, ...]) -> str:
    """A draft of a capability that exists is its next minor version until a diff says more."""
    return str(semver.Version.parse(versions[-1]).bump_minor())
