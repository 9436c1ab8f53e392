"""A step of a capability as an action of the closed vocabulary: one entry a kind."""

import re
from collections.abc import Callable, Mapping

from engine.domain.action import Action, Click, GoBack, Hover, Navigate, Press, Scroll, Select, SwitchTab, Type, Upload
from engine.domain.capability import CapabilityStep
from engine.domain.template import fill, fill_pattern

Make = Callable[[str, str], Action]

MAKES: Mapping[str, Make] = {
    "navigate": lambda _ref, value: Navigate(url=value),
    "click": lambda ref, _value: Click(ref=ref),
    "hover": lambda ref, _value: Hover(ref=ref),
    "type": lambda ref, value: Type(ref=ref, text=value),
    "select": lambda ref, value: Select(ref=ref, options=tuple(value.split("\n"))),
    "press": lambda ref, value: Press(ref=ref or None, key=value),
    "upload": lambda ref, value: Upload(ref=ref, file=value),
    "scroll": lambda ref, value: Scroll(ref=ref or None, direction="up" if value == "up" else "down"),
    "switch_tab": lambda _ref, value: SwitchTab(tab=int(value)),
    "go_back": lambda _ref, _value: GoBack(),
}


def action_of(step: CapabilityStep, values: Mapping[str, str], value: str | None = None) -> Action:
    """The action, with inputs in place; `{{secret.NAME}}` stays for the actor. `value` replaces the step's own."""
    text = fill(step.value or "", values) if value is None else value
    return MAKES[step.action](f"@{step.id}" if step.target else "", text)


def fitting(step: CapabilityStep, values: Mapping[str, str], options: list[str]) -> list[str]:
    """The labels among `options` that a select step means."""
    if step.match == "pattern":
        wanted = re.compile(fill_pattern(step.value or "", values), re.IGNORECASE)
        return [option for option in options if wanted.fullmatch(fold(option))]
    text = fold(fill(step.value or "", values))
    if step.match == "word":
        word = re.compile(rf"(?<!\w){re.escape(text)}(?!\w)")
        return [option for option in options if word.search(fold(option))]
    return [option for option in options if fold(option) == text]


def fold(text: str) -> str:
    """White space folded, case ignored."""
    return re.sub(r"\s+", " ", text).strip().casefold()
