"""Long lists, a page at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Sheet(Generic[Item]):
    """One page of a list; pages count from 1."""

    items: tuple[Item, ...]
    number: int
    pages: int
    total: int

    @classmethod
    def cut(cls, items: Sequence[Item], asked: str, size: int) -> Self:
        """The page that was asked for, or the nearest there is."""
        pages = max(-(-len(items) // size), 1)
        number = min(max(int(asked), 1), pages) if asked.isascii() and asked.isdigit() else 1
        return cls(tuple(items[(number - 1) * size : number * size]), number, pages, len(items))
