"""Leases, proof of death, fencing, and the slots that hang on them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.errors import LeaseLost, StoreError
from engine.store.database import Database
from engine.store.leases import Lease, LeaseStore, fence
from engine.store.liveness import ProcessIdentity, ProcessTable
from engine.store.slots import SlotStore
from tests.store.busy import busy

BOOT, NAMESPACE = "11111111-aaaa", "pid:[4026531836]"


def fake_proc(root: Path, *, boot: str = BOOT, namespace: str = NAMESPACE) -> Path:
    """A folder that looks like /proc."""
    (root / "sys/kernel/random").mkdir(parents=True)
    (root / "sys/kernel/random/boot_id").write_text(boot + "\n")
    (root / "self/ns").mkdir(parents=True)
    (root / "self/ns/pid").symlink_to(namespace)
    return root


def process(root: Path, pid: int, *, state: str = "S", ticks: int = 500, name: str = "python") -> None:
    """One process in it."""
    (root / str(pid)).mkdir(exist_ok=True)
    fields = [state, "1", *["0"] * 17, str(ticks), *["0"] * 20]
    (root / str(pid) / "stat").write_text(f"{pid} ({name}) {' '.join(fields)}\n")


HOLDER = ProcessIdentity("host", BOOT, NAMESPACE, 42, 500)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A fake /proc with the holder in it."""
    root = fake_proc(tmp_path / "proc")
    process(root, 42)
    return root


def test_a_living_holder_is_not_proved_dead(proc: Path) -> None:
    """Same boot, same namespace, same pid, same start."""
    assert ProcessTable(proc, "host").proof_of_death(HOLDER) is None


def test_the_identity_is_read_after_the_last_bracket(proc: Path) -> None:
    """A process may call itself anything."""
    process(proc, 43, ticks=77, name="x) S 1 2 3 (y")
    assert ProcessTable(proc, "host").me(43) == ProcessIdentity("host", BOOT, NAMESPACE, 43, 77)


def test_a_pid_that_is_gone(proc: Path) -> None:
    """No such process any more."""
    (proc / "42" / "stat").unlink()
    (proc / "42").rmdir()
    assert ProcessTable(proc, "host").proof_of_death(HOLDER) == "gone"


def test_a_pid_that_was_given_again(proc: Path) -> None:
    """The number lives, but it started later."""
    process(proc, 42, ticks=501)
    assert ProcessTable(proc, "host").proof_of_death(HOLDER) == "reborn"


def test_a_zombie(proc: Path) -> None:
    """It writes nothing any more."""
    process(proc, 42, state="Z")
    assert ProcessTable(proc, "host").proof_of_death(HOLDER) == "zombie"


def test_another_boot(tmp_path: Path) -> None:
    """Nothing survives that."""
    table = ProcessTable(fake_proc(tmp_path / "p", boot="22222222-bbbb"), "host")
    assert table.proof_of_death(HOLDER) == "other_boot"


def test_another_namespace_proves_nothing(tmp_path: Path) -> None:
    """From a container the pids of the host cannot be judged."""
    table = ProcessTable(fake_proc(tmp_path / "p", namespace="pid:[1]"), "host")
    assert table.proof_of_death(HOLDER) is None


def test_another_host_proves_nothing(tmp_path: Path) -> None:
    """Not even with another boot id."""
    table = ProcessTable(fake_proc(tmp_path / "p", boot="22222222-bbbb"), "elsewhere")
    assert table.proof_of_death(HOLDER) is None


@pytest.mark.parametrize("content", [b"", b"42 (python", b"\xff\xfe", b"42 (x) S 1"])
def test_what_cannot_be_read_means_held(proc: Path, content: bytes) -> None:
    """A stat that makes no sense proves nothing."""
    (proc / "42" / "stat").write_bytes(content)
    assert ProcessTable(proc, "host").proof_of_death(HOLDER) is None


def test_no_boot_id_means_held(proc: Path) -> None:
    """Nor does a system without one."""
    (proc / "sys/kernel/random/boot_id").unlink()
    assert ProcessTable(proc, "host").proof_of_death(HOLDER) is None


def stores(tmp_path: Path, proc: Path, pid: int) -> tuple[Database, LeaseStore]:
    """A lease store as that process sees it."""

    class As(ProcessTable):
        def me(self, _pid: int | None = None) -> ProcessIdentity:
            return super().me(pid)

    database = Database.open(tmp_path / "a.db")
    return database, LeaseStore(database, lambda: 1, As(proc, "host"))


def test_one_owner_at_a_time_and_a_growing_epoch(tmp_path: Path, proc: Path) -> None:
    """Held while alive; given back, the next owner has the next epoch; time alone changes nothing."""
    process(proc, 43)
    _, mine = stores(tmp_path, proc, 42)
    _, theirs = stores(tmp_path, proc, 43)
    lease = mine.take("run:1")
    assert lease is not None
    assert lease.epoch == 1
    assert theirs.take("run:1") is None
    assert mine.take("run:1") is None
    mine.give_back(lease)
    again = theirs.take("run:1")
    assert again is not None
    assert again.epoch == 2


def test_a_dead_owner_is_fenced_off(tmp_path: Path, proc: Path) -> None:
    """Taken over on proof; what the old owner writes is refused, and giving back takes nothing away."""
    process(proc, 43)
    database, mine = stores(tmp_path, proc, 42)
    _, theirs = stores(tmp_path, proc, 43)
    old = mine.take("run:1")
    process(proc, 42, ticks=900)
    new = theirs.take("run:1")
    assert old is not None
    assert new is not None
    assert new.epoch == 2
    with pytest.raises(LeaseLost), database.write() as connection:
        fence(connection, old)
    mine.give_back(old)
    with database.write() as connection:
        fence(connection, new)
        with pytest.raises(LeaseLost):
            fence(connection, Lease("run:2", "x", 1))
    with pytest.raises(StoreError, match="epoch"), database.write() as connection:
        connection.execute("UPDATE leases SET epoch = 1")


def test_a_real_process_dies(tmp_path: Path) -> None:
    """A child takes a lease and is killed: first held, then a zombie, then gone; each time judged rightly."""
    program = (
        "import sys,time; from pathlib import Path; from engine.store.database import Database\n"
        "from engine.store.leases import LeaseStore\n"
        "print(LeaseStore(Database.open(Path(sys.argv[1])), lambda: 1).take('x').epoch, flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "a.db")], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "1\n"
    leases = LeaseStore(Database.open(tmp_path / "a.db"), lambda: 1)
    assert leases.take("x") is None
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and not yet reaped: a zombie
    taken = leases.take("x")
    assert taken is not None
    assert taken.epoch == 2
    child.communicate()


def test_slots_fall_free_with_their_owner(tmp_path: Path, proc: Path) -> None:
    """Four at most; given back, or the owner dead, they can be taken again; a lost lease takes none."""
    process(proc, 43)
    database, mine = stores(tmp_path, proc, 42)
    _, theirs = stores(tmp_path, proc, 43)
    old, new = mine.take("run:1"), theirs.take("run:2")
    assert old is not None
    assert new is not None
    slots = SlotStore(database, theirs)
    held = [slots.take(old, f"r1-b{n}-a0") for n in range(4)]
    assert sorted(slot or 0 for slot in held) == [1, 2, 3, 4]
    assert slots.take(new, "r1-b0-a0") is None
    slots.give_back(old, held[0] or 0)
    assert slots.take(new, "r1-b0-a0") == held[0]
    assert slots.take(new, "r1-b1-a0") is None
    process(proc, 42, ticks=900)
    assert slots.take(new, "r1-b1-a0") is not None
    taken = theirs.take("run:1")
    assert taken is not None
    assert busy(database) == 2
    with pytest.raises(LeaseLost):
        slots.take(old, "r1-b9-a0")
