"""A controller in a process of its own that dies at a chosen point of its writing; run by test_crash.

Argument: home. Each line of stdin is one death: the number of a commit, `before` or `after` it, and the run; or `at`, the state
of a cell after whose first writing it dies, and the run.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection

from engine.explore.clock import SystemClock
from engine.explore.desk import Pace
from engine.explore.workshop import Workshop
from engine.store.database import Database
from tests.explore.kit import Bench, writes


class MortalDatabase(Database):
    """Kills its process before or after its nth commit."""

    fatal = 0
    when = "after"
    reached = ("", "")
    commits = 0

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Only the outermost write is a commit."""
        nested = self._writing.get() is not None
        with super().write() as connection:
            yield connection
            if not nested:
                self.commits += 1
                if self.commits == self.fatal and self.when == "before":
                    os.kill(os.getpid(), signal.SIGKILL)
        if not nested and (self.commits == self.fatal or (self.reached[0] and self._reached())):
            os.kill(os.getpid(), signal.SIGKILL)

    def _reached(self) -> bool:
        with self.read() as connection:
            return connection.execute("SELECT 1 FROM cells WHERE state = ? AND run_id = ?", self.reached).fetchone() is not None


def bench(home: Path, database: Database) -> Bench:
    """The same home in every process: two branches of two cells."""
    return Bench(
        home, script=writes(lambda order: float(order.cell.branch + order.cell.attempt)), clock=SystemClock(),
        database=database, options={"pace": Pace(look=30)},
    )  # fmt: skip


def serve(home: Path) -> None:
    """Fork a controller for every line; answer how it ended."""
    for line in sys.stdin:
        number, when, run_id = line.split()
        pid = os.fork()
        if pid == 0:
            database = MortalDatabase.open(home / "state.db")
            assert isinstance(database, MortalDatabase)
            if number == "at":
                database.reached = (when, run_id)
            else:
                database.fatal, database.when = int(number), when
            asyncio.run(Workshop(bench(home, database).desk).run(run_id))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        print("killed" if os.WIFSIGNALED(status) else "ended", flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
