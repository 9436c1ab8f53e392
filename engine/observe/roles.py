"""Which roles can be acted on, which hold a value, and which only wrap."""

from engine.domain.observation import Node

ACTIONABLE = frozenset({
    "button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio",
    "scrollbar", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox", "treeitem",
})  # fmt: skip
"""Acted on by what they are. Anything else is acted on when the page gives it a hand-shaped pointer."""

FIELDS = frozenset({"combobox", "listbox", "searchbox", "slider", "spinbutton", "textbox"})
"""Hold a value."""

POINTER = "cursor=pointer"


def is_actionable(node: Node) -> bool:
    """Whether an action may name this node: it has a ref, and a role or a pointer that invites to use it."""
    return node.ref is not None and (node.role in ACTIONABLE or POINTER in node.states)
