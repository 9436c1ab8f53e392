"""What a reviewer should doubt about a draft: computed from the artifact and the evidence of its run, a sentence each."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from engine.domain.capability import Capability, CapabilityStep, Extractor, Locator, RiskClass, Target
from engine.domain.step import Step
from engine.domain.template import names_in
from engine.domain.text import fold, words
from engine.web.language import marked
from engine.web.seen import Sight, holding
from engine.web.trace import Traced, examples, extractors, reading, seen_ways, ways

RANK: Mapping[RiskClass, int] = {"read_only": 0, "reversible": 1, "irreversible": 2}
PUT_IN = frozenset({"type", "select"})
MANY = 2


@dataclass(frozen=True)
class Doubt:
    """`where` is a step's id, `input NAME`, `output NAME`, `checkpoint`, `risk` or `proof`; `parts` fill the sentence."""

    where: str
    text: str
    parts: Mapping[str, object] = field(default_factory=dict)
    grave: bool = True


WRONG_PLACE = marked(
    "“%(output)s” is read from %(place)s. The discovery run read it elsewhere: “%(seen)s”. Is it the right row?"
)
NOT_READ = marked("“%(output)s” is read from %(place)s, and the discovery run read nothing there.")
OTHER_ROW = marked("“%(output)s” is read from %(place)s, but the page has a row “%(word)s”, which its name speaks of.")
OTHER_TARGET = marked(
    "This step acts on %(place)s, but in the discovery run nothing was found that way: it acted on “%(seen)s”."
)
FIXED = marked("“%(value)s” is fixed here, although it is the example of the input %(input)s: every call would use it again.")
FIXED_GOAL = marked(
    "“%(value)s” is fixed here, although the goal names it: every call would use it again. Should it be an input?"
)
CONSTANT = marked("Always puts in “%(value)s”.")
IN_LOCATOR = marked(
    "“%(value)s”, the example of the input %(input)s, stands in how the element is found: for other inputs it is missed."
)
UNUSED = marked("The input %(input)s goes nowhere: no step uses it.")
NO_OUTPUT = marked("No step reads the output %(output)s.")
TRUE_AT_START = marked("The checkpoint is true on the start page already, so it proves nothing.")
TRUE_EVERYWHERE = marked("The checkpoint is true on every page that the run saw, so it proves nothing.")
TRUE_NOWHERE = marked("The checkpoint is true on no page that the run saw.")
NOT_AT_END = marked("The checkpoint is not true on the last page of the run.")
READ_ONLY_COMMITS = marked("The risk class says “reads only”, but step %(step)s has an effect.")
READ_ONLY_WROTE = marked("The risk class says “reads only”, but in the discovery run step %(step)s sent %(request)s.")
REVERSIBLE_ASKED = marked("The risk class says “reversible”, but at step %(step)s the site asked: “%(message)s”.")
EFFECT_WROTE = marked(
    "Called harmless to repeat, but in the discovery run it sent %(request)s. Doing it twice may have two effects."
)
EFFECT_ASKED = marked("Called harmless to repeat, but in the discovery run a person had to approve it.")
OUT_OF_PLACE = marked("Out of place: the discovery run did this as its step %(number)s, between other steps than here.")
NEVER_DONE = marked("The discovery run did nothing of the kind. Where does this step come from?")
OPTIONAL_COMMIT = marked("A step with an effect is optional: a replay may leave it out without a word.")
UNCHECKED = marked("Nothing is checked after this effect: a replay cannot tell whether it happened.")
NO_PROOF = marked("No replay backs this draft.")
SAME_INPUTS = marked(
    "All proof replays used the run's own inputs: nothing shows that it works for others. Try it with other inputs below."
)
NOT_PAST = marked("The proof replays stopped before the effect, on purpose: no replay has done it yet.")
NO_EVIDENCE = marked("The evidence of the discovery run is not here, so nothing of this can be compared with what was seen.")


def doubts(capability: Capability, traced: tuple[Traced, ...], sight: Sight) -> tuple[Doubt, ...]:
    """All of them, the grave ones first. Without evidence only what the artifact itself shows."""
    found = [*_literals(capability, sight), *_unused(capability), *_effects(capability, traced), *_proof(capability)]
    if sight.steps:
        found += [*_places(capability, traced, sight), *_order(traced), *_checkpoint(capability, sight)]
    else:
        found.append(Doubt("proof", NO_EVIDENCE))
    return tuple(sorted(_once(found), key=lambda one: not one.grave))


def _once(found: list[Doubt]) -> Iterator[Doubt]:
    seen = set()
    for one in found:
        key = (one.where, one.text, tuple(sorted((name, str(value)) for name, value in one.parts.items())))
        if key not in seen:
            seen.add(key)
            yield one


def _places(capability: Capability, traced: tuple[Traced, ...], sight: Sight) -> Iterator[Doubt]:
    values = examples(capability)
    for step, each in extractors(capability):
        if each.target is None:
            continue
        place, found = each.target.description, reading(each, sight.steps, values)
        if found is None:
            yield Doubt(step.id, NOT_READ, {"output": each.output, "place": place})
            continue
        seen = found[1]
        if not ways(each.target, values) & seen_ways(seen):
            yield Doubt(step.id, WRONG_PLACE, {"output": each.output, "place": place, "seen": seen.text or seen.name})
        elif word := _other_row(each, each.target, sight):
            yield Doubt(step.id, OTHER_ROW, {"output": each.output, "place": place, "word": word})
    for one in traced:
        if one.seen is None or one.step.target is None or one.seen.outcome.target is None:
            continue
        strange = ways(one.step.target, values) - seen_ways(one.seen.outcome.target)
        if len(strange) * MANY > len(one.step.target.locators):
            seen_name = one.seen.outcome.target.name or one.seen.outcome.target.role
            yield Doubt(one.step.id, OTHER_TARGET, {"place": one.step.target.description, "seen": seen_name})


def _other_row(each: Extractor, target: Target, sight: Sight) -> str:
    """A word of the output's name that heads another row of the page than the one that is read; empty when there is none."""
    anchors = " ".join(f"{locator.value} {locator.column}" for locator in target.locators)
    spoken: list[str] = [word for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", each.output) if len(word) > MANY]
    if any(locator.by == "cell" and locator.value for locator in target.locators):
        for word in spoken:
            if not words(word).search(anchors) and sight.has_row(word):
                return word
    return ""


def _literals(capability: Capability, sight: Sight) -> Iterator[Doubt]:
    given = {name: value for name, value in examples(capability).items() if len(value) > 1}
    for step in capability.steps:
        if step.action in PUT_IN and step.value and not names_in(step.value):
            yield _literal(step.id, step.value, given, sight)
        for text in _texts(step):
            for name, value in given.items():
                if words(value).search(text):
                    yield Doubt(step.id, IN_LOCATOR, {"value": value, "input": name})


def _literal(where: str, text: str, given: Mapping[str, str], sight: Sight) -> Doubt:
    name = next((name for name, value in given.items() if words(value).search(text)), None)
    if name is not None:
        return Doubt(where, FIXED, {"value": text, "input": name})
    if text.strip() and words(fold(text)).search(fold(sight.goal)):
        return Doubt(where, FIXED_GOAL, {"value": text})
    return Doubt(where, CONSTANT, {"value": text}, grave=False)


def _texts(step: CapabilityStep) -> Iterator[str]:
    """Everything of a step that says where something is: locators, addresses, expectations."""
    targets = [step.target, *(each.target for each in step.extract), *(each.target for each in step.expect)]
    for target in targets:
        for locator in target.locators if target else ():
            yield from _locator_texts(locator)
    yield from (each.value for each in step.expect)
    if step.action == "navigate" and step.value:
        yield step.value


def _locator_texts(locator: Locator) -> Iterator[str]:
    yield locator.value
    yield locator.column
    if locator.within:
        yield from _locator_texts(locator.within)


def _unused(capability: Capability) -> Iterator[Doubt]:
    content = capability.model_dump_json(include={"steps", "checkpoint"})
    used = {name.removeprefix("secret.") for name in names_in(content)}
    for name in capability.inputs.get("properties", {}):
        if name not in used:
            yield Doubt(f"input {name}", UNUSED, {"input": name})
    read = {each.output for _, each in extractors(capability)}
    for name in capability.outputs.get("properties", {}):
        if name not in read:
            yield Doubt(f"output {name}", NO_OUTPUT, {"output": name})


def _effects(capability: Capability, traced: tuple[Traced, ...]) -> Iterator[Doubt]:
    risk = capability.risk_class
    for one in traced:
        step, seen = one.step, one.seen
        wrote = _wrote(seen) if seen else ""
        if risk == "read_only" and step.effect == "commit":
            yield Doubt("risk", READ_ONLY_COMMITS, {"step": step.id})
        elif risk == "read_only" and wrote:
            yield Doubt("risk", READ_ONLY_WROTE, {"step": step.id, "request": wrote})
        if step.effect != "commit" and wrote:
            yield Doubt(step.id, EFFECT_WROTE, {"request": wrote})
        elif step.effect != "commit" and seen is not None and seen.verdict.kind == "approval_needed":
            yield Doubt(step.id, EFFECT_ASKED)
        dialog = seen.outcome.dialogs[0] if seen and seen.outcome.dialogs else step.dialog
        if RANK[risk] < RANK["irreversible"] and dialog is not None and dialog.type == "confirm":
            yield Doubt("risk", REVERSIBLE_ASKED, {"step": step.id, "message": dialog.message})
        if step.effect == "commit" and step.optional:
            yield Doubt(step.id, OPTIONAL_COMMIT)
        if step.effect == "commit" and not step.expect:
            yield Doubt(step.id, UNCHECKED, grave=False)


def _wrote(seen: Step) -> str:
    """The request with an effect that a step sent; a login's does not count."""
    login = seen.verdict.kind != "refusal" and seen.verdict.facts.form_password
    sent = [] if login else [request for request in seen.outcome.requests if (request.status or 0) < 400]
    return f"{sent[0].method} {sent[0].url}" if sent else ""


def _order(traced: tuple[Traced, ...]) -> Iterator[Doubt]:
    for number, one in enumerate(traced):
        if one.seen is None and not (number == 0 and one.step.action == "navigate"):
            yield Doubt(one.step.id, NEVER_DONE)
        elif one.moved and one.seen is not None:
            yield Doubt(one.step.id, OUT_OF_PLACE, {"number": one.seen.number})


def _checkpoint(capability: Capability, sight: Sight) -> Iterator[Doubt]:
    held = holding(capability.checkpoint, sight, examples(capability))
    if not any(held):
        yield Doubt("checkpoint", TRUE_NOWHERE)
    elif all(held) and len(held) > 1:
        yield Doubt("checkpoint", TRUE_EVERYWHERE)
    elif held[0]:
        yield Doubt("checkpoint", TRUE_AT_START)
    elif not held[-1]:
        yield Doubt("checkpoint", NOT_AT_END)


def _proof(capability: Capability) -> Iterator[Doubt]:
    made = capability.provenance
    if not made.proof:
        yield Doubt("proof", NO_PROOF)
    elif len({tuple(sorted(one.inputs.items())) for one in made.proof}) < MANY and examples(capability):
        yield Doubt("proof", SAME_INPUTS, grave=False)
    if "not replayed past" in made.proof_note:
        yield Doubt("proof", NOT_PAST, grave=False)
