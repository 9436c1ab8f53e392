"""Says in another language what the engine said in English: whole sentences by their patterns, part by part."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from babel.messages.pofile import read_po

from engine.web.language import LOCALES

GENERIC = 4
"""A pattern with fewer letters of its own is believed only when every part of the text is known too."""
DEEP, LONGEST = 6, 1000
"""Pages have a part in what is said: what is longer is left as it is, so that none makes the look for patterns long."""
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z\"“])")


@dataclass(frozen=True)
class Pattern:
    """One entry of the catalogue."""

    pieces: tuple[str, ...]
    said: str

    @cached_property
    def letters(self) -> int:
        """How many it has of its own."""
        return sum(map(str.isalpha, "".join(self.pieces)))

    @cached_property
    def quoted(self) -> tuple[bool, ...]:
        """Which of its parts stand in quotes: those are words of pages and people, and stay as they are."""
        return tuple(piece.endswith(('"', "“", "'")) for piece in self.pieces[:-1])

    @cached_property
    def found(self) -> re.Pattern[str]:
        """A clause may have become a sentence since it was written: its first letter is then a capital."""
        first, *rest = self.pieces
        some = "(.+)" if self.letters < GENERIC else "(.+?)"  # `a in b in c` is what `a in b` is, in c
        parts = ("([^\"”']*)" if quoted else some for quoted in self.quoted)
        tail = "".join(f"{part}{re.escape(piece)}" for part, piece in zip(parts, rest, strict=True))
        return re.compile(f"(?i:{re.escape(first[:1])}){re.escape(first[1:])}{tail}", re.DOTALL)

    def match(self, text: str) -> re.Match[str] | None:
        """Its parts in a text; most texts are told from it without looking far."""
        near = self.pieces[0][1:] in text and all(piece in text for piece in self.pieces[1:])
        return self.found.fullmatch(text) if near else None


class Sentences:
    """The catalogue `engine.po` of one language; English has none, and everything stays as it is."""

    def __init__(self, language: str) -> None:
        file = LOCALES / language / "LC_MESSAGES" / "engine.po"
        entries: list[tuple[str, str]] = []
        if file.is_file():
            with file.open("rb") as source:
                entries = [(str(each.id), str(each.string)) for each in read_po(source, locale=language) if each.id]
        patterns = (Pattern(tuple(template.removesuffix(".").split("{}")), said) for template, said in entries)
        self._patterns = sorted(patterns, key=lambda one: (one.letters >= GENERIC, -len("".join(one.pieces))))
        self._known = lru_cache(maxsize=4096)(self._whole)

    def told(self, text: str) -> str:
        """The text in this language, sentence by sentence; what is not known stays as it is."""
        if not self._patterns or not 0 < len(text) <= LONGEST:
            return text
        whole = self._known(text, 0)
        if whole is not None:
            return whole
        parts = _SENTENCE_END.split(text)
        return "".join(self._known(part, 0) or f"{part} " for part in parts).rstrip() if len(parts) > 1 else text

    def _whole(self, text: str, depth: int) -> str | None:
        stripped = text.strip().removesuffix(".")
        for pattern in self._patterns if depth < DEEP else ():
            match = pattern.match(stripped)
            if match is None:
                continue
            pairs = list(zip(match.groups(), pattern.quoted, strict=True))
            parts = [part if quoted else self._known(part, depth + 1) for part, quoted in pairs]
            several = any(part is None and _SENTENCE_END.search(given) for part, (given, _) in zip(parts, pairs, strict=True))
            if several or (pattern.letters < GENERIC and None in parts):
                continue
            given = (part if part is not None else pairs[number][0] for number, part in enumerate(parts))
            said = pattern.said.format(*given)
            return f"{said.removesuffix('。')}。" if text.rstrip().endswith(".") else said
        return None
