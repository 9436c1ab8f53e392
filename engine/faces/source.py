"""Python source as a formatter leaves it: literals in its quotes, calls on one line or one argument a line."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

WIDTH = 88
INDENT = "    "


@dataclass(frozen=True)
class Call:
    """`name(arguments)`; `before` is a keyword (`name=`) in front of it when it is an argument itself."""

    name: str
    arguments: "tuple[Code, ...]" = ()
    before: str = ""


Code: TypeAlias = str | Call


def flat(code: Code) -> str:
    """On one line."""
    if isinstance(code, str):
        return code
    return f"{code.before}{code.name}({', '.join(flat(each) for each in code.arguments)})"


def lines(code: Code, depth: int, before: str = "", after: str = "") -> Iterator[str]:
    """A statement or argument at this depth; a call that is too long stands with one argument a line."""
    one = f"{INDENT * depth}{before}{flat(code)}{after}"
    if isinstance(code, str) or len(one) <= WIDTH or not code.arguments:
        yield one
        return
    yield f"{INDENT * depth}{before}{code.before}{code.name}("
    for each in code.arguments:
        yield from lines(each, depth + 1, after=",")
    yield f"{INDENT * depth}){after}"


def quoted(text: str) -> str:
    """A string literal, in double quotes unless that needs more escapes."""
    written = repr(text)
    inner = written[1:-1]
    if written[0] == '"' or text.count('"') > text.count("'"):
        return written
    return '"' + inner.replace("\\'", "'").replace('"', '\\"') + '"'


def raw(pattern: str) -> str:
    """A literal for a regular expression: raw where that can be read."""
    fits = "\\" in pattern and '"' not in pattern and pattern.isprintable() and not pattern.endswith("\\")
    return f'r"{pattern}"' if fits else quoted(pattern)


def sentence(text: str) -> str:
    """Text that may stand in a docstring or comment: one line, nothing that ends or escapes it, a full stop at its end."""
    flat_text = "".join(each if each.isprintable() else " " for each in text).replace("\\", "/").replace('"""', '"')
    folded = " ".join(flat_text.split())
    return folded if folded.endswith((".", "!", "?")) else f"{folded}."
