"""The one hash a registration stands for."""

import hashlib
import json
import shutil
import stat
import sys
from pathlib import Path

from engine.domain.sealed import Manifest
from engine.errors import TreeRefused, UsageError
from engine.score.declaration import FILE, PROTOCOL, Declaration, parse_declaration
from engine.store.trees import read_tree


def pin(folder: Path) -> tuple[str, Declaration]:
    """Hash over the folder with fixtures and data, the command, the limits, the interpreter and the protocol's version.

    Raises UsageError when the folder is no evaluator, or when others than its owner may write to it.
    """
    try:
        manifest = read_tree(folder)
        declared = parse_declaration((folder / FILE).read_text("utf-8"))
    except (OSError, TreeRefused, UnicodeDecodeError) as error:
        raise UsageError(f"{folder} is no evaluator: {error}") from error
    _refuse_strangers(folder, manifest)
    program = manifest.by_path().get(declared.command[0])
    if program is None or program.type != "file" or not (program.executable or declared.interpreter):
        raise UsageError(f"{declared.command[0]} is no executable inside {folder}")
    parts = [PROTOCOL, manifest.digest, declared.model_dump(mode="json"), _interpreter_hash(declared), ""]  # "": no image
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest(), declared


def interpreter(declared: Declaration) -> tuple[str, ...]:
    """The words before the command, resolved on this machine; raises UsageError when there is no such program."""
    if not declared.interpreter:
        return ()
    found = sys.executable if declared.interpreter == "python" else shutil.which(declared.interpreter)
    if found is None:
        raise UsageError(f"the interpreter {declared.interpreter} is not on this machine")
    return (found,)


def _interpreter_hash(declared: Declaration) -> str:
    words = interpreter(declared)
    if not words:
        return ""
    with Path(words[0]).open("rb") as program:
        return hashlib.file_digest(program, "sha256").hexdigest()


def _refuse_strangers(folder: Path, manifest: Manifest) -> None:
    owner = folder.stat().st_uid
    for path in [folder, *(folder / entry.path for entry in manifest.entries)]:
        known = path.stat(follow_symlinks=False)
        if known.st_uid != owner or known.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise UsageError(f"{path} may be written by others than the owner of {folder}; chmod go-w it")
