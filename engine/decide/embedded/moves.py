"""What an intent answers when it is asked how to go on: an action, that it is fulfilled, or why it cannot be."""

from dataclasses import dataclass
from typing import TypeAlias

from engine.decide.embedded.progress import Past
from engine.decide.embedded.scene import Scene
from engine.domain.action import Action


@dataclass(frozen=True)
class Do:
    """Take this action; `why` is the same words for the same purpose, so that history tells what was tried."""

    action: Action
    why: str


@dataclass(frozen=True)
class Finished:
    """Nothing is left to do for this intent."""


@dataclass(frozen=True)
class Blocked:
    """It cannot go on, said as a sentence."""

    problem: str


Move: TypeAlias = Do | Finished | Blocked


@dataclass(frozen=True)
class Turn:
    """One look: the page, what was done for this intent, and everything that was done."""

    scene: Scene
    past: Past
    whole: Past
