"""`python -m tests.faults.victim LOG kill|fail WHICH ARGUMENTS…`: the command line, which dies or fails at a persisted write.

Every write of evidence, runs, approvals and effects is a point: once before it and, to die at, once after. LOG gets a line a
point; WHICH is the number or the line of one.
"""

import errno
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.cli import main
from engine.errors import StoreError
from engine.record.evidence import Evidence
from engine.store.approvals import ApprovalStore
from engine.store.effects import EffectStore
from engine.store.runs import RunStore

POINTS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (Evidence, ("_chain", "flush")),
    (RunStore, ("start", "finish", "set_manifest_head")),
    (ApprovalStore, ("ask", "consume")),
    (EffectStore, ("intend", "end")),
)


class Points:
    """Counts the writes, and strikes at one of them: given by its number, or by its name as in the log."""

    def __init__(self, log: Path, how: str, which: str) -> None:
        self.log, self.how, self.which = log, how, which
        self.passed = 0

    def reach(self, name: str, real: type) -> None:
        """One point is reached."""
        if self.how == "fail" and name.endswith("after"):
            return
        self.passed += 1
        with self.log.open("a") as log:
            log.write(f"{name}\n")
        if self.which not in (name, str(self.passed)):
            return
        if self.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, "No space left on device") if real is Evidence else StoreError("the disk is full")

    def around(self, owner: type, method: str) -> Callable[..., Any]:
        """The method with a point on either side of it."""
        real = getattr(owner, method)

        def wrapped(*given: Any, **named: Any) -> Any:
            self.reach(f"{owner.__name__}.{method} before", owner)
            answer = real(*given, **named)
            self.reach(f"{owner.__name__}.{method} after", owner)
            return answer

        return wrapped


if __name__ == "__main__":
    log, how, which, *arguments = sys.argv[1:]
    points = Points(Path(log), how, which)
    for owner, methods in POINTS:
        for method in methods:
            setattr(owner, method, points.around(owner, method))
    sys.argv = ["discover", *arguments]
    main()
