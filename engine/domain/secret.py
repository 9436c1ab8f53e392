"""Secrets by name: the model and every record see `{{secret.NAME}}`, only the actor and the redactor see the value."""

import re
from dataclasses import dataclass, field

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
