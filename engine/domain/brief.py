"""What a planner is given for one decision, and what it gives back."""

from typing import Literal

from engine.domain.action import Decision
from engine.domain.frozen import Frozen
from engine.domain.observation import Observation
from engine.domain.run import Goal
from engine.domain.step import Trajectory


class Brief(Frozen):
    """Everything one decision may rest on. Budgets and limits are never part of it."""

    goal: Goal
    observation: Observation
    history: Trajectory
    allowed: tuple[str, ...]
    files: tuple[str, ...] = ()


class Message(Frozen):
    """One message to or from a model as it stands in transcript.json (redacted; pictures by path)."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    step: int
    images: tuple[str, ...] = ()


class Planned(Frozen):
    """A decision, the model that the provider says made it (empty when unknown), and whether it took a repair question."""

    decision: Decision
    model: str = ""
    repaired: bool = False
