from pathlib import Path

import pytest

from engine.access.roles import ALL_ROLES, rights_of
from engine.access.sessions import ATTEMPT_SECONDS, LINK_SECONDS, SESSION_SECONDS, Attempts, Links, Sessions, form_token
from engine.access.users import User, local_user


class Clock:
    """Stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_session_ends_by_itself_and_by_its_user() -> None:
    """After twelve hours, or at once."""
    clock = Clock()
    sessions = Sessions(clock)
    first, second = sessions.start("mona", local=False), sessions.start("mona", local=False)
    assert first != second and len(first) * 6 >= 128
    sessions.end(second)
    assert sessions.get(second) is None and sessions.get(first) is not None
    clock.now += SESSION_SECONDS
    assert sessions.get(first) is None and sessions.get("") is None


def test_a_file_of_sessions_that_is_none_lets_nobody_in(tmp_path: Path) -> None:
    """Everybody signs in again; nothing breaks."""
    file = tmp_path / "sessions.json"
    for content in (b"", b"[]", b"\xff", b'{"x": {"user": "mona"}}'):
        file.write_bytes(content)
        sessions = Sessions(Clock(), file)
        assert sessions.get("x") is None
        assert sessions.get(sessions.start("mona", local=False)) is not None


def test_a_link_is_good_once_and_for_an_hour() -> None:
    """Used, too old or never made: refused."""
    clock = Clock()
    links = Links(clock)
    first, second = links.make(), links.make()
    assert links.use(first) and not links.use(first)
    clock.now += LINK_SECONDS
    assert not links.use(second) and not links.use("never made")


def test_attempts_are_allowed_again_after_some_minutes() -> None:
    """The fifth failure shuts the name, not the machine; time and success open it."""
    clock = Clock()
    attempts = Attempts(clock)
    for _ in range(5):
        assert attempts.wait("name:mona", "from:1") == 0
        attempts.failed("name:mona", "from:1")
    assert attempts.wait("name:mona", "from:1") == pytest.approx(ATTEMPT_SECONDS)
    assert attempts.wait("name:max", "from:1") == 0
    clock.now += ATTEMPT_SECONDS
    assert attempts.wait("name:mona", "from:1") == 0
    for _ in range(30):
        attempts.failed("name:somebody", "from:2")
    assert attempts.wait("name:other", "from:2") > 0
    attempts.succeeded("from:2")
    assert attempts.wait("name:other", "from:2") == 0


def test_form_tokens_differ_by_session() -> None:
    """And say nothing of the session's own token."""
    assert form_token("a") != form_token("b") and "a" * 8 not in form_token("a" * 8)


def test_rights_follow_the_table() -> None:
    """Only managers decide, viewers only look, and who started the server may do everything."""
    assert rights_of(["viewer"]) == {"see"}
    assert "decide" in rights_of(["manager"]) and "decide" not in rights_of(["operator", "requester"])
    assert local_user("ann").rights == rights_of(ALL_ROLES)
    assert local_user("odd name\n<b>").name == "oddnameb" and local_user("").name == "local"


def test_a_password_in_clear_is_refused() -> None:
    """config.toml holds hashes only, and no listing shows even those."""
    with pytest.raises(ValueError, match="argon2"):
        User.model_validate({"name": "mona", "password": "hunter2", "roles": ["viewer"]})
    shown = repr(User.model_validate({"name": "mona", "password": "$argon2id$x", "roles": ["viewer"]}))
    assert "argon2" not in shown
