"""Who is signed in, and for how long without a sign of life."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass

DEMO_USER = "teller1"
DEMO_PASSWORD = "harbor-Tide-42"
_PASSWORDS = {DEMO_USER: DEMO_PASSWORD}


@dataclass(slots=True)
class Session:
    """One signed-in teller; `message` is shown on the next page and then gone."""

    token: str
    teller: str
    last_seen: float
    message: str = ""

    def take_message(self) -> str:
        """The message, once."""
        message, self.message = self.message, ""
        return message


class Sessions:
    """Open sessions by token; one that was idle for `seconds` is over."""

    def __init__(self, seconds: float, clock: Callable[[], float]) -> None:
        self._seconds = seconds
        self._clock = clock
        self._open: dict[str, Session] = {}

    def sign_in(self, user: str, password: str) -> Session | None:
        """A new session, or nothing when user and password do not belong together."""
        expected = _PASSWORDS.get(user)
        if expected is None or not secrets.compare_digest(expected.encode(), password.encode()):
            return None
        session = Session(secrets.token_urlsafe(24), user, self._clock())
        self._open[session.token] = session
        return session

    def find(self, token: str) -> Session | None:
        """The session of this token if it is still open; finding it keeps it open."""
        session = self._open.get(token)
        if session is None:
            return None
        if self._clock() - session.last_seen >= self._seconds:
            self.end(token)
            return None
        session.last_seen = self._clock()
        return session

    def end(self, token: str) -> None:
        """Close one session; an unknown token is fine."""
        self._open.pop(token, None)

    def end_all(self) -> None:
        """Close every session, as if all had been idle too long."""
        self._open.clear()
