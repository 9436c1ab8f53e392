"""The command in a fresh home, as journeys run it."""

from tests.journeys.conftest import command

__all__ = ["command"]
