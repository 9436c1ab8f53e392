"""Files by which a candidate could run code inside its evaluator."""

from fnmatch import fnmatchcase

from engine.domain.sealed import Manifest

TEST_HOOKS = ("conftest.py", "sitecustomize.py", "usercustomize.py", "*.pth", "*.so", ".env*")


def hooks_changed(start: Manifest, end: Manifest) -> tuple[str, ...]:
    """Paths of test hooks that are new or other than at the start."""
    before = start.by_path()
    return tuple(entry.path for entry in end.entries if _is_hook(entry.path) and before.get(entry.path) != entry)


def _is_hook(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return any(fnmatchcase(name, pattern) for pattern in TEST_HOOKS)
