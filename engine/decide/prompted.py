"""The planner that asks a model: one request, one decision, at most one repair question."""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from engine.decide.checks import checker
from engine.decide.prompt import request, system
from engine.decide.vocabulary import decision_shape
from engine.domain.action import Decision
from engine.domain.brief import Brief, Message, Planned
from engine.domain.narrowing import narrowed
from engine.domain.observation import Observation
from engine.domain.usage import Usage
from engine.llm.asking import Asker
from engine.llm.protocol import Picture, Said

Screenshots = Literal["auto", "always", "never"]
"""When a picture that the observation has is sent along; auto: first step, after a failure, when the tree is poor."""


def _nonce() -> str:
    return secrets.token_hex(8)


def _no_pictures(_path: str) -> None:
    return None


@dataclass(frozen=True)
class PromptedPlanner:
    """Implements `engine.discover.stages.Planner` over any model.

    `keep` gets every message as it is sent and received (`Transcript.append`). `picture` gives the JPEG at a path of the
    evidence folder, or None. `nonce` must not be guessable by a page.
    """

    asker: Asker
    keep: Callable[[Message], None]
    screenshots: Screenshots = "auto"
    picture: Callable[[str], bytes | None] = field(default=_no_pictures)
    nonce: Callable[[], str] = field(default=_nonce)
    key: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)

    @property
    def usage(self) -> Usage:
        """All model use so far, failed and repair requests included."""
        return self.asker.usage

    async def decide(self, brief: Brief) -> Planned:
        """One decision out of `brief.allowed` about what is on the page now.

        Raises ModelUnavailable, ModelRateLimited, ModelTimeout, or ModelGarbled after the one repair question.
        """
        asking = request(brief, self.nonce(), self._picture(brief), self._steady(brief.observation))
        messages = (system(brief.allowed), asking)
        asked = await self.asker.ask(
            messages, decision_shape(frozenset(brief.allowed)), checker(brief), self._noter(len(brief.history) + 1)
        )
        action = narrowed(asked.record.action, brief.observation.root)
        decision = Decision(reason=asked.record.reason, action=action)
        return Planned(decision=decision, model=asked.model, repaired=asked.repaired)

    def _steady(self, seen: Observation) -> str:
        """A nonce that no page can guess, and the same as long as the same page is written out."""
        text = seen.shown or seen.text
        return hmac.new(self.key, text.encode(), "sha256").hexdigest()[:16]

    def _noter(self, step: int) -> Callable[[Said], None]:
        def note(said: Said) -> None:
            images = tuple(picture.path for picture in said.pictures)
            self.keep(Message(role=said.role, content=said.text, step=step, images=images))

        return note

    def _picture(self, brief: Brief) -> Picture | None:
        path = brief.observation.screenshot
        if path is None or not self._wanted(brief):
            return None
        jpeg = self.picture(path)
        return Picture(path, jpeg) if jpeg else None

    def _wanted(self, brief: Brief) -> bool:
        if self.screenshots == "auto":
            return not brief.history or not brief.history[-1].outcome.ok or brief.observation.poor
        return self.screenshots == "always"
