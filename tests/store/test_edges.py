"""The legal edges: one table in Python, the same in SQL, and no way around it."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from engine.domain.exploration import ApprovalState, CellState, RunState
from engine.errors import IllegalTransition, IntegrityChanged, StoreError
from engine.store import chain
from engine.store.database import Database
from tests.store.edges import EDGES, legal


def seeded(folder: Path) -> Database:
    """One run, one cell, one approval, in their first states."""
    database = Database.open(folder / "a.db")
    with database.write() as connection:
        connection.execute(
            "INSERT INTO explorations (run_id, requester, agent_id, request_json, request_sha256, state, created_ms)"
            " VALUES ('r', 'u', 'a', '{}', 'h', 'pending_approval', 1)"
        )
        connection.execute(
            "INSERT INTO cells (run_id, cell_id, round, branch, attempt, state, seed)"
            " VALUES ('r', 'r1-b0-a0', 1, 0, 0, 'planned', 1)"
        )
        connection.execute("INSERT INTO exploration_approvals VALUES ('q', 'r', 'h', 'pending', 'u', 1, 2)")
        for approve in (0, 1):
            connection.execute("INSERT OR IGNORE INTO exploration_receipts VALUES ('q', 'h', ?, 'm', 1, '', '')", (approve,))
    return database


def test_sql_holds_the_same_table(tmp_path: Path) -> None:
    """Not an edge more or less."""
    with seeded(tmp_path).read() as connection:
        rows = {(row[0], row[1], row[2]) for row in connection.execute("SELECT * FROM legal_edges")}
    assert rows == {(machine, source, target) for machine, edges in EDGES.items() for source, target in edges}


@pytest.mark.parametrize(("machine", "states"), [("run", RunState), ("cell", CellState), ("approval", ApprovalState)])
def test_every_state_is_on_an_edge_and_every_edge_is_between_states(machine: str, states: object) -> None:
    """Nothing in the table that is not a state, no state that the table forgot."""
    named = {state for edge in EDGES[machine] for state in edge}  # type: ignore[index]
    assert named == set(get_args(states))


class EdgeMachine(RuleBasedStateMachine):
    """Tries any state after any other; SQL lets pass exactly what the table holds."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.database = seeded(Path(self._folder.name))
        self.run, self.cell, self.approval = "pending_approval", "planned", "pending"

    def teardown(self) -> None:
        """Remove the folder."""
        self.database.close()
        self._folder.cleanup()

    @rule(to=st.sampled_from(get_args(RunState)), status=st.sampled_from(["complete", "cancelled"]))
    def move_run(self, to: str, status: str) -> None:
        """The run's machine; a terminal run has a status, others have none."""
        extra = f", status = '{status}'" if to == "terminal" else ""
        extra += ", cancel_code = 'cancelled_by_user'" if extra and status == "cancelled" else ""
        expected = to != self.run and legal("run", self.run, to)
        same = to == self.run and self.run != "terminal"
        if self._try(f"UPDATE explorations SET state = '{to}'{extra}", expected or same) and expected:
            self.run = to

    @rule(to=st.sampled_from(get_args(CellState)))
    def move_cell(self, to: str) -> None:
        """The cell's machine."""
        score = ", score = 1.0" if to == "valid" else ""
        if self._try(f"UPDATE cells SET state = '{to}'{score}", to == self.cell or legal("cell", self.cell, to)):
            self.cell = to

    @rule(to=st.sampled_from(get_args(ApprovalState)))
    def move_approval(self, to: str) -> None:
        """The approval's machine; its receipt denies, so approved is never legal."""
        allowed = to == self.approval or (legal("approval", self.approval, to) and to != "approved")
        if to == self.approval == "approved":
            allowed = True
        if self._try(f"UPDATE exploration_approvals SET state = '{to}'", allowed):
            self.approval = to

    @invariant()
    def they_are_where_the_table_says(self) -> None:
        """The rows hold what the model holds."""
        with self.database.read() as connection:
            row = connection.execute(
                "SELECT e.state, c.state, q.state FROM explorations e, cells c, exploration_approvals q"
            ).fetchone()
        assert tuple(row) == (self.run, self.cell, self.approval)

    def _try(self, statement: str, allowed: bool) -> bool:
        try:
            with self.database.write() as connection:
                connection.execute(statement)
        except StoreError:
            assert not allowed, statement
            return False
        assert allowed, statement
        return True


EdgeMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestEdgeMachine = EdgeMachine.TestCase


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM explorations",
        "DELETE FROM cells",
        "UPDATE explorations SET request_json = '{\"x\":1}'",
        "UPDATE exploration_receipts SET approve = 1",
        "DELETE FROM exploration_receipts",
        "INSERT INTO cells (run_id, cell_id, round, branch, attempt, state, seed)"
        " VALUES ('r', 'r1-b1-a0', 1, 1, 0, 'valid', 1)",
        "INSERT INTO explorations (run_id, requester, agent_id, request_json, request_sha256, state, created_ms)"
        " VALUES ('s', 'u', 'a', '{}', 'h', 'exploring', 1)",
    ],
)
def test_history_cannot_be_rewritten(tmp_path: Path, statement: str) -> None:
    """Removal, changes of what is frozen, and births in a later state are illegal."""
    with pytest.raises(IllegalTransition), seeded(tmp_path).write() as connection:
        connection.execute(statement)


def test_a_cancel_that_was_written_cannot_be_overwritten_by_a_success(tmp_path: Path) -> None:
    """SQL itself holds a cancelled run to the status cancelled."""
    database = seeded(tmp_path)
    with database.write() as connection:
        connection.execute("UPDATE explorations SET cancel_code = 'cancelled_by_user'")
    with pytest.raises(StoreError), database.write() as connection:
        connection.execute("UPDATE explorations SET state = 'terminal', status = 'complete'")


def test_the_chain_shows_any_change(tmp_path: Path) -> None:
    """Triggers refuse changes; with the triggers gone the hashes still tell."""
    database = seeded(tmp_path)
    with database.write() as connection:
        for number in range(5):
            chain.append(connection, "r", number, "note", body={"n": number})
        assert chain.verify(connection, "r") == 5
    with pytest.raises(IllegalTransition), database.write() as connection:
        connection.execute("UPDATE exploration_events SET at_ms = 9 WHERE seq = 3")
    for harm in ("UPDATE exploration_events SET at_ms = 9 WHERE seq = 3", "DELETE FROM exploration_events WHERE seq = 2"):
        raw = sqlite3.connect(tmp_path / "a.db")
        raw.execute("DROP TRIGGER IF EXISTS events_written_once")
        raw.execute("DROP TRIGGER IF EXISTS events_stay")
        raw.execute(harm)
        with pytest.raises(IntegrityChanged, match="event"):
            raw.row_factory = sqlite3.Row
            chain.verify(raw, "r")
        raw.rollback()
        raw.close()
    database.close()
