"""A private folder for the time of one run of a child."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder that only this user can enter; gone afterwards with all that is in it."""
    with tempfile.TemporaryDirectory(prefix="capwright-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)
