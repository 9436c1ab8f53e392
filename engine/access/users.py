"""A user as config.toml names one, and the person who started the server."""

from pydantic import Field, field_validator

from engine.access.roles import ALL_ROLES, Right, Role, rights_of
from engine.domain.frozen import Frozen


class User(Frozen):
    """One `[[users]]` table: a name, an argon2 hash (`discover password` makes one), and roles."""

    name: str = Field(pattern=r"^[\w.@-]{1,64}$")
    password: str = Field(default="", repr=False)
    roles: frozenset[Role] = Field(min_length=1)

    @field_validator("password")
    @classmethod
    def _hashed(cls, text: str) -> str:
        if text and not text.startswith("$argon2"):
            raise ValueError("a password is kept as an argon2 hash; `discover password` makes one")
        return text

    @property
    def rights(self) -> frozenset[Right]:
        """What the user may do."""
        return rights_of(self.roles)


def local_user(name: str) -> User:
    """Whoever started the server and holds its one-time link: all roles, no password."""
    return User(name="".join(char for char in name if char.isalnum() or char in "._@-")[:64] or "local", roles=ALL_ROLES)
