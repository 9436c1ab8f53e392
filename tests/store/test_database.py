"""The database file: transactions, migrations, refusals."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import IllegalTransition, StoreError, StoreNewer
from engine.store.database import Database

PLAIN = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;\n"
GUARDED = """CREATE TRIGGER notes_stay BEFORE UPDATE ON notes
BEGIN
    SELECT RAISE(ABORT, 'illegal change of a note');
END;
"""


def folder(tmp_path: Path, **files: str) -> Path:
    """A schema folder with these migrations."""
    at = tmp_path / "schema"
    at.mkdir(exist_ok=True)
    for name, sql in files.items():
        (at / f"{name.removeprefix('m')}.sql").write_text(sql)
    return at


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    """An exception inside a write undoes all of it."""
    database = Database.open(tmp_path / "a.db", schema=folder(tmp_path, m001_notes=PLAIN))
    with pytest.raises(RuntimeError), database.write() as connection:
        connection.execute("INSERT INTO notes (text) VALUES ('lost')")
        raise RuntimeError
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone()[0] == 0
    database.close()


def test_a_nested_write_joins_the_outer_one(tmp_path: Path) -> None:
    """Two stores can share one transaction: both rows or none."""
    database = Database.open(tmp_path / "a.db", schema=folder(tmp_path, m001_notes=PLAIN))
    with pytest.raises(RuntimeError), database.write():
        with database.write() as inner:
            inner.execute("INSERT INTO notes (text) VALUES ('lost')")
        with database.read() as seen:
            assert seen.execute("SELECT count(*) FROM notes").fetchone()[0] == 1
        raise RuntimeError
    with database.read() as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone()[0] == 0
    database.close()


def test_a_refused_edge_is_an_illegal_transition(tmp_path: Path) -> None:
    """What a trigger calls illegal is the engine's IllegalTransition, other constraints are store errors."""
    schema = folder(tmp_path, m001_notes=PLAIN, m002_guard=GUARDED)
    database = Database.open(tmp_path / "a.db", schema=schema)
    with database.write() as connection:
        connection.execute("INSERT INTO notes VALUES (1, 'one')")
    with pytest.raises(IllegalTransition), database.write() as connection:
        connection.execute("UPDATE notes SET text = 'two'")
    with pytest.raises(StoreError, match="UNIQUE"), database.write() as connection:
        connection.execute("INSERT INTO notes VALUES (1, 'again')")
    database.close()


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    """A database with a migration we do not know is left alone."""
    Database.open(tmp_path / "a.db", schema=folder(tmp_path, m001_notes=PLAIN, m002_guard=GUARDED)).close()
    older = tmp_path / "older"
    older.mkdir()
    (older / "001_notes.sql").write_text(PLAIN)
    with pytest.raises(StoreNewer):
        Database.open(tmp_path / "a.db", schema=older)


def test_a_schema_changed_by_hand_is_refused(tmp_path: Path) -> None:
    """A table that nobody migrated in is noticed at open."""
    schema = folder(tmp_path, m001_notes=PLAIN)
    Database.open(tmp_path / "a.db", schema=schema).close()
    with sqlite3.connect(tmp_path / "a.db") as raw:
        raw.execute("CREATE TABLE sneaked (x)")
    raw.close()
    with pytest.raises(StoreError, match="by hand"):
        Database.open(tmp_path / "a.db", schema=schema)


def test_a_migration_changed_after_use_is_refused(tmp_path: Path) -> None:
    """The file that was applied must still be the file we have."""
    schema = folder(tmp_path, m001_notes=PLAIN)
    Database.open(tmp_path / "a.db", schema=schema).close()
    folder(tmp_path, m001_notes=PLAIN + "-- later\n")
    with pytest.raises(StoreError, match="changed after"):
        Database.open(tmp_path / "a.db", schema=schema)


def test_a_broken_migration_changes_nothing(tmp_path: Path) -> None:
    """A migration that fails halfway is undone whole and can be tried again."""
    schema = folder(tmp_path, m001_notes=PLAIN, m002_bad="CREATE TABLE half (x) STRICT;\nCREATE TABLE ok (x TEXT) STRICT;\n")
    with pytest.raises(StoreError):
        Database.open(tmp_path / "a.db", schema=schema)
    (schema / "002_bad.sql").unlink()
    database = Database.open(tmp_path / "a.db", schema=schema)
    with database.read() as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == {"notes", "schema_migrations"}
    database.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """Somebody else's file is not overwritten."""
    (tmp_path / "a.db").write_text("dear diary, " * 100)
    with pytest.raises(StoreError):
        Database.open(tmp_path / "a.db")
    assert (tmp_path / "a.db").read_text().startswith("dear diary")


def test_the_settings_that_durability_rests_on(tmp_path: Path) -> None:
    """WAL, FULL, foreign keys, and only the owner may read."""
    database = Database.open(tmp_path / "a.db")
    with database.read() as connection:
        asked = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")]
    assert asked == ["wal", 2, 1]
    assert (tmp_path / "a.db").stat().st_mode & 0o777 == 0o600
    database.close()


def test_a_backup_is_a_whole_database_and_overwrites_nothing(tmp_path: Path) -> None:
    """The copy holds what was written; an existing file is kept."""
    schema = folder(tmp_path, m001_notes=PLAIN)
    database = Database.open(tmp_path / "a.db", schema=schema)
    with database.write() as connection:
        connection.execute("INSERT INTO notes VALUES (1, 'kept')")
    database.backup(tmp_path / "b.db")
    copy = Database.open(tmp_path / "b.db", schema=schema)
    with copy.read() as connection:
        assert connection.execute("SELECT text FROM notes").fetchone()[0] == "kept"
    with pytest.raises(StoreError):
        database.backup(tmp_path / "b.db")
    copy.close()
    database.close()


def test_many_processes_may_open_a_new_home_at_once(tmp_path: Path) -> None:
    """Six processes create and migrate the same file together; all succeed."""
    program = "import sys; from pathlib import Path; from engine.store.database import Database as D; D.open(Path(sys.argv[1]))"
    children = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "a.db")]) for _ in range(6)]
    assert [child.wait(60) for child in children] == [0] * 6
