"""Registered evaluators: which name stands for which pinned hash."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from engine.errors import NotFound
from engine.store.database import Database
from engine.store.ledger import Now

RegistrationState: TypeAlias = Literal["registered", "superseded", "revoked"]


@dataclass(frozen=True, slots=True)
class Registration:
    """One registration; `declaration_json` is the parsed declaration, `noise` the spread of the good fixture's scores."""

    name: str
    hash: str
    state: RegistrationState
    directory: Path
    declaration_json: str
    noise: float
    registered_by: str
    registered_ms: int


class EvaluatorStore:
    """At most one current registration a name; older ones are kept, so that a score can be traced to what gave it."""

    def __init__(self, database: Database, now: Now) -> None:
        self._database = database
        self._now = now

    def register(self, name: str, pinned: str, directory: Path, declaration_json: str, noise: float, by: str) -> None:
        """Make this the current registration of the name."""
        with self._database.write() as connection:
            connection.execute("UPDATE evaluators SET state = 'superseded' WHERE name = ? AND state = 'registered'", (name,))
            connection.execute(
                "INSERT OR REPLACE INTO evaluators VALUES (?, ?, 'registered', ?, ?, ?, ?, ?)",
                (name, pinned, str(directory), declaration_json, noise, by, self._now()),
            )

    def current(self, name: str) -> Registration:
        """The current registration; raises NotFound, also when it was revoked."""
        for registration in self.list():
            if registration.name == name and registration.state == "registered":
                return registration
        raise NotFound(f"no evaluator {name} is registered")

    def revoke(self, name: str) -> None:
        """No new run may use it and running ones end; raises NotFound."""
        self.current(name)
        with self._database.write() as connection:
            connection.execute("UPDATE evaluators SET state = 'revoked' WHERE name = ? AND state = 'registered'", (name,))

    def list(self) -> tuple[Registration, ...]:
        """All registrations, by name, newest first."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT * FROM evaluators ORDER BY name, registered_ms DESC").fetchall()
        return tuple(
            Registration(
                row["name"], row["hash"], row["state"], Path(row["directory"]), row["declaration_json"], row["noise"],
                row["registered_by"], row["registered_ms"],
            )
            for row in rows
        )  # fmt: skip
