"""Reads a goal: sentence → clauses → intents. Pure, and without a word of any site."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engine.decide.embedded import reading_words
from engine.decide.embedded.clauses import ATOM, Masked, cut, mask
from engine.decide.embedded.intents import (
    Choose,
    Fetch,
    Fill,
    FormTask,
    Intent,
    Locate,
    Phrase,
    Press,
    Read,
    Search,
    SignIn,
    Slot,
    Text,
    Unfold,
    Unknown,
)
from engine.decide.embedded.phrases import alone, credential, listed, phrase, postal, same_thing, subject
from engine.domain.run import Goal

_BY = re.compile(r"^(?P<what>.+?)\s+by\s+(?:clicking|pressing|tapping)(?:\s+on)?\s+(?P<how>.+)$")
_PAIR = re.compile(rf"(?:the |your |my |a )?(?P<label>[A-Za-z][\w ]*?)\s+(?P<value>{ATOM})")
_AMOUNT = re.compile(
    r"(?<![\w.⟦])[$€£]?\s?(?P<number>\d[\d,]*(?:\.\d+)?)(?:\s?(?:dollars|usd|euros?|eur|pounds|gbp))?(?![\w.])", re.I
)
_PREPOSITION = re.compile(r"\s*\b(from|into|to|with|for|as|on|at|in|by)\s+")
_VALUE_END = rf"(?P<value>{ATOM}|[A-Z0-9][\w.@-]*(?:\s[A-Z0-9][\w.@-]*)*)"

_UNREAD = re.compile(r"[.;!?]\s+[A-Z]")
"""The start of another sentence, which no verb of ours begins."""

_SEARCHED = re.compile(
    r"^(?:the |all )?(?P<noun>[a-z][a-z ]*?)\s+(?:by|with|whose|named|called)\s+(?:the\s+)?"
    rf"(?P<field>[a-z][a-z ]*?)?(?:\s+is)?\s*{_VALUE_END}$"
)


@dataclass(frozen=True)
class Reader:
    """What a clause may lean on: the goal around it and what is quoted in it."""

    goal: Goal
    masked: Masked

    def text(self, words: str) -> str:
        """Words of a clause as they stood in the goal."""
        return self.masked.restore(words.strip())

    def phrase(self, words: str) -> Phrase:
        """The element they name."""
        return phrase(words, self.masked)

    def about(self, words: str) -> tuple[list[Intent], str]:
        """The thing they are about, to be located first, and the rest."""
        located, rest = subject(words, self.masked, self.goal.inputs)
        return ([located] if located else []), rest


Rule: TypeAlias = Callable[[str, str, Reader], list[Intent]]
"""verb, rest of the clause, reader → intents; empty when the rule does not understand it."""


def read_goal(goal: Goal) -> tuple[Intent, ...]:
    """Every intent of the goal in order. A clause that is not understood is there as Unknown."""
    reader = Reader(goal, mask(goal.text, goal.inputs))
    found: list[Intent] = _unasked_sign_in(reader)
    for clause in cut(_led(reader), VERBS):
        for said in _read_clause(clause, reader):
            intent = _that(said, found)
            if not _known(intent, found):
                found.append(intent)
    return tuple(found)


def _unasked_sign_in(reader: Reader) -> list[Intent]:
    """Credentials that were given and are nowhere in the goal are for whatever form asks for them first."""
    user, password = credential(reader.goal.secrets)
    said = re.search(r"(?i)\b(?:log|sign) ?(?:in|on)\b|authenticate|\{\{secret\.", reader.goal.text)
    given = bool(user and password) and not said
    return [SignIn(f"{{{{secret.{user}}}}}", f"{{{{secret.{password}}}}}", asked=False)] if given else []


def _led(reader: Reader) -> str:
    """`For order 17, …` written as `open order 17, …`."""

    def lead(match: re.Match[str]) -> str:
        return f"{match[1]}open {match[2]}, " if alone(match[2], reader.masked) else match[0]

    return re.sub(r"(^|[.;!]\s+|\bthen,?\s+)(?:[Ff]or|[Oo]n)\s+([^,.;]+),\s+", lead, reader.masked.text)


def _known(intent: Intent, before: list[Intent]) -> bool:
    """The thing that was located last is not located again."""
    located = [each for each in before if isinstance(each, Locate)]
    return isinstance(intent, Locate) and bool(located) and same_thing(located[-1], intent)


def _that(intent: Intent, before: list[Intent]) -> Intent:
    """`open it` after a search means what was searched for, or what was located."""
    if not isinstance(intent, Press) or not before or intent.target.place is not None or intent.target.quoted:
        return intent
    last, target = before[-1], intent.target
    if target.text.lower() not in ("it", "that") and (target.kind != "row" or target.text):
        return intent
    if isinstance(last, Search):
        return Locate(last.noun or "the entry", last.value)
    return last if isinstance(last, Locate) else intent


def _read_clause(clause: str, reader: Reader) -> list[Intent]:
    for pattern, rule in RULES:
        if match := re.match(rf"^(?P<verb>{pattern})(?![\w-])\s*(?P<rest>.*)$", clause, re.IGNORECASE):
            return rule(match["verb"].lower(), match["rest"], reader) or [Unknown(reader.text(clause))]
    return [Unknown(reader.text(clause))]


def _sign_in(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    if _UNREAD.search(rest):
        return []
    value = rf"(?:is|=|:)?\s*(?P<value>{ATOM}|[^\s,]+)"
    word = re.search(rf"\b(?:password|passphrase|passcode|pin)\s*{value}", rest, re.IGNORECASE)
    user = re.search(rf"\b(?:as(?:\s+(?:user|operator))?|user ?name|user(?: id)?|e-?mail|login)\s*{value}", rest, re.IGNORECASE)
    secrets = tuple(dict.fromkeys((*reader.goal.secrets, *re.findall(r"\{\{secret\.(\w+)\}\}", reader.goal.text))))
    names = credential(secrets)
    marks = [f"{{{{secret.{name}}}}}" if name else "" for name in names]
    given = [reader.goal.inputs.get(name, "") if name else "" for name in credential(tuple(reader.goal.inputs))]
    chosen_user = reader.text(user["value"]) if user else marks[0] or (given[0] if given[1] or not marks[1] else "")
    return [SignIn(chosen_user, reader.text(word["value"]) if word else marks[1] or given[1])]


def _press(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    if not rest:
        return []
    what, _, where = rest.partition(" in the ")
    inside = reader.phrase(where)
    if where and inside.kind == "dialog":
        return [Press(reader.phrase(what), "dialog")]
    return [Press(reader.phrase(rest))]


def _submit(_verb: str, _rest: str, _reader: Reader) -> list[Intent]:
    return [Press(Phrase("submit"))]


def _sign_out(_verb: str, _rest: str, _reader: Reader) -> list[Intent]:
    return [Press(Phrase("sign out"))]


def _open(verb: str, rest: str, reader: Reader) -> list[Intent]:
    if located := alone(rest, reader.masked):
        return [located]
    first, rest = reader.about(rest)
    if not rest or rest.lower() in ("page", "record"):
        return first
    return [*first, *_press(verb, rest, reader)]


def _search(verb: str, rest: str, reader: Reader) -> list[Intent]:
    if located := alone(rest, reader.masked):
        return [located]
    if match := _SEARCHED.match(rest):
        return [Search(match["noun"], match["field"] or "name", reader.text(match["value"]))]
    if match := re.match(rf"^(?:by|with)\s+(?:the\s+)?(?P<field>[a-z][a-z ]*?)\s+{_VALUE_END}$", rest):
        return [Search("", match["field"], reader.text(match["value"]))]
    if match := re.match(rf"^{_VALUE_END}\s+(?:in|by|as)\s+(?:the\s+)?(?P<field>[A-Za-z][\w ]*?)(?:\s+field)?$", rest):
        return [Search("", match["field"], reader.text(match["value"]))]
    if re.fullmatch(_VALUE_END, rest) or (rest and verb != "find"):
        return [Search("", "", reader.text(rest))]
    return []


def _fill(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    if match := re.match(r"^(?:the )?value (?:of|for) (?P<label>.+?) (?:into|in|to) (?P<field>.+)$", rest):
        return [Fill(reader.phrase(match["field"]), Text(reader.text(match["label"]), looked_up=True))]
    values, _, field = rest.partition(" into ")
    if paired := _pairs(values, reader, field):
        return paired
    if " with " in rest:
        parts = [each.partition(" with ") for each in re.split(r"(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?=[^,]+?\swith\s)", rest)]
        return [_filled(field, value, reader) for field, _, value in parts] if all(value for _, _, value in parts) else []
    if match := re.match(r"^(?P<value>.+)\s(?:into|in|to|as|for)\s(?P<field>[^⟦]+)$", rest):
        return [_filled(match["field"], match["value"], reader)]
    return [Fill(Phrase(kind="field"), Text(reader.text(rest)))] if re.fullmatch(_VALUE_END, rest) else []


def _pairs(values: str, reader: Reader, field: str) -> list[Intent]:
    pairs = list(_PAIR.finditer(values))
    left = re.sub(r"\s|,|\band\b|\bwith\b", "", _PAIR.sub("", values))
    if not pairs or left:
        return []
    where = reader.phrase(field) if field else Phrase(kind="field")
    if len(pairs) == 1 and (where.every or where.text):
        return [Fill(where, Text(reader.text(pairs[0]["value"])))]
    return [_filled(pair["label"].removeprefix("and ").removeprefix("with "), pair["value"], reader) for pair in pairs]


def _filled(field: str, value: str, reader: Reader) -> Fill:
    return Fill(reader.phrase(field), Text(reader.text(value)))


def _set(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    match = re.match(r"^(?P<field>.+?)\s+(?:to|as|=)\s+(?P<value>.+)$", rest)
    return [_filled(match["field"], match["value"], reader)] if match else []


def _choose(verb: str, rest: str, reader: Reader) -> list[Intent]:
    if verb == "check" and subject(rest, reader.masked, reader.goal.inputs)[0]:
        return _read(verb, rest, reader)
    on = verb not in ("untick", "uncheck", "deselect", "unselect")
    match = re.match(r"^(?P<options>.+)\s(?:from|in|as|for|on)\s(?P<field>[^⟦]+)$", rest)
    options = match["options"] if match else rest
    bare = re.sub(r"^(?:the |all )?(?:(?:radio|check ?)?(?:button|boxe?|option|item)s?\s+)", "", options)
    bare = re.sub(
        r"^the\s+(?=⟦)|\s+(?:radio button|check ?box(?:es)?|boxes|box|options?|items?)$", "", bare.removeprefix("the ")
    )
    if not bare:
        return []
    if bare.lower() in ("nothing", "none", "no options"):
        return [Choose((), on=on)]
    names = tuple(reader.text(each) for each in listed(bare))
    target = reader.phrase(match["field"]) if match else Phrase()
    return [Choose(names, target, on, as_one=reader.text(rest if match is None else bare))]


def _unfold(verb: str, rest: str, reader: Reader) -> list[Intent]:
    return [Unfold(reader.phrase(rest), verb not in ("collapse", "fold"))]


def _close(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    by = _BY.match(rest)
    target = reader.phrase(by["how"]) if by else Phrase("close")
    return [Press(target, inside=reader.phrase(by["what"] if by else rest).kind)]


def _focus(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    return [Press(reader.phrase(rest))]


def _read(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    first, left = reader.about(rest)
    if _UNREAD.search(left):
        return []
    items = reading_words.items(left, reader.masked)
    return [*first, Read(items)] if items else []


def _change(verb: str, rest: str, reader: Reader) -> list[Intent]:
    match = re.match(r"^(?P<what>.+?)\s+to\s+(?P<value>.+)$", rest)
    if match is None:
        return []
    first, what = reader.about(re.sub(r"\s+from\s+.+$", "", match["what"]))
    field, value = reader.phrase(what), reader.text(match["value"])
    return [*first, FormTask(verb, field.text, (Slot(field.text, value),), postal(value))] if field.text else []


def _task(verb: str, rest: str, reader: Reader) -> list[Intent]:
    first, rest = reader.about(rest)
    thing, *others = _PREPOSITION.split(rest)
    slots: list[Slot] = []
    for preposition, words in zip(others[::2], others[1::2], strict=True):
        located = alone(words, reader.masked) if preposition == "to" and not first else None
        first += [located] if located else []
        slots += [] if located else _slots(preposition, words, reader)
    if amount := _AMOUNT.search(thing):
        slots.insert(0, Slot("amount", amount["number"].replace(",", "")))
        thing = thing.replace(amount[0], " ")
    named = reader.phrase(re.sub(ATOM, "", thing))
    slots = [Slot(named.text, reader.text(atom)) for atom in re.findall(ATOM, thing)] + slots
    return [*first, FormTask(verb, named.text, tuple(slots))] if slots else []


def _slots(preposition: str, words: str, reader: Reader) -> list[Slot]:
    if preposition == "with" and (pairs := list(re.finditer(rf"(?P<label>[a-z][a-z ]*?)\s+{_VALUE_END}", words))):
        return [Slot(pair["label"].removeprefix("and ").strip(), reader.text(pair["value"])) for pair in pairs]
    label = {"from": "from", "to": "to", "into": "to"}.get(preposition, "")
    return [Slot(label, reader.text(re.sub(r"^the\s+", "", words.strip(" ,"))))]


def _fetch(_verb: str, rest: str, reader: Reader) -> list[Intent]:
    first, rest = reader.about(rest)
    thing, *others = _PREPOSITION.split(rest)
    form, slots = "", []
    for preposition, words in zip(others[::2], others[1::2], strict=True):
        value = reader.text(re.sub(r"^(?:the|an?)\s+|\s+(?:format|file)$", "", words.strip(" ,")))
        if preposition == "as" or words.endswith(" format"):
            form = value
        else:
            slots.append(Slot("", value))
    named = reader.phrase(thing)
    return [*first, Fetch(named.text or named.whole, tuple(slots), form)] if thing else first


RULES: tuple[tuple[str, Rule], ...] = (
    (r"(?:log|sign) (?:in|on)(?: to)?|login|authenticate", _sign_in),
    (r"click(?: on)?|press|hit|push|tap(?: on)?|follow", _press),
    (r"(?:log|sign) (?:out|off)", _sign_out),
    (r"submit", _submit),
    (r"search for|search|find|look up|look for|locate", _search),
    (r"open|go to|navigate to|visit|switch to|view", _open),
    (r"fill in|fill out|fill|enter|type in|type|put|input|write", _fill),
    (r"set", _set),
    (r"select|choose|pick|tick|check|mark|untick|uncheck|deselect|unselect", _choose),
    (r"expand|unfold|collapse|fold", _unfold),
    (r"close|dismiss", _close),
    (r"focus(?: into| on| in)?", _focus),
    (r"read|get|extract|report|tell me|show me|show|note|collect|list|give me|return|what is|what are", _read),
    (r"download|export", _fetch),
    (r"change|update|edit|modify|correct", _change),
    (r"transfer|move|send|add|create|book|order|schedule", _task),
)
"""Every verb that a clause can begin with; the first that fits reads the clause."""

VERBS = "|".join(verbs for verbs, _ in RULES)
