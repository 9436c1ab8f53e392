"""Masks what password and card fields hold, before a snapshot leaves the browser room.

A field is secret when its type is password, when it declares itself by autocomplete (cc-*, current-password,
new-password, one-time-code), when its name or id says password, passphrase, passcode, card number or cvv, or when its
style hides what is typed. A node that is a field is masked when it holds, is named or suggests exactly such a value; any
other text only where it repeats a value of at least eight characters, so that a short secret does not corrupt the page.
"""

import re
from dataclasses import replace
from typing import Any

from engine.domain.observation import Node

MASK = "•••"
ECHO_LENGTH = 8
FIELD_ROLES = frozenset({"textbox", "searchbox", "spinbutton", "combobox"})


def mask(root: Node, values: frozenset[str], all_fields: bool) -> Node:
    """The tree with those values masked, the same object if clean; `all_fields` masks whatever any field holds."""
    exact = frozenset(filter(None, map(fold, values)))
    if not exact and not all_fields:
        return root
    long = sorted((value for value in exact if len(value) >= ECHO_LENGTH), key=len, reverse=True)
    echo = re.compile("|".join(re.sub(r"\\? ", r"\\s+", re.escape(value)) for value in long)) if long else None
    return _masked(root, exact, echo, all_fields)


def fold(text: str) -> str:
    """White space folded, as a snapshot does it."""
    return re.sub(r"\s+", " ", text).strip()


def _masked(node: Node, exact: frozenset[str], echo: re.Pattern[str] | None, all_fields: bool) -> Node:
    children = tuple(_masked(child, exact, echo, all_fields) for child in node.children)
    is_field = node.role in FIELD_ROLES
    changes: dict[str, Any] = {}
    for part in ("name", "text", "placeholder", "url"):
        was = getattr(node, part)
        whole = is_field and (fold(was) in exact or (all_fields and part == "text"))
        now = (MASK if whole else echo.sub(MASK, was) if echo else was) if was else was
        if now != was:
            changes[part] = now
    if any(new is not old for new, old in zip(children, node.children, strict=True)):
        changes["children"] = children
    return replace(node, **changes) if changes else node
