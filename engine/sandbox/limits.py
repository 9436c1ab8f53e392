"""What one child process may use, and what came of it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

End: TypeAlias = Literal["exited", "deadline", "output_limit", "process_limit", "not_started", "not_gone"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes; `processes` counts the whole tree."""

    wall_seconds: float = 60.0
    cpu_seconds: int = 60
    memory_bytes: int = 2 << 30
    processes: int = 64
    file_bytes: int = 64 << 20
    output_bytes: int = 256 * 1024


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended. `exit_code` is negative for a signal, None unless it exited by itself.

    `result` is what it wrote to its result channel; `isolated` says that it had no network and no sight of other processes.
    """

    end: End
    exit_code: int | None
    stdout: bytes
    stderr: bytes
    result: bytes
    isolated: bool
    seconds: float
