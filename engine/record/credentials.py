"""Credentials that someone wrote into a goal: found, made secrets, and taken out of the goal before anything keeps it."""

import re
from dataclasses import dataclass

from engine.domain.secret import PLACEHOLDER, Secret

_VALUE = r"""(?:"(?P<{0}a>[^"\n]+)"|'(?P<{0}b>[^'\n]+)'|“(?P<{0}c>[^”\n]+)”|`(?P<{0}d>[^`\n]+)`|(?P<{0}e>[^\s"'“`]+))"""
_PASSWORD = r"(?:pass(?:word|code|phrase)?|pwd|pw|pin(?:\s+code)?|passwort|kennwort|contraseña|mot\s+de\s+passe|senha)"
_USER = (
    r"(?:user(?:\s?-?name|\s?id)?|login(?:\s+name)?|e-?mail(?:\s+address)?|account\s+name"
    r"|benutzer(?:name)?|usuario|utilisateur)"
)
_LOG_IN = r"\b(?:log|sign)(?:\s?-?\s?in|\s?-?\s?on)\b"
_IS = r"(?:\s*(?:[:=]|\bis\b|\bto\b)\s*)"
_INTO = r"(?:with|and|using|und|mit|con|y|avec|et|,|/|;|\()"
_THE = r"(?:the\s+|a\s+|my\s+)?"

_PASSWORDS = (
    re.compile(rf"\b{_PASSWORD}\b{_IS}{_VALUE.format('p')}", re.IGNORECASE),
    re.compile(rf"(?:\b|(?<=\W)){_INTO}\s*{_THE}{_PASSWORD}\s+{_VALUE.format('p')}", re.IGNORECASE),
)
_USERS = (
    re.compile(rf"\b{_USER}\b{_IS}{_VALUE.format('u')}", re.IGNORECASE),
    re.compile(rf"(?:\bas\s+|\b{_INTO}\s+|[,/;(]\s*){_THE}{_USER}\s+{_VALUE.format('u')}", re.IGNORECASE),
    re.compile(rf"{_LOG_IN}[^.\n]{{0,80}}?\bas\s+{_THE}(?:{_USER}\s+)?{_VALUE.format('u')}", re.IGNORECASE),
    re.compile(rf"{_LOG_IN}\s+(?:with|using)\s+{_VALUE.format('u')}\s*(?:and|,|/)\s*{_THE}{_PASSWORD}", re.IGNORECASE),
)
_PAIR = re.compile(
    rf"(?:\bcredentials?|{_LOG_IN}(?:\s+(?:as|with|using))?(?:\s+credentials?)?)\s*:?\s+"
    r"(?P<u>[\w.@+-]{2,})\s*[/:]\s*(?P<p>[^\s/,;]{3,})",
    re.IGNORECASE,
)
_NOT_A_VALUE = frozenset(
    {
        "a", "an", "and", "as", "at", "be", "box", "button", "by", "field", "fields", "for", "form", "forgot", "from", "has",
        "her", "his", "in", "input", "into", "is", "it", "link", "name", "of", "on", "or", "page", "password", "passwords",
        "pin", "policy", "prompt", "reset", "so", "that", "the", "their", "then", "to", "user", "username", "was", "which",
        "with", "your", "my", "given", "provided", "secret", "stored", "saved", "correct", "right", "wrong", "invalid",
    }
)  # fmt: skip
_TAIL = ".,;:?)"


@dataclass(frozen=True)
class Found:
    """A goal with placeholders, and the secrets that they stand for."""

    goal: str
    secrets: tuple[Secret, ...] = ()


def take_credentials(goal: str, taken: tuple[str, ...] = ()) -> Found:
    """Find user names and passwords written in a goal. `taken` are names of secrets that exist already.

    A user name alone is no secret; beside a password it is one that may be shown in a clear field.
    """
    pairs = [(match["u"], match["p"].rstrip(_TAIL)) for match in _PAIR.finditer(goal)]
    pairs = [pair for pair in pairs if not {part.lower() for part in pair} & _NOT_A_VALUE]
    passwords = [*_values(_PASSWORDS, goal, "p"), *(password for _, password in pairs)]
    if not passwords:
        return Found(goal)
    users = [*_values(_USERS, goal, "u"), *(user for user, _ in pairs)]
    names = set(taken)
    secrets: list[Secret] = []
    for value in dict.fromkeys(passwords):
        secrets.append(Secret(_free("password", names), value))
    for value in dict.fromkeys(user for user in users if not any(password in user for password in passwords)):
        secrets.append(Secret(_free("user", names), value, clear=True))
    for secret in sorted(secrets, key=lambda one: -len(one.value)):
        goal = _without(goal, secret)
    return Found(goal, tuple(secret for secret in secrets if secret.placeholder in goal))


def _values(patterns: tuple[re.Pattern[str], ...], goal: str, group: str) -> list[str]:
    found = []
    for pattern in patterns:
        for match in pattern.finditer(goal):
            quoted = next((match[group + letter] for letter in "abcd" if match[group + letter]), None)
            value = quoted or (match[group + "e"] or "").rstrip(_TAIL)
            if value and (quoted or value.lower() not in _NOT_A_VALUE) and not PLACEHOLDER.search(value):
                found.append(value)
    return found


def _free(name: str, names: set[str]) -> str:
    number = 1
    while (candidate := name if number == 1 else f"{name}{number}") in names:
        number += 1
    names.add(candidate)
    return candidate


def _without(goal: str, secret: Secret) -> str:
    pattern = rf"(?<![\w{{.]){re.escape(secret.value)}(?![\w}}])"
    return re.sub(pattern, lambda _match: secret.placeholder, goal)
