"""Finds and ends every process that came from a child, also those that tried to get away."""

import contextlib
import os
import time

import psutil

MARK = "CAPWRIGHT_CHILD"
_ROUNDS = 40
_SECONDS = 5.0


def tree(pid: int, mark: str) -> list[psutil.Process]:
    """The child, its descendants, and every process that carries its mark in the environment it was started with."""
    found: dict[int, psutil.Process] = {}
    with contextlib.suppress(psutil.NoSuchProcess):
        root = psutil.Process(pid)
        found[pid] = root
        found.update({child.pid: child for child in root.children(recursive=True)})
    for process in psutil.process_iter():
        if process.pid in found or process.pid == os.getpid():
            continue
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark:
                found[process.pid] = process
    return [process for process in found.values() if _alive(process)]


def count(pid: int) -> int:
    """How many processes the child and its descendants are."""
    try:
        return 1 + len(psutil.Process(pid).children(recursive=True))
    except psutil.NoSuchProcess:
        return 0


def end_namespace(pid: int) -> bool:
    """End a child that has a process namespace of its own; True when it is gone.

    The namespace ends with its first process, which is the only child of `pid`; the kernel lets that one be reaped only
    after all the others are gone.
    """
    try:
        root = psutil.Process(pid)
        for child in [*root.children(), root]:
            with contextlib.suppress(psutil.NoSuchProcess):
                child.kill()
                psutil.wait_procs([child], timeout=_SECONDS)
    except psutil.NoSuchProcess:
        return True
    return not _alive(root)


def end(pid: int, mark: str) -> bool:
    """Kill all of them; True when none is left. Stopped first, so that none can fork while the others die."""
    for _ in range(_ROUNDS):
        left = tree(pid, mark)
        if not left:
            return True
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                process.suspend()
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess, psutil.AccessDenied):
                process.kill()
        psutil.wait_procs([process for process in left if process.pid != pid], timeout=0.25)
        time.sleep(0.001)
    return not tree(pid, mark)


def _alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() not in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD))
    except psutil.NoSuchProcess:
        return False
