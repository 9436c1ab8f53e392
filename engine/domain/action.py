"""The closed vocabulary: at once the model's output schema, the record in steps.jsonl and what replay executes."""

from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from engine.domain.frozen import Frozen

Ref: TypeAlias = Annotated[str, Field(pattern=r"^(f\d+)?e\d+$|^@[\w.-]+$", max_length=64)]
"""A handle into the latest snapshot (`e12`, `f1e2` inside a frame); `@STEP` while a capability is replayed."""

Name: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,63}$")]
ValueType: TypeAlias = Literal["text", "integer", "decimal", "currency", "date", "boolean"]


class Navigate(Frozen):
    """Open a URL inside the policy's scope."""

    action: Literal["navigate"] = "navigate"
    url: str = Field(max_length=4096, description="Absolute URL, or a path relative to the target")


class Click(Frozen):
    """Click an element; also ticks checkboxes and chooses radio buttons and tabs."""

    action: Literal["click"] = "click"
    ref: Ref


class Type(Frozen):
    """Replace the content of a field; `{{secret.NAME}}` stands for a secret's value."""

    action: Literal["type"] = "type"
    ref: Ref
    text: str = Field(max_length=16_384)


class Select(Frozen):
    """Choose options of a list box or combo box by their visible labels."""

    action: Literal["select"] = "select"
    ref: Ref
    options: tuple[str, ...] = Field(min_length=1, max_length=64)


class Press(Frozen):
    """Press a key (`Enter`, `Escape`, `Control+a`), on an element or wherever the focus is."""

    action: Literal["press"] = "press"
    ref: Ref | None = None
    key: str = Field(max_length=40)


class Wait(Frozen):
    """Wait until a text appears or is gone, or without a text for the page to be quiet; at most `seconds`."""

    action: Literal["wait"] = "wait"
    text: str | None = Field(default=None, max_length=500)
    gone: bool = False
    seconds: float = Field(default=5.0, gt=0, le=30)


class Widen(Frozen):
    """Show, in the next observation, all of a table or list that was cut; touches nothing on the page."""

    action: Literal["widen"] = "widen"
    ref: Ref


class Reading(Frozen):
    """One value read from the page: which, where, and as what."""

    name: Name = Field(description="Name of the output, in camelCase")
    ref: Ref = Field(description="Element that holds the value: a cell, a field, a text, a table or a list")
    what: Literal["text", "value", "table", "list", "url", "file"] = Field(
        default="text",
        description="text of the element, value of a field, a whole table or list, a link's URL, the downloaded file",
    )
    type: ValueType = "text"
    value: str = Field(
        default="", max_length=4096, description="The value as it stands on the page; empty for table, list and file"
    )


class Extract(Frozen):
    """Read values off the page; each is checked against the page before it counts."""

    action: Literal["extract"] = "extract"
    readings: tuple[Reading, ...] = Field(min_length=1, max_length=64)


class Done(Frozen):
    """The goal is reached; every value it asks for has been extracted."""

    action: Literal["done"] = "done"
    summary: str = Field(max_length=2000)


class Stuck(Frozen):
    """The goal cannot be reached from here."""

    action: Literal["stuck"] = "stuck"
    problem: str = Field(max_length=2000)


class Hover(Frozen):
    """Move the pointer over an element."""

    action: Literal["hover"] = "hover"
    ref: Ref


class Upload(Frozen):
    """Put a file that the operator registered for this run into a file field, by its registered name."""

    action: Literal["upload"] = "upload"
    ref: Ref
    file: Name


class Scroll(Frozen):
    """Scroll an element, or the page, by one view."""

    action: Literal["scroll"] = "scroll"
    ref: Ref | None = None
    direction: Literal["up", "down"] = "down"


class SwitchTab(Frozen):
    """Go on in another tab, by its number in the observation (0 is the first)."""

    action: Literal["switch_tab"] = "switch_tab"
    tab: int = Field(ge=0, lt=100)


class GoBack(Frozen):
    """Go back one page in the history of this tab."""

    action: Literal["go_back"] = "go_back"


Action: TypeAlias = Annotated[
    Navigate | Click | Type | Select | Press | Wait | Widen | Extract | Done | Stuck
    | Hover | Upload | Scroll | SwitchTab | GoBack,
    Field(discriminator="action"),
]  # fmt: skip

ActionName: TypeAlias = Literal[
    "navigate", "click", "type", "select", "press", "wait", "widen", "extract", "done", "stuck",
    "hover", "upload", "scroll", "switch_tab", "go_back",
]  # fmt: skip

CORE: frozenset[str] = frozenset({"navigate", "click", "type", "select", "press", "wait", "extract"})
"""Allowed unless a policy says otherwise."""

ALWAYS: frozenset[str] = frozenset({"widen", "done", "stuck"})
"""Touch nothing on the page, so no policy can take them away."""

EXTENSIONS: frozenset[str] = frozenset(get_args(ActionName)) - CORE - ALWAYS
"""Off unless the policy allows each by name."""


class Decision(Frozen):
    """What a planner answers for one observation: why, and exactly one action."""

    reason: str = Field(max_length=2000, description="One short sentence: why this action comes next")
    action: Action
