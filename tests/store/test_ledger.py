"""The money book: the invariant under every order of events, and at the edge between two processes."""

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from engine.domain.cost import Admitted, Refused
from engine.domain.usage import Usage
from engine.errors import NotFound, StoreError
from engine.store.database import Database
from engine.store.ledger import Ledger

RUN = "run"


@contextmanager
def book(calls: int, micros: int) -> Iterator[tuple[Ledger, Database]]:
    """A ledger with one budget, in a folder of its own."""
    with TemporaryDirectory() as folder:
        database = Database.open(Path(folder) / "a.db")
        ledger = Ledger(database, lambda: 1)
        ledger.open(RUN, calls, micros)
        yield ledger, database
        database.close()


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Ten calls, a dollar."""
    found = Ledger(Database.open(tmp_path / "a.db"), lambda: 1)
    found.open(RUN, 10, 1_000_000)
    return found


def reported(micros: int) -> Usage:
    """A bill."""
    return Usage(requests=1, usd_micros=micros, usd_source="reported")


def admitted(ledger: Ledger, bound: int | None = None) -> Admitted:
    """One more call, which must be admitted."""
    answer = ledger.admit(RUN, "r1-b0-a0", bound)
    assert isinstance(answer, Admitted)
    return answer


def recounted(database: Database) -> tuple[int, ...]:
    """The sums, added up anew from the calls: calls, in flight, held, reported, estimated, unknown."""
    with database.read() as connection:
        row = connection.execute(
            "SELECT count(*) FILTER (WHERE state <> 'released'), count(*) FILTER (WHERE state = 'in_flight'),"
            " coalesce(sum(max(reserved, observed)) FILTER (WHERE state = 'in_flight'), 0),"
            " coalesce(sum(charged) FILTER (WHERE source = 'reported'), 0),"
            " coalesce(sum(charged) FILTER (WHERE source = 'estimated'), 0),"
            " coalesce(sum(charged) FILTER (WHERE source = 'unknown'), 0) FROM ledger_calls"
        ).fetchone()
    return tuple(row)


def totals(ledger: Ledger) -> tuple[int, ...]:
    """The sums as the book keeps them."""
    cost = ledger.cost(RUN)
    return cost.calls, cost.in_flight, cost.pending, cost.reported, cost.estimated, cost.unknown


def test_without_a_bound_the_equal_share_is_held(ledger: Ledger) -> None:
    """Money left over calls left."""
    assert admitted(ledger).reserved == 100_000
    ledger.settle(admitted(ledger).call_id, reported(10_000))
    assert admitted(ledger).reserved == (1_000_000 - 100_000 - 10_000) // 8


def test_a_bound_is_held_and_one_that_does_not_fit_is_refused(ledger: Ledger) -> None:
    """Up to the last micro-dollar, not beyond; a refusal changes nothing."""
    assert admitted(ledger, 999_999).reserved == 999_999
    assert ledger.admit(RUN, "c", 2) == Refused("money")
    assert admitted(ledger, 1).reserved == 1
    assert ledger.admit(RUN, "c", None) == Refused("money")
    assert ledger.cost(RUN).calls == 2


def test_calls_are_counted_and_a_released_one_is_not(ledger: Ledger) -> None:
    """The eleventh call is refused; one that was never made gives its place back, and its money."""
    last = [admitted(ledger, 10) for _ in range(10)][-1]
    assert ledger.admit(RUN, "c", 10) == Refused("calls")
    ledger.release(last.call_id)
    assert admitted(ledger, 10)
    assert ledger.cost(RUN).pending == 100


def test_what_is_not_known_is_charged_as_the_most_it_may_be(ledger: Ledger) -> None:
    """max(reserved, observed), never 0; also when a report has a source but no price."""
    first = admitted(ledger, 1000)
    assert ledger.settle(first.call_id, Usage()) == 1000
    second = admitted(ledger, 1000)
    ledger.observe(second.call_id, 1500)
    assert ledger.settle(second.call_id, Usage(usd_source="reported")) >= 1500
    assert ledger.cost(RUN).source == "unknown"


def test_a_call_may_cost_nothing_when_that_is_reported(ledger: Ledger) -> None:
    """A known zero is a zero."""
    assert ledger.settle(admitted(ledger).call_id, reported(0)) == 0
    assert ledger.cost(RUN).source == "reported"


def test_estimates_are_marked(ledger: Ledger) -> None:
    """Priced from tokens: charged, and shown apart."""
    ledger.settle(admitted(ledger).call_id, Usage(usd_micros=500, usd_source="estimated"))
    cost = ledger.cost(RUN)
    assert (cost.reported, cost.estimated, cost.source) == (0, 500, "estimated")


def test_top_ups_come_from_slack_until_there_is_none(ledger: Ledger) -> None:
    """Each doubles at most; others' reservations are never touched."""
    other = admitted(ledger, 500_000)
    call = admitted(ledger, 100_000)
    assert ledger.observe(call.call_id, 99_999)
    assert ledger.cost(RUN).pending == 600_000
    assert ledger.observe(call.call_id, 100_000)
    assert ledger.cost(RUN).pending == 700_000
    assert ledger.observe(call.call_id, 490_000)
    assert ledger.cost(RUN).pending == 1_000_000
    assert not ledger.observe(call.call_id, 500_000)
    ledger.release(other.call_id)
    assert ledger.observe(call.call_id, 500_000)


def test_a_crash_leaves_liabilities_and_a_late_report_corrects_them(ledger: Ledger) -> None:
    """In flight at the crash: unknown, marked; then the bill arrives, once."""
    call = admitted(ledger, 70_000)
    assert ledger.orphan(RUN) == 1
    assert ledger.cost(RUN).unknown == 70_000
    ledger.correct(call.call_id, 20_000)
    cost = ledger.cost(RUN)
    assert (cost.unknown, cost.reported, cost.source) == (0, 20_000, "reported")
    with pytest.raises(StoreError):
        ledger.correct(call.call_id, 1)


def test_a_bill_above_the_limit_is_charged_and_ends_admission(ledger: Ledger) -> None:
    """The limit is one of admission, not a ceiling on what a provider bills."""
    ledger.settle(admitted(ledger).call_id, reported(1_500_000))
    assert ledger.cost(RUN).settled == 1_500_000
    assert ledger.admit(RUN, "c", None) == Refused("money")
    assert ledger.admit(RUN, "c", 1) == Refused("money")


def test_a_call_is_settled_once(ledger: Ledger) -> None:
    """Settled, released or unknown: no second time."""
    call = admitted(ledger)
    ledger.settle(call.call_id, reported(1))
    for again in (lambda: ledger.settle(call.call_id, reported(1)), lambda: ledger.release(call.call_id),
                  lambda: ledger.observe(call.call_id, 5), lambda: ledger.settle(99, reported(1))):  # fmt: skip
        with pytest.raises(StoreError):
            again()
    with pytest.raises(NotFound):
        ledger.cost("other")


def test_sql_refuses_an_admission_over_the_limit(tmp_path: Path) -> None:
    """Also when Python forgets to look; and journal rows are written once."""
    with book(10, 1000) as (ledger, database):
        admitted(ledger, 900)
        with pytest.raises(StoreError, match="illegal admission"), database.write() as connection:
            connection.execute(
                "INSERT INTO ledger_calls (run_id, cell_id, state, reserved) VALUES ('run', 'c', 'in_flight', 101)"
            )
        for statement in ("UPDATE ledger_rows SET micros = 0", "DELETE FROM ledger_rows"):
            with pytest.raises(StoreError, match="illegal"), database.write() as connection:
                connection.execute(statement)


@pytest.mark.slow
def test_ten_thousand_random_schedules_keep_the_invariant() -> None:
    """Admissions, reports, overruns, settlements, releases, crashes, corrections in any order: never over, always summed."""
    dice = random.Random(5)
    with book(1, 1) as (ledger, database):
        for number in range(10_000):
            limit = dice.choice([1, 7, 1000, 999_983])
            with database.write():  # one commit a schedule: what is on trial is the book-keeping, not the disk
                ledger.open(f"run-{number}", dice.randint(1, 6), limit)
                schedule(ledger, f"run-{number}", dice, limit)
        with database.read() as connection:
            off = connection.execute(
                "SELECT count(*) FROM ledger_budgets b LEFT JOIN (SELECT run_id, sum(charged) AS paid,"
                " sum(CASE state WHEN 'in_flight' THEN max(reserved, observed) END) AS held"
                " FROM ledger_calls GROUP BY run_id) c"
                " USING (run_id) WHERE reported + estimated + unknown <> coalesce(paid, 0) OR b.held <> coalesce(c.held, 0)"
            ).fetchone()[0]
    assert off == 0


def schedule(ledger: Ledger, run: str, dice: random.Random, limit: int) -> None:
    """Up to eight random events; after every admission and top-up the invariant holds."""
    flying: list[int] = []
    settled: list[int] = []
    for _ in range(dice.randint(1, 8)):
        event = dice.choice(["admit", "admit", "observe", "settle", "unknown", "release", "orphan", "correct"])
        before = ledger.cost(run)
        if event == "admit":
            answer = ledger.admit(run, "c", dice.choice([None, dice.randint(0, limit + 1)]))
            if isinstance(answer, Admitted):
                flying.append(answer.call_id)
                assert ledger.cost(run).settled + ledger.cost(run).pending <= limit
            else:
                assert ledger.cost(run) == before
        elif event == "correct" and settled:
            ledger.correct(settled.pop(), dice.randint(0, limit))
        elif event == "orphan":
            ledger.orphan(run)
            settled, flying = settled + flying, []
        elif flying and event == "observe":
            topped = ledger.observe(dice.choice(flying), dice.randint(0, 2 * limit))
            cost = ledger.cost(run)
            assert not topped or cost.pending == before.pending or cost.settled + cost.pending <= limit
        elif flying and event in ENDINGS:
            call = flying.pop(dice.randrange(len(flying)))
            if ENDINGS[event](ledger, call, dice.randint(0, limit)):
                settled.append(call)


def _unknown(ledger: Ledger, call: int, _micros: int) -> bool:
    assert ledger.settle(call, Usage()) > 0
    return True


ENDINGS: dict[str, Callable[[Ledger, int, int], object]] = {
    "release": lambda ledger, call, _micros: ledger.release(call),
    "unknown": _unknown,
    "settle": lambda ledger, call, micros: ledger.settle(call, reported(micros)) and False,
}


class LedgerMachine(RuleBasedStateMachine):
    """Any order of events on one budget."""

    flying = Bundle("flying")
    closed = Bundle("closed")

    def __init__(self) -> None:
        super().__init__()
        self._context = book(8, 10_000)
        self.ledger, self.database = self._context.__enter__()
        self.truth: dict[int, int] = {}

    def teardown(self) -> None:
        """Remove the folder."""
        self._context.__exit__(None, None, None)

    @rule(target=flying, bound=st.none() | st.integers(0, 12_000))
    def admit(self, bound: int | None) -> object:
        """Admitted within the limit, or refused for a reason."""
        before = self.ledger.cost(RUN)
        answer = self.ledger.admit(RUN, "c", bound)
        if isinstance(answer, Refused):
            full = before.calls == before.max_calls
            assert answer.why == ("calls" if full else "money")
            assert self.ledger.cost(RUN) == before
            return multiple()
        after = self.ledger.cost(RUN)
        assert after.settled + after.pending <= after.max_micros
        return answer.call_id

    @rule(call=flying, micros=st.integers(0, 15_000))
    def observe(self, call: int, micros: int) -> None:
        """A call that may go on was below what is held, or was topped up within the limit."""
        if call in self.truth:
            return
        before = self.ledger.cost(RUN)
        if self.ledger.observe(call, micros):
            after = self.ledger.cost(RUN)
            assert after.pending == before.pending or after.settled + after.pending <= after.max_micros

    @rule(target=closed, call=consumes(flying), micros=st.none() | st.integers(0, 15_000))
    def settle(self, call: int, micros: int | None) -> object:
        """Known is charged as it is, unknown never as 0."""
        usage = Usage() if micros is None else Usage(usd_micros=micros, usd_source="estimated")
        charged = self.ledger.settle(call, usage)
        assert charged == micros if micros is not None else charged > 0
        self.truth[call] = charged
        return call

    @rule(call=consumes(flying))
    def release(self, call: int) -> None:
        """It never was."""
        self.ledger.release(call)

    @rule(call=consumes(closed), micros=st.integers(0, 20_000))
    def correct(self, call: int, micros: int) -> None:
        """The late bill replaces what was charged."""
        before = self.ledger.cost(RUN).settled
        self.ledger.correct(call, micros)
        assert self.ledger.cost(RUN).settled == before - self.truth[call] + micros
        self.truth[call] = micros

    @invariant()
    def sums_are_right(self) -> None:
        """The kept sums are those of the rows."""
        assert totals(self.ledger) == recounted(self.database)


LedgerMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestLedgerMachine = LedgerMachine.TestCase

RACER = """
import sys
from pathlib import Path
from engine.domain.cost import Admitted
from engine.store.database import Database
from engine.store.ledger import Ledger
ledger = Ledger(Database.open(Path(sys.argv[1])), lambda: 1)
print("ready", flush=True)
sys.stdin.readline()
won = 0
for _ in range(400):
    answer = ledger.admit("run", "c", 7)
    won += isinstance(answer, Admitted)
    cost = ledger.cost("run")
    assert cost.settled + cost.pending <= 1000, cost
print(won)
"""


def test_two_processes_at_the_edge_never_exceed_the_limit(tmp_path: Path) -> None:
    """142 reservations of 7 fit into 1000; two processes that race for them get exactly these."""
    path = tmp_path / "a.db"
    database = Database.open(path)
    Ledger(database, lambda: 1).open("run", 10_000, 1000)
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    outputs = []
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    for racer in racers:
        outputs.append(racer.communicate(timeout=60)[0])
    won = [int(output) for output in outputs]
    assert sum(won) == 142
    assert Ledger(database, lambda: 1).cost("run").pending == 994
    database.close()
