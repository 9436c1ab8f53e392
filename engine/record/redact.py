"""Takes secrets out of everything that is written: text, JSON and bytes.

The rule. A *distinctive* secret (16 characters, or 6 of at least two kinds of letters, digits and marks) is masked wherever it
stands, in every encoding and letter case. Any other one ("1234", a common word) is masked by where it came from: always in
form fields and under parameters and keys with a hidden name; as a whole word elsewhere only once it was typed, and only if
the same word had not been seen before. So an echo is masked, and the site's own "1234" or "Password" stays what it is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine.domain.secret import Secret, Secrets
from engine.record.forms import encoded, inside_base64, wide, written

Json: TypeAlias = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_BEFORE = re.compile(r"(?:(?<![\w%\\])|(?<=\\[nrt\"])|(?<=%[0-9A-Fa-f]{2}))(?<!\d[.,])")
_AFTER = re.compile(r"(?![\w])(?![.,]\d)")
_HIDDEN_KEY = r"[\w.-]*(?:pass|pwd|pin|secret|token|key|otp|code|cvv|cvc)[\w.-]*"
_FIELD = r"\b(?:textbox|searchbox|spinbutton|combobox)\b[^\n]*: \\?[\"']?"
_PLACE = re.compile(rf"(?:{_FIELD}|(?<![\w.-]){_HIDDEN_KEY}\\?[\"']?\s?[=:]\s?\\?[\"']?)\Z", re.IGNORECASE)
_PLACE_LENGTH = 400


def is_distinctive(value: str) -> bool:
    """Whether a value can be told from ordinary text wherever it stands."""
    kinds = {"letter" if char.isalpha() else "digit" if char.isdigit() else "mark" for char in value}
    return len(value) >= 16 or (len(value) >= 6 and len(kinds) >= 2)


@dataclass(frozen=True)
class _Known:
    """A secret and its forms in lower case; `alone` are those that no site writes by chance."""

    secret: Secret
    distinctive: bool
    plain: tuple[str, ...]
    alone: tuple[str, ...]

    @classmethod
    def of(cls, secret: Secret) -> "_Known":
        distinctive = is_distinctive(secret.value)
        alone = encoded(secret.value) | (inside_base64(secret.value) if distinctive else frozenset())
        certain = {form for form in alone if distinctive or (len(form) >= 8 and not form.isdigit())}
        return cls(secret, distinctive, _lower(written(secret.value)), _lower(certain))


@dataclass(frozen=True)
class _Hit:
    """One place in a text, and how it is known to be a secret."""

    start: int
    end: int
    known: _Known
    certain: bool


class Redactor:
    """Masks the secrets of one run; call it with text. It remembers which short secrets are also the site's own words."""

    def __init__(self, secrets: Secrets) -> None:
        self._known: tuple[_Known, ...] = ()
        self._wide: list[tuple[bytes, Secret]] = []
        self._typed: set[str] = set()
        self._native: set[str] = set()
        for secret in secrets.entries:
            self.learn(secret)

    def learn(self, secret: Secret) -> None:
        """One more to take out, from here on."""
        if secret.value.strip():
            self._known += (_Known.of(secret),)
            self._wide += [(form, secret) for form in wide(secret.value) if len(secret.value) >= 6]

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        hits = list(self._hits(text))
        self._learn(text, hits)
        if text[:1] in ("{", "[") and any(hit.known.secret.value.isdigit() for hit in hits):
            record = _record(text)
            if record is not None:
                # String by string, so that a number of the record is never taken for a secret.
                return json.dumps(self.json(record), ensure_ascii=False, indent=2 if text[1:2] == "\n" else None)
        return self._masked(text, hits)

    def _masked(self, text: str, hits: list[_Hit]) -> str:
        done, pieces = 0, []
        for hit in _joined(hit for hit in hits if self._counts(hit)):
            pieces += [text[done : hit.start], hit.known.secret.placeholder]
            done = hit.end
        return "".join([*pieces, text[done:]]) if pieces else text

    def typed(self, name: str) -> None:
        """A secret is about to be typed for the first time: from here on, a new appearance of its value is an echo."""
        self._typed.add(name)

    def json(self, value: Json) -> Json:
        """The same structure with every string, keys included, redacted; a string under a hidden key is judged with its key."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, Mapping):
            return {self(key): self._under(key, item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [self.json(item) for item in value]
        return value

    def content(self, content: bytes) -> bytes:
        """Bytes of any kind; what is not text is passed through, its text-like parts redacted."""
        clean = self(content.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        for form, secret in self._wide:
            clean = clean.replace(form, secret.placeholder.encode("utf-16-le"))
        return clean

    def pieces(self, text: str) -> tuple[str, ...]:
        """The parts of a text that are taken out of it, as they stand there; changes nothing."""
        hits = _joined(hit for hit in self._hits(text) if self._counts(hit))
        return tuple(dict.fromkeys(text[hit.start : hit.end] for hit in hits))

    def found_in(self, content: bytes) -> tuple[str, ...]:
        """Names of the secrets that these bytes hold; for the leak gate, so it changes nothing."""
        hits = self._hits(content.decode("utf-8", "surrogateescape"))
        names = [hit.known.secret.name for hit in hits if self._counts(hit)]
        return tuple(dict.fromkeys([*names, *(secret.name for form, secret in self._wide if form in content)]))

    def _hits(self, text: str) -> Iterator[_Hit]:
        lower = text.translate(_LOWER)
        for known in self._known:
            for start, end in _occurrences(lower, known.alone):
                if known.distinctive or (_stands_alone(text, start, end) and text[end : end + 1] != "="):
                    yield _Hit(start, end, known, certain=True)
            for start, end in _occurrences(lower, known.plain):
                if known.distinctive or _in_its_place(text, start, end):
                    yield _Hit(start, end, known, certain=True)
                elif _stands_alone(text, start, end):
                    yield _Hit(start, end, known, certain=False)

    def _counts(self, hit: _Hit) -> bool:
        name = hit.known.secret.name
        return hit.certain or (name in self._typed and name not in self._native)

    def _learn(self, text: str, hits: Sequence[_Hit]) -> None:
        for known in self._known:
            name = known.secret.name
            if known.distinctive or name in self._typed:
                continue
            if '"intent"' in text and re.search(r'"type".*' + re.escape(known.secret.placeholder), text):
                self.typed(name)
            elif any(hit.known is known and not hit.certain for hit in hits):
                self._native.add(name)

    def _under(self, key: str, item: Json) -> Json:
        if isinstance(item, str) and re.fullmatch(_HIDDEN_KEY, key, re.IGNORECASE):
            short = next((known.secret for known in self._known if known.secret.value == item), None)
            return short.placeholder if short else self(item)
        return self.json(item)


def _record(text: str) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found


def _occurrences(lower: str, forms: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    for form in forms:
        at = lower.find(form)
        while at >= 0:
            yield at, at + len(form)
            at = lower.find(form, at + 1)


def _stands_alone(text: str, start: int, end: int) -> bool:
    return bool(_BEFORE.match(text, start) and _AFTER.match(text, end))


def _in_its_place(text: str, start: int, end: int) -> bool:
    """The value of a form field in a snapshot, or under a parameter or key with a hidden name."""
    return bool(_AFTER.match(text, end) and _PLACE.search(text[max(0, start - _PLACE_LENGTH) : start]))


def _joined(hits: Iterator[_Hit]) -> Iterator[_Hit]:
    """In order, overlapping ones as one: what two forms cover together is all masked."""
    current: _Hit | None = None
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if current is None or hit.start >= current.end:
            if current is not None:
                yield current
            current = hit
        elif hit.end > current.end:
            current = _Hit(current.start, hit.end, current.known, certain=True)
    if current is not None:
        yield current


def _lower(forms: frozenset[str] | set[str]) -> tuple[str, ...]:
    return tuple(sorted({form.translate(_LOWER) for form in forms}))
