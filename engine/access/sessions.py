"""Sessions, one-time links and the limit on login attempts; only hashes of tokens are kept."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from engine.domain.frozen import Frozen

SESSION_SECONDS = 12 * 3600.0
LINK_SECONDS = 3600.0
ATTEMPTS = {"name": 5, "from": 30}
"""So many failures within ATTEMPT_SECONDS, by kind of key; one machine may hold several people who mistype."""
ATTEMPT_SECONDS = 300.0

Clock = Callable[[], float]
"""Seconds since the epoch."""


class Session(Frozen):
    """Somebody who is signed in; `local` for the holder of a one-time link."""

    user: str
    local: bool
    until: float


_BOOK = TypeAdapter(dict[str, Session])


class Sessions:
    """Sessions by token. With a file they outlive the server, so that open pages recover when it is restarted."""

    def __init__(self, clock: Clock, file: Path | None = None) -> None:
        self._clock = clock
        self._file = file
        self._book = _read(file) if file else {}

    def start(self, user: str, *, local: bool) -> str:
        """A new token of 256 bits."""
        token = secrets.token_urlsafe(32)
        self._book[hashed(token)] = Session(user=user, local=local, until=self._clock() + SESSION_SECONDS)
        self._keep()
        return token

    def get(self, token: str) -> Session | None:
        """The session of a token that was started, not ended and not too old."""
        session = self._book.get(hashed(token)) if token else None
        return session if session and session.until > self._clock() else None

    def end(self, token: str) -> None:
        """Dead from now on."""
        if self._book.pop(hashed(token), None):
            self._keep()

    def _keep(self) -> None:
        now = self._clock()
        self._book = {name: session for name, session in self._book.items() if session.until > now}
        if self._file is None:
            return
        self._file.parent.mkdir(parents=True, exist_ok=True)
        part = self._file.with_suffix(".part")
        part.touch(mode=0o600)
        part.chmod(0o600)
        part.write_bytes(_BOOK.dump_json(self._book))
        part.replace(self._file)


class Links:
    """One-time links: each token signs in once, within an hour."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._open: dict[str, float] = {}

    def make(self) -> str:
        """A new token; those made before stay good until they are used or too old."""
        token = secrets.token_urlsafe(32)
        self._open[hashed(token)] = self._clock() + LINK_SECONDS
        return token

    def use(self, token: str) -> bool:
        """True exactly once for a token."""
        until = self._open.pop(hashed(token), 0.0)
        return until > self._clock()


class Attempts:
    """Counts failed logins by name and by address; too many within some minutes, and the next is not even looked at."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failed: dict[str, list[float]] = {}

    def wait(self, *keys: str) -> float:
        """Seconds until another attempt is allowed, 0 when it is now. Keys are `name:…` and `from:…`."""
        now = self._clock()
        waits = [0.0]
        for key in keys:
            recent = [at for at in self._failed.get(key, ()) if at > now - ATTEMPT_SECONDS]
            if recent:
                self._failed[key] = recent
            else:
                self._failed.pop(key, None)
            most = ATTEMPTS[key.partition(":")[0]]
            if len(recent) >= most:
                waits.append(recent[-most] + ATTEMPT_SECONDS - now)
        return max(waits)

    def failed(self, *keys: str) -> None:
        """One more."""
        for key in keys:
            self._failed.setdefault(key, []).append(self._clock())

    def succeeded(self, *keys: str) -> None:
        """Forget the failures of these."""
        for key in keys:
            self._failed.pop(key, None)


def hashed(token: str) -> str:
    """How a token is kept."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_token(session_token: str) -> str:
    """What every form of a session carries; worthless in any other session."""
    return hmac.new(session_token.encode(), b"form", "sha256").hexdigest()


def _read(file: Path) -> dict[str, Session]:
    """A file that is not there or not readable is an empty book: everybody signs in again."""
    try:
        return _BOOK.validate_json(file.read_bytes())
    except (OSError, ValidationError, json.JSONDecodeError):
        return {}
