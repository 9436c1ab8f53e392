"""Who a process is, told so that another process can prove that it is gone."""

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Proof: TypeAlias = Literal["other_boot", "gone", "reborn", "zombie"]


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """Host, boot, pid namespace, pid and start time (clock ticks since boot): no two processes share all five."""

    host: str
    boot_id: str
    pid_namespace: str
    pid: int
    start_ticks: int


class ProcessTable:
    """Reads `/proc`, or a folder that looks like it."""

    def __init__(self, root: Path = Path("/proc"), host: str | None = None) -> None:
        self._root = root
        self._host = host if host is not None else platform.node()

    def me(self, pid: int | None = None) -> ProcessIdentity:
        """The identity of this process; raises OSError where there is no such table."""
        pid = pid or os.getpid()
        _state, ticks = self._stat(pid)
        return ProcessIdentity(self._host, self._boot(), self._namespace(), pid, ticks)

    def proof_of_death(self, holder: ProcessIdentity) -> Proof | None:
        """Why the holder cannot be alive; None when it may be. What cannot be read proves nothing."""
        try:
            if holder.host != self._host:
                return None  # another machine's processes cannot be seen from here
            if holder.boot_id != self._boot():
                return "other_boot"
            return self._proof_here(holder) if holder.pid_namespace == self._namespace() else None
        except (OSError, ValueError, IndexError):
            return None

    def _proof_here(self, holder: ProcessIdentity) -> Proof | None:
        try:
            state, ticks = self._stat(holder.pid)
        except (FileNotFoundError, ProcessLookupError):
            return "gone"
        if ticks != holder.start_ticks:
            return "reborn"
        return "zombie" if state in "ZXx" else None

    def _boot(self) -> str:
        return (self._root / "sys/kernel/random/boot_id").read_text().strip()

    def _namespace(self) -> str:
        return str((self._root / "self/ns/pid").readlink())

    def _stat(self, pid: int) -> tuple[str, int]:
        """State letter and field 22, counted after the last `)`: a process may have any name."""
        fields = (self._root / str(pid) / "stat").read_bytes().decode("ascii", "replace").rpartition(")")[2].split()
        return fields[0], int(fields[19])
