"""Finds the inputs of a capability: what was typed, chosen or opened because the goal says so, typed and named by its field."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from urllib.parse import parse_qsl, urlsplit

from engine.distill.inputs import Input, Inputs
from engine.distill.prune import Turn
from engine.domain.action import Navigate, Select, Type
from engine.domain.capability import JsonSchema, Locator
from engine.domain.run import Goal
from engine.domain.secret import PLACEHOLDER
from engine.domain.step import TargetSeen
from engine.domain.text import fold, words

TYPES: dict[str, JsonSchema] = {
    "date": {"type": "string", "format": "date"},
    "datetime-local": {"type": "string", "format": "date-time"},
    "time": {"type": "string", "format": "time"},
    "email": {"type": "string", "format": "email"},
    "url": {"type": "string", "format": "uri"},
}
SHAPES: tuple[tuple[re.Pattern[str], JsonSchema], ...] = (
    (re.compile(r"\d{4}-\d{2}-\d{2}"), {"type": "string", "format": "date"}),
    (re.compile(r"[^@\s]+@[^@\s]+\.\w+"), {"type": "string", "format": "email"}),
    (re.compile(r"-?\d+\.\d+"), {"type": "string", "format": "decimal", "pattern": r"^-?\d+(\.\d+)?$"}),
)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
ENUM_LIMIT = 60


@dataclass
class Collector:
    """Gathers inputs in the order in which the run used them."""

    goal: Goal
    found: list[Input] = field(default_factory=list)

    def inputs(self, turns: tuple[Turn, ...]) -> Inputs:
        """All inputs of these turns."""
        for turn in turns:
            for value, hint, seen in used(turn):
                self.add(value, hint, seen)
        for turn in turns:
            for text, hint in shown(turn):
                if part := self.named_in_goal(text):
                    self.add(part, hint, None)
        return Inputs(tuple(self.found))

    def add(self, value: str, hint: str, seen: TargetSeen | None) -> None:
        """Keep one value, unless it is a constant of the flow or already there."""
        secrets = PLACEHOLDER.findall(value)
        if secrets:
            self.found += [secret(name) for name in secrets if not any(each.name == name for each in self.found)]
            return
        said = self.mentioned(value, seen)
        if not said or any(fold(each.value) == fold(said) and not each.secret for each in self.found):
            return
        given = next((name for name, text in self.goal.inputs.items() if fold(text) == fold(said)), None)
        self.found.append(Input(self.free(given or camel(hint)), said, schema_of(said, seen, hint)))

    def mentioned(self, value: str, seen: TargetSeen | None) -> str:
        """The value, or the part of an option, that the goal speaks of; empty for a constant."""
        if any(fold(text) == fold(value) for text in self.goal.inputs.values()) or says(self.goal.text, value):
            return value
        return self.named_in_goal(value) if seen is not None and seen.options else ""

    def named_in_goal(self, text: str) -> str:
        """The part of a text that is a value of the goal: one given as an input, or a word with digits that the goal holds."""
        given = [value for value in self.goal.inputs.values() if len(value) >= 2 and words(value).search(text)]
        numbers = [token for token in re.findall(r"[\w][\w.-]*\w", text) if re.search(r"\d{2,}", token)]
        return max([*given, *(token for token in numbers if stands(token, self.goal.text))], key=len, default="")

    def free(self, name: str) -> str:
        """The name, numbered when it is taken."""
        taken = {each.name for each in self.found}
        numbered = (name, *(f"{name}{number}" for number in range(2, 100)))
        return next(each for each in numbered if each not in taken)


def used(turn: Turn) -> Iterator[tuple[str, str, TargetSeen | None]]:
    """Values that the turn put into the page: value, what its place is called, the field."""
    action, seen = turn.action, turn.seen
    if isinstance(action, Type):
        yield action.text, label(seen, "text"), seen
    elif isinstance(action, Select):
        for option in action.options:
            yield option, label(seen, "option"), seen
    elif isinstance(action, Navigate):
        parts = urlsplit(action.url)
        for key, value in parse_qsl(parts.query):
            yield value, key, None
        segments = [segment for segment in parts.path.split("/") if segment]
        for before, segment in zip(["", *segments], segments, strict=False):
            if any(letter.isdigit() for letter in segment):
                yield segment, f"{before.removesuffix('s')} id" if before else "id", None


def shown(turn: Turn) -> Iterator[tuple[str, str]]:
    """Texts that locate elements, with a name for what they say: a value of the goal may stand in them."""
    targets = [turn.seen, *(read.seen for read in turn.reads)]
    for seen in filter(None, targets):
        for text in (*seen.candidates, *seen.cells):
            locator: Locator | None = Locator.model_validate_json(text)
            while locator is not None:
                if locator.match == "exact" and re.search(r"\d{2,}", locator.value):
                    yield locator.value, seen.column or seen.role or "value"
                locator = locator.within


def label(seen: TargetSeen | None, fallback: str) -> str:
    """What people call the field."""
    return (seen.label or seen.name if seen else "") or fallback


def says(goal: str, value: str) -> bool:
    """Whether the goal holds this value: as whole words, or as a number written otherwise ($250 for 250.00)."""
    if not value.strip():
        return False
    if stands(fold(value), fold(goal)):
        return True
    number = decimal(value)
    return number is not None and any(decimal(each) == number for each in NUMBER.findall(goal))


def stands(value: str, goal: str) -> bool:
    """Whether a text stands in the goal as whole words; 00 does not stand in $25.00."""
    for found in words(value).finditer(goal):
        before, after = goal[max(0, found.start() - 2) : found.start()], goal[found.end() : found.end() + 2]
        if not (re.fullmatch(r"\d[.,]", before) and value[0].isdigit()) and not (
            re.fullmatch(r"[.,]\d", after) and value[-1].isdigit()
        ):
            return True
    return False


def decimal(text: str) -> Decimal | None:
    """The number that a text is, or None."""
    try:
        return Decimal(text.strip().lstrip("$€£").replace(",", ""))
    except InvalidOperation:
        return None


def secret(name: str) -> Input:
    """A secret input: only its name is ever written."""
    schema: JsonSchema = {"type": "string", "x-secret": True, "description": f"Secret {name}; never written down"}
    return Input(name, f"{{{{secret.{name}}}}}", schema, secret=True)


def schema_of(value: str, seen: TargetSeen | None, hint: str) -> JsonSchema:
    """Type, format and example of an input, by its field and by how the run's value looks."""
    kind: re.Match[str] | None = re.search(r'"inputType":"([\w-]+)"', seen.fingerprint) if seen else None
    options = [option for option in seen.options if option.strip()] if seen else []
    whole = any(fold(option) == fold(value) for option in options)
    if whole and len(options) <= ENUM_LIMIT and not any(letter.isdigit() for option in options for letter in option):
        shape: JsonSchema = {"type": "string", "enum": options}
    elif kind and kind[1] in TYPES:
        shape = TYPES[kind[1]]
    elif kind and kind[1] == "number" and re.fullmatch(r"-?\d+", value):
        shape = {"type": "integer"}
    else:
        shape = next((schema for pattern, schema in SHAPES if pattern.fullmatch(value)), {"type": "string", "minLength": 1})
    title = f"{hint[:1].upper()}{hint[1:]}"
    example = int(value) if shape.get("type") == "integer" else value
    return {**shape, "title": title, "examples": [example]}


def camel(text: str) -> str:
    """A label as a name: "Member number" → memberNumber."""
    parts: list[str] = re.findall(r"[A-Za-z0-9]+", text.replace("'", ""))
    parts = parts if parts and parts[0][0].isalpha() else ["value", *parts]
    head, *tail = parts[:6]
    first = head.lower() if head.isupper() or head.istitle() or head.islower() else head[0].lower() + head[1:]
    return (first + "".join(part[:1].upper() + part[1:].lower() for part in tail))[:60]
