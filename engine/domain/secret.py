"""Secrets by name: the model and every record see `{{secret.NAME}}`, only the actor and the redactor see the value."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from engine.domain.verdict import Facts

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


@dataclass(frozen=True)
class Secrets:
    """All secrets of one run."""

    entries: tuple[Secret, ...] = ()

    def named(self, name: str) -> Secret | None:
        """The secret of that name, or None."""
        return next((secret for secret in self.entries if secret.name == name), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Names only: all that a prompt may hold."""
        return tuple(secret.name for secret in self.entries)


def may_type(secret: Secret, facts: Facts) -> str | None:
    """None when the secret may be typed there, else a sentence: another origin, a foreign frame, or a field that shows it.

    A field that shows what is typed is allowed for a secret declared `clear`, and beside a password field of the same form
    (a user name).
    """
    here = {origin(facts.page_url), origin(facts.frame_url or facts.page_url)}
    foreign = here - set(secret.origins)
    if foreign:
        bound = ", ".join(secret.origins) or "no origin"
        return f"The secret {secret.name} is bound to {bound} and is not typed on {', '.join(sorted(foreign))}."
    if facts.input_type != "password" and not secret.clear and not facts.form_password:
        declare = "declare it `clear: true` in the policy if it may be"
        return f"The secret {secret.name} is not typed into a field that shows it; {declare}."
    return None


def origin(url: str) -> str:
    """Scheme, host and port of a URL that the browser itself reported."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
