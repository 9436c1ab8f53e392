"""Trajectory → draft capability: prune, find inputs, locate, extract, set conditions, name; check that nothing is left."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from engine.distill import conditions, extract, leftovers, naming
from engine.distill.inputs import Input, Inputs, has_number
from engine.distill.locate import Finder
from engine.distill.naming import DraftNames
from engine.distill.parameterise import Collector
from engine.distill.prune import Turn, kept
from engine.distill.risk import effect, risk_class
from engine.domain.action import GoBack, Hover, Navigate, Press, Select, SwitchTab, Type, Upload
from engine.domain.capability import (
    Capability,
    CapabilityStep,
    DialogExpected,
    Extractor,
    JsonSchema,
    Provenance,
)
from engine.domain.run import Goal
from engine.domain.step import Outcome, Trajectory
from engine.domain.text import fold, words
from engine.errors import DistillRefused

Match: TypeAlias = Literal["exact", "word", "pattern"]
BANNERS = ("dialog ", "alertdialog ", "region ", "banner ", "complementary ")


@dataclass(frozen=True)
class Distiller:
    """What all parts of one draft share."""

    goal: Goal
    inputs: Inputs
    finder: Finder
    data: frozenset[str]

    def steps(self, turns: tuple[Turn, ...]) -> Iterator[CapabilityStep]:
        """Each turn, and after it what was read before the next."""
        for number, turn in enumerate(turns, 1):
            step = self.step(number, turn, turns[number - 2] if number > 1 else None)
            if number < len(turns) and turns[number].writes and not step.optional:
                said = conditions.confirmed(turns[number], self.finder)
                step = step.model_copy(update={"expect": tuple(dict.fromkeys((*step.expect, *said)))})
            yield step
            if turn.reads:
                yield self.reading(number, turn)

    def step(self, number: int, turn: Turn, before: Turn | None) -> CapabilityStep:
        """One step. Raises DistillRefused when its element cannot be found without run data."""
        value, match = self.value(turn)
        return CapabilityStep(
            id=f"s{number}",
            action=turn.action.action,
            target=self.finder.acting(turn.seen) if turn.seen else None,
            value=value,
            effect=effect(turn),
            expect=conditions.expectation(turn, self.finder, self.data),
            dialog=self.dialog(turn),
            optional=optional(turn, before),
            match=match,
        )

    def reading(self, number: int, turn: Turn) -> CapabilityStep:
        """The step that reads what was read after a turn."""
        extractors = tuple(extract.extractor(read, self.finder) for read in turn.reads)
        return CapabilityStep(id=f"r{number}", action="extract", extract=extractors)

    def value(self, turn: Turn) -> tuple[str | None, Match]:
        """The template of what is typed, chosen, opened or pressed, and how an option is matched with it."""
        if isinstance(turn.action, Select):
            return chosen(turn.action, self.inputs, turn.seen.options if turn.seen else (), self.goal.text)
        make = VALUES.get(type(turn.action))
        return (make(turn.action, self) if make else None), "exact"

    def dialog(self, turn: Turn) -> DialogExpected | None:
        """The dialog that belongs to the step."""
        if not turn.outcome.dialogs:
            return None
        seen = turn.outcome.dialogs[0]
        answer = "dismiss" if seen.answer == "dismissed" else "accept"
        # searched in the message as it stands, so the pattern is told to ignore case and keeps no anchors but its own
        pattern = f"(?i){self.inputs.pattern(seen.message)}"
        return DialogExpected.model_validate({"type": seen.type, "message": pattern, "answer": answer})

    def opened(self, url: str) -> str:
        """A URL relative to the target, with placeholders for inputs."""
        target, parts = urlsplit(self.goal.target), urlsplit(url)
        if parts.netloc and parts.netloc != target.netloc:
            raise DistillRefused(f"The flow opens {parts.netloc}, which is not the target; aim at it, or reach it by clicks.")
        path = "/".join(self.inputs.put(segment) for segment in parts.path.split("/")) or "/"
        query = "&".join("=".join(self.inputs.put(piece) for piece in pair.split("=", 1)) for pair in parts.query.split("&"))
        return path + (f"?{query}" if query else "")


def secret_or_input(text: str, distiller: Distiller) -> str:
    """A typed text: secrets stay placeholders, values of inputs become some."""
    return text if "{{secret." in text else distiller.inputs.put(text)


VALUES: Mapping[type, Callable[[Any, Distiller], str]] = {
    Navigate: lambda action, distiller: distiller.opened(action.url),
    Type: lambda action, distiller: secret_or_input(action.text, distiller),
    Press: lambda action, _distiller: action.key,
    Upload: lambda action, _distiller: action.file,
    SwitchTab: lambda action, _distiller: str(action.tab),
    Hover: lambda _action, _distiller: "",
    GoBack: lambda _action, _distiller: "",
}


def chosen(action: Select, inputs: Inputs, options: tuple[str, ...], goal: str) -> tuple[str, Match]:
    """The options, one a line. What is only a part of the one option chooses by that part, as whole words: an input, or a word
    of the goal that no other option has."""
    whole = [inputs.of(option) for option in action.options]
    if len(action.options) == 1 and whole[0] is None:
        option = action.options[0]
        parts = [(each.value, each.placeholder) for each in inputs.values if each.telling]
        if has_number(option):
            parts += [(word, word) for word in re.findall(r"[^\W\d_]{4,}", option) if words(word).search(goal)]
        for part, put in parts:
            if words(part).search(option) and sum(words(part).search(each) is not None for each in options or (option,)) == 1:
                return put, "word"
        pattern = inputs.pattern(option)
        if has_number(option) and sum(re.search(pattern, fold(each)) is not None for each in options) == 1:
            return pattern, "pattern"
    texts = [found.placeholder if found else option for found, option in zip(whole, action.options, strict=True)]
    return "\n".join(texts), "exact"


def optional(turn: Turn, before: Turn | None) -> bool:
    """Whether it only put away something that a first visit shows: a click in a notice, right after the page was opened,
    that sent nothing, moved nowhere and said nothing."""
    seen, outcome = turn.seen, turn.outcome
    if turn.action.action != "click" or seen is None or before is None:
        return False
    print_ = seen.fingerprint
    notice = any(f'"region":"{role}' in print_ for role in BANNERS) and '"formMethod"' not in print_
    arrived = before.action.action == "navigate" or moved(before.outcome)
    still = outcome.url_after == outcome.url_before and not outcome.requests and not outcome.downloads and not outcome.dialogs
    return bool(notice and arrived and still and not outcome.new_tab and not outcome.appeared and not turn.reads)


def moved(outcome: Outcome) -> bool:
    """Whether it ended on another page."""
    return urlsplit(outcome.url_before).path != urlsplit(outcome.url_after).path


def distill(
    goal: Goal, trajectory: Trajectory, names: DraftNames | None = None, provenance: Provenance | None = None
) -> Capability:
    """The draft, well formed and without run data. Raises DistillRefused with sentences that say what to do."""
    turns = kept(trajectory)
    if not turns:
        raise DistillRefused("The run did nothing that could be repeated.")
    inputs = renamed(Collector(goal).inputs(turns), names)
    data = frozenset(fold(text) for turn in turns for read in turn.reads for text in extract.run_texts(read) if text)
    distiller = Distiller(goal, inputs, Finder(inputs, goal), data)
    steps = tuple(distiller.steps(turns))
    extractors = [each for step in steps for each in step.extract]
    last = conditions.checkpoint(turns, extractors, distiller.finder, data)
    used = "".join(each.model_dump_json() for each in (*steps, *last))
    draft = Capability(
        id=naming.identifier(goal, inputs, names),
        version="1.0.0",
        title=naming.title(goal, inputs, names),
        description=naming.description(goal, inputs, names),
        target=goal.target,
        inputs=object_schema({each.name: each.schema for each in inputs.entries if each.placeholder in used}),
        outputs=output_schema(turns, extractors),
        steps=steps,
        checkpoint=last,
        risk_class=risk_class(steps, names.risk_class if names else None),
        provenance=provenance or Provenance(),
    )
    leftovers.check(draft, inputs, data, goal.text)
    return draft


def renamed(inputs: Inputs, names: DraftNames | None) -> Inputs:
    """Inputs with a model's names, where they are names and nobody else's."""
    wanted = names.inputs if names else {}
    given = [wanted.get(each.name, each.name) for each in inputs.entries]
    fine = len(set(given)) == len(given) and all(name.isidentifier() and name.isascii() and len(name) <= 60 for name in given)
    if not fine:
        return inputs
    return Inputs(
        tuple(
            each if each.secret else Input(name, each.value, each.schema)
            for each, name in zip(inputs.entries, given, strict=True)
        )
    )


def output_schema(turns: tuple[Turn, ...], extractors: list[Extractor]) -> JsonSchema:
    """All outputs by name; the last reading of a name counts."""
    reads = [read for turn in turns for read in turn.reads]
    pairs = zip(reads, extractors, strict=True)
    return object_schema({read.reading.name: extract.output_schema(read, chosen) for read, chosen in pairs})


def object_schema(properties: dict[str, JsonSchema]) -> JsonSchema:
    """A JSON Schema of an object that has exactly these."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
