"""Title, description and names of a draft: a model may propose, code checks each word and falls back to its own."""

import re
import unicodedata

from pydantic import Field

from engine.distill.inputs import Inputs, has_number
from engine.domain.capability import RiskClass
from engine.domain.frozen import Frozen
from engine.domain.run import Goal
from engine.domain.text import fold, tidy

SMALL = frozenset(
    {"a", "an", "the", "to", "of", "in", "on", "and", "for", "with", "s", "its", "their", "into", "from", "by", "at", "as"}
)


class DraftNames(Frozen):
    """What a model proposes for a draft; every field may be missing, and none is taken on trust."""

    title: str = ""
    description: str = ""
    inputs: dict[str, str] = Field(default_factory=dict, description="Name found by code → better name")
    risk_class: RiskClass | None = None


def title(goal: Goal, inputs: Inputs, names: DraftNames | None) -> str:
    """One line without data of the run."""
    for text in (names.title if names else "", goal.text):
        plain = tidy(re.sub(r"\{\{(?:secret\.)?(\w+)\}\}", r"\1", inputs.put(tidy(text))))
        first = re.split(r"(?<=[.!?])\s|\n", plain)[0].rstrip(".")
        if len(first) >= 4 and (text == goal.text or not has_number(inputs.put(text))):
            return first[:1].upper() + first[1:120]
    return "A capability"


def description(goal: Goal, inputs: Inputs, names: DraftNames | None) -> str:
    """What it does, with placeholders where the run had values."""
    proposed = inputs.put(tidy(names.description)) if names else ""
    return (proposed if len(proposed) >= 10 and not has_number(proposed) else inputs.put(tidy(goal.text)))[:16_000]


def identifier(goal: Goal, inputs: Inputs, names: DraftNames | None) -> str:
    """A file name made of the title's telling words."""
    proposed = names.title if names else ""
    text = re.sub(r"\{\{[^{}]+\}\}", " ", inputs.put(tidy(proposed or goal.text)))
    plain = unicodedata.normalize("NFKD", text.split("\n")[0]).encode("ascii", "ignore").decode()
    words = [word for word in re.findall(r"[a-z]+", fold(plain).replace("'s", "")) if word not in SMALL]
    return "-".join(words[:7])[:60].strip("-") or "capability"
