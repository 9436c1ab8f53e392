"""What a goal asks for, clause by clause: a closed set of intents, pure values."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["any", "button", "link", "tab", "field", "list", "box", "option", "dialog", "table", "section", "row"]
"""What sort of element a goal's noun names; `any` when it names none."""


@dataclass(frozen=True)
class Phrase:
    """Words that name something on a page. `quoted` words stand there exactly so."""

    text: str = ""
    kind: Kind = "any"
    quoted: bool = False
    whole: str = ""
    """The words with their kind noun (`Tab #2`), in case the noun is part of the name."""
    every: bool = False
    """Both, all or each of them."""
    place: int | None = None
    """Which of several, from 0; -1 is the last."""

    def __str__(self) -> str:
        return f'"{self.text}"' if self.quoted else self.whole or self.text or self.kind


@dataclass(frozen=True)
class Text:
    """A value as the goal gives it; `looked_up` when it stands on the page beside that label."""

    text: str
    looked_up: bool = False


@dataclass(frozen=True)
class SignIn:
    """Sign in with these values, which may be secret placeholders; `asked` is False when the goal does not say so."""

    user: str
    password: str
    asked: bool = True


@dataclass(frozen=True)
class Press:
    """Press, open or follow something; `focus` when it only should have the focus."""

    target: Phrase
    inside: Kind = "any"


@dataclass(frozen=True)
class Unfold:
    """Expand a section, or collapse it."""

    target: Phrase
    open: bool = True


@dataclass(frozen=True)
class Fill:
    """Put a value in a field."""

    target: Phrase
    value: Text


@dataclass(frozen=True)
class Choose:
    """Choose options or tick boxes; `on` False unticks. No options: nothing to do."""

    options: tuple[str, ...]
    target: Phrase = Phrase()
    on: bool = True
    as_one: str = ""
    """All options as one name, in case it holds commas or `and`."""


@dataclass(frozen=True)
class Locate:
    """Come to the page of one thing: its noun and the key it is known by."""

    noun: str
    key: str


@dataclass(frozen=True)
class Search:
    """Search by a field or in the search box, and stay at what is found."""

    noun: str
    field: str
    value: str


@dataclass(frozen=True)
class Item:
    """One thing to read. `variants` are its possible names, best first; `name` is the output's name."""

    name: str
    variants: tuple[tuple[str, str], ...]
    """Pairs of row and column words; the column is empty for a plain label."""
    table: bool = False


@dataclass(frozen=True)
class Read:
    """Read values or a table."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Slot:
    """One value of a form task. `label` may be empty: any list that has such an option."""

    label: str
    value: str


@dataclass(frozen=True)
class FormTask:
    """Open a form named by verb and object, fill its slots, submit it and see that it took."""

    verb: str
    about: str
    slots: tuple[Slot, ...]
    pieces: tuple[Slot, ...] = field(default=())
    """The first slot's value in parts, when it has some (a postal address); used where the page has a field for each."""


@dataclass(frozen=True)
class Fetch:
    """Download a file."""

    about: str
    slots: tuple[Slot, ...] = ()
    form: str = ""


@dataclass(frozen=True)
class Unknown:
    """A clause that was not understood."""

    clause: str


Intent: TypeAlias = SignIn | Press | Unfold | Fill | Choose | Locate | Search | Read | FormTask | Fetch | Unknown
