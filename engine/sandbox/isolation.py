"""What this system can cut a child off from, tried out once and not guessed."""

import shutil
import subprocess
from dataclasses import dataclass

_FULL = ("--user", "--map-current-user", "--net", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc")
_PROBE_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Isolation:
    """Words to put before a command line so that it runs without network and in a process tree of its own; empty: cannot."""

    prefix: tuple[str, ...] = ()

    @property
    def works(self) -> bool:
        """A child is really cut off."""
        return bool(self.prefix)


def probe() -> Isolation:
    """The isolation that works here: Linux namespaces, or none."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return Isolation()
    prefix = (unshare, *_FULL, "--")
    try:
        tried = subprocess.run([*prefix, "true"], capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return Isolation()
    return Isolation(prefix) if tried.returncode == 0 else Isolation()
