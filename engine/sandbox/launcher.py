"""Run by the child itself before it becomes the program: sets its limits, and dies with its parent.

Arguments: a JSON list of [limit name, value], then the program and its arguments. Needs nothing but the standard library.
"""

import ctypes
import json
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
PR_SET_DUMPABLE = 4


def main() -> None:
    """Become the program; exit 127 when that is not possible."""
    parent = os.getppid()
    for name, value in json.loads(sys.argv[1]):
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(126)
    try:
        os.execvpe(sys.argv[2], sys.argv[2:], os.environ)
    except OSError as error:
        os.write(2, f"{sys.argv[2]}: {error.strerror}\n".encode())
        os._exit(127)


if __name__ == "__main__":
    main()
