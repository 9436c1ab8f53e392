"""The inputs of a capability, and how a run's values in any text become placeholders."""

import re
from dataclasses import dataclass

from engine.domain.capability import JsonSchema
from engine.domain.template import escape
from engine.domain.text import fold, loose, tidy, words

_EDGE = re.compile(r"(\{\{[^{}]+\}\})")


@dataclass(frozen=True)
class Input:
    """One input: its name, the run's value (a placeholder for a secret), its schema."""

    name: str
    value: str
    schema: JsonSchema
    secret: bool = False

    @property
    def placeholder(self) -> str:
        """What stands for the value in the artifact."""
        return f"{{{{secret.{self.name}}}}}" if self.secret else f"{{{{{self.name}}}}}"

    @property
    def telling(self) -> bool:
        """Whether the value inside a longer text is surely this input and not an everyday word."""
        return len(self.value) >= 3 and (any(letter.isdigit() for letter in self.value) or len(self.value) >= 4)


@dataclass(frozen=True)
class Inputs:
    """All inputs of one capability."""

    entries: tuple[Input, ...] = ()

    @property
    def values(self) -> tuple[Input, ...]:
        """Those whose value may stand on a page, longest first."""
        return tuple(sorted((each for each in self.entries if not each.secret), key=lambda each: -len(each.value)))

    def of(self, value: str) -> Input | None:
        """The input with this value."""
        return next((each for each in self.entries if fold(each.value) == fold(value)), None)

    def put(self, text: str) -> str:
        """The text with the run's values replaced by placeholders."""
        whole = next((each for each in self.values if fold(each.value) == fold(text)), None)
        if whole:
            return whole.placeholder
        parts = [text]
        for each in self.values:
            if each.telling:
                parts = [piece for part in parts for piece in self._split(part, each)]
        return "".join(parts)

    def pattern(self, text: str) -> str:
        """The text as a regular expression over its folded form: placeholders for inputs, other numbers left open."""
        dated = any(letter.isdigit() for letter in text)
        pieces = _EDGE.split(self.put(tidy(text)))
        return "^" + "".join(piece if _EDGE.fullmatch(piece) else spaced(piece, dated) for piece in pieces) + "$"

    def path(self, path: str) -> str:
        """A URL path as a regular expression: inputs by name, other segments that belong to the run left open."""
        return "/".join(self._segment(segment) for segment in path.split("/"))

    def _segment(self, segment: str) -> str:
        whole = next((each for each in self.values if fold(each.value) == fold(segment)), None)
        if whole:
            return whole.placeholder
        return "[^/]+" if re.search(r"\d{2,}|\d.*[a-f].*\d|%", segment) else escape(segment)

    def _split(self, part: str, each: Input) -> list[str]:
        if _EDGE.fullmatch(part):
            return [part]
        pieces = words(each.value).split(part)
        return [piece for number, piece in enumerate(pieces) for piece in ([each.placeholder, piece] if number else [piece])]


def spaced(piece: str, dated: bool) -> str:
    """`loose` that keeps the spaces at the ends of a piece beside a placeholder."""
    before, after = piece[:1].isspace(), piece[-1:].isspace() and len(piece) > 1
    return f"{' ' if before else ''}{loose(piece, dated)}{' ' if after else ''}"


def has_number(template: str) -> bool:
    """Whether a digit stands outside the placeholders."""
    return any(letter.isdigit() for letter in _EDGE.sub("", template))


def has_input(template: str) -> bool:
    """Whether it holds a placeholder."""
    return _EDGE.search(template) is not None
