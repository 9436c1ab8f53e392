"""Takes secrets out of everything that is written: text, JSON and bytes.

The rule. A *distinctive* secret (16 characters, or 6 of at least two kinds of letters, digits and marks) is masked wherever it
stands, in every encoding and letter case. Any other one ("1234", a common word) is masked by where it came from: always in
form fields and under parameters and keys with a hidden name; as a whole word elsewhere only once it was typed, and only if
the same word had not been seen before. So an echo is masked, and the site's own "1234" or "Password" stays what it is.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from engine.domain.secret import Secret, Secrets
from engine.record.forms import encoded, inside_base64, wide, written

Json: TypeAlias = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

_BEFORE = r"(?:(?<![\w%\\])|(?<=\\[nrt\"])|(?<=%[0-9A-Fa-f]{2}))(?<!\d[.,])"
_AFTER = r"(?![\w])(?![.,]\d)"
_HIDDEN_KEY = r"[\w.-]*(?:pass|pwd|pin|secret|token|key|otp|code|cvv|cvc)[\w.-]*"
_FIELD = r"\b(?:textbox|searchbox|spinbutton|combobox)\b[^\n]{0,300}?: \\?[\"']?"


def is_distinctive(value: str) -> bool:
    """Whether a value can be told from ordinary text wherever it stands."""
    kinds = {"letter" if char.isalpha() else "digit" if char.isdigit() else "mark" for char in value}
    return len(value) >= 16 or (len(value) >= 6 and len(kinds) >= 2)


class Redactor:
    """Masks the secrets of one run; call it with text. It remembers which short secrets are also the site's own words."""

    def __init__(self, secrets: Secrets) -> None:
        known = [secret for secret in secrets.entries if secret.value.strip()]
        self._everywhere = [(one, _everywhere(one)) for one in known if is_distinctive(one.value)]
        self._in_place = [(one, _in_place(one), _as_word(one)) for one in known if not is_distinctive(one.value)]
        self._wide = [(form, one) for one in known if len(one.value) >= 6 for form in wide(one.value)]
        self._typed: set[str] = set()
        self._native: set[str] = set()

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        for secret, pattern in self._everywhere:
            text = pattern.sub(lambda _found, mask=secret.placeholder: mask, text)  # type: ignore[misc]
        for secret, place, word in self._in_place:
            text = place.sub(lambda found, mask=secret.placeholder: f"{found['lead']}{mask}", text)  # type: ignore[misc]
            self._learn(secret, word, text)
            if secret.name in self._typed and secret.name not in self._native:
                text = word.sub(lambda _found, mask=secret.placeholder: mask, text)  # type: ignore[misc]
        return text

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

    def found_in(self, content: bytes) -> tuple[str, ...]:
        """Names of the secrets that these bytes hold; for the leak gate, so it changes nothing."""
        names = (
            secret.name for secret, pattern in self._patterns() if pattern.search(content.decode("utf-8", "surrogateescape"))
        )
        return tuple(dict.fromkeys([*names, *(secret.name for form, secret in self._wide if form in content)]))

    def _patterns(self) -> list[tuple[Secret, re.Pattern[str]]]:
        short = [(secret, place) for secret, place, _word in self._in_place]
        echoed = self._typed - self._native
        words = [(secret, word) for secret, _place, word in self._in_place if secret.name in echoed]
        return [*self._everywhere, *short, *words]

    def _learn(self, secret: Secret, word: re.Pattern[str], text: str) -> None:
        if secret.name in self._typed:
            return
        if re.search(r'"intent".*"type".*' + re.escape(secret.placeholder), text):
            self.typed(secret.name)
        elif word.search(text):
            self._native.add(secret.name)

    def _under(self, key: str, item: Json) -> Json:
        if isinstance(item, str) and re.fullmatch(_HIDDEN_KEY, key, re.IGNORECASE):
            short = next((secret for secret, _place, _word in self._in_place if secret.value == item), None)
            return short.placeholder if short else self(item)
        return self.json(item)


def _everywhere(secret: Secret) -> re.Pattern[str]:
    return re.compile(_any(written(secret.value) | encoded(secret.value) | inside_base64(secret.value)), re.IGNORECASE)


def _in_place(secret: Secret) -> re.Pattern[str]:
    """Form fields of a snapshot, `pin=…` and `"pin": "…"`; and its encodings, which no site writes by chance."""
    value = _any(written(secret.value))
    lead = rf"{_FIELD}|(?<![\w.-]){_HIDDEN_KEY}\\?[\"']?\s?[=:]\s?\\?[\"']?"
    alone = _any({form for form in encoded(secret.value) if len(form) >= 8 and not form.isdigit()})
    return re.compile(rf"(?P<lead>{lead})(?:{value}){_AFTER}|(?P<none>){_BEFORE}(?:{alone})(?![\w=])", re.IGNORECASE)


def _as_word(secret: Secret) -> re.Pattern[str]:
    return re.compile(f"{_BEFORE}(?:{_any(written(secret.value))}){_AFTER}")


def _any(forms: frozenset[str] | set[str]) -> str:
    return "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)) or r"(?!)"
