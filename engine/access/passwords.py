"""Passwords: hashed with argon2, checked in the same time whether the name exists or not."""

from collections.abc import Iterable
from functools import cached_property

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.access.users import User


class Users:
    """The users of one installation."""

    def __init__(self, users: Iterable[User] = ()) -> None:
        self._by_name = {user.name: user for user in users}
        self._hasher = PasswordHasher()

    @cached_property
    def _nobody(self) -> str:
        """What a password is checked against where there is nothing to check it against."""
        return self._hasher.hash("no such user")

    def __len__(self) -> int:
        return len(self._by_name)

    def named(self, name: str) -> User | None:
        """The user of that name, or None."""
        return self._by_name.get(name)

    def check(self, name: str, password: str) -> User | None:
        """The user when the password is right. Blocks for some tenths of a second: call it in a thread."""
        user = self._by_name.get(name)
        try:
            self._hasher.verify(user.password if user and user.password else self._nobody, password)
        except (VerificationError, InvalidHashError):
            return None
        return user if user is not None and user.password else None


def hashed(password: str) -> str:
    """A password as config.toml keeps it."""
    return PasswordHasher().hash(password)
