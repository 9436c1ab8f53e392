"""Every text of the admin that a visitor may read, as Babel finds it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract_from_dir

import engine.web

WEB = Path(engine.web.__file__).parent
ENGINE = WEB.parent
METHODS = [("templates/**.html", "jinja2"), ("**.py", "python")]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "marked": None}
OPTIONS = {"templates/**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "newstyle_gettext": "true"}}


def texts() -> Iterator[tuple[str, ...]]:
    """One tuple a message: the text, or singular and plural."""
    for _file, _line, message, _comments, _context in extract_from_dir(WEB, METHODS, OPTIONS, KEYWORDS):
        yield message if isinstance(message, tuple) else (message,)


SPEAKING = (
    "guard/rules.py", "guard/guard.py", "guard/writes.py", "access/approvals.py", "discover", "replay", "review", "act",
    "pipeline.py", "assembly/replaying.py", "assembly/discoveries.py", "assembly/discovering.py", "store/approvals.py",
    "store/exploration_approvals.py", "store/explorations.py", "explore/requests.py", "record/verify.py", "distill",
    "browser/element.py", "decide/embedded", "web",
)  # fmt: skip
"""Where the engine says what pages show."""
NO_SENTENCE = re.compile(r"[<>\\^|=]|SELECT|UPDATE|WHERE|\n|^%|^[a-z_]+(, [a-z_]+)+$")


def sentences() -> Iterator[tuple[str, str]]:
    """Module and text of everything of at least four words that the engine says; `{}` stands for what it fills in."""
    for place in SPEAKING:
        root = ENGINE / place
        for file in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            for text in said(ast.parse(file.read_text())):
                if len(text.replace("{}", " ").split()) > 3 and not NO_SENTENCE.search(text):
                    yield str(file.relative_to(ENGINE)), text


def said(tree: ast.AST) -> Iterator[str]:
    """Strings of a module that are neither docstrings, nor assertions, nor marked for the pages' own catalogue."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Assert) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            continue
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "marked":
            continue
        if isinstance(node, ast.JoinedStr):
            pieces = (each.value if isinstance(each, ast.Constant) else "{}" for each in node.values)
            yield "".join(map(str, pieces)).strip().removesuffix(".")
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.strip().removesuffix(".")
        else:
            yield from said(node)
