"""Capwright: turns work in web applications into capabilities that run without a model."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.assembly.capwright import Capwright

__all__ = ["Capwright"]


def __getattr__(name: str) -> object:
    """`Capwright` is loaded when it is asked for: importing a noun must not load a browser."""
    if name == "Capwright":
        from engine.assembly.capwright import Capwright

        return Capwright
    raise AttributeError(f"module 'engine' has no attribute {name!r}")
