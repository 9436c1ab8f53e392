"""Secrets by name: the model and every record see `{{secret.NAME}}`, only the actor and the redactor see the value."""

import re
from dataclasses import dataclass, field

from engine.domain.url import START_PAGE, origin_of
from engine.domain.verdict import Facts

HIDDEN_NAME = re.compile(r"pass|pwd|pin\b|secret|token|key|otp|code|cvv|cvc", re.IGNORECASE)
PLACEHOLDER = re.compile(r"\{\{secret\.([A-Za-z][A-Za-z0-9_]*)\}\}")


@dataclass(frozen=True)
class Secret:
    """A value that may be typed only on its origins; its repr does not show it."""

    name: str
    value: str = field(repr=False)
    origins: tuple[str, ...] = ()
    clear: bool = False  # may be typed into a field that shows it

    @property
    def placeholder(self) -> str:
        """What stands for the value everywhere but in the browser."""
        return f"{{{{secret.{self.name}}}}}"


@dataclass
class Secrets:
    """All secrets of one run; a person who shows the work may type one that nobody knew before."""

    entries: tuple[Secret, ...] = ()

    def learn(self, secret: Secret) -> None:
        """One more."""
        self.entries = (*self.entries, secret)

    def named(self, name: str) -> Secret | None:
        """The secret of that name, or None."""
        return next((secret for secret in self.entries if secret.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Names only: all that a prompt may hold."""
        return tuple(secret.name for secret in self.entries)


def may_type(secret: Secret, facts: Facts) -> str | None:
    """None when the secret may be typed there, else a sentence: another origin, a foreign frame, or a field that shows it.

    A field that shows what is typed is allowed for a secret declared `clear`, and for a user name beside a password field of
    the same form; a secret whose own name says that it is hidden (a password, PIN, token) is no user name.
    """
    here = {origin(facts.page_url), origin(facts.frame_url or facts.page_url)}
    foreign = here - {origin(bound) for bound in secret.origins}
    if foreign or not secret.origins:
        bound = ", ".join(secret.origins) or "no origin"
        return f"The secret {secret.name} is bound to {bound} and is not typed on {', '.join(sorted(foreign))}."
    user_name = facts.form_password and not HIDDEN_NAME.search(secret.name)
    if facts.input_type != "password" and not secret.clear and not user_name:
        declare = "declare it `clear: true` in the policy if it may be"
        return f"The secret {secret.name} is not typed into a field that shows it; {declare}."
    return None


def origin(url: str) -> str:
    """Scheme, host and port of a URL; a page's own srcdoc and blob frames have none and count as foreign."""
    found = origin_of(url) if url != START_PAGE and not url.startswith("blob:") else None
    return str(found) if found else url[:200]
