"""The command line: one module a command group; `main` is what the `discover` command runs."""

from engine.cli.edge import main

__all__ = ["main"]
