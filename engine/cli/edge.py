"""The edge of the command line: every error becomes one sentence (or one JSON object) and an exit code."""

import json
import sys

import structlog
import typer

from engine.domain.run import EXIT_OF, STATUS_OF
from engine.errors import (
    BrowserError,
    CapwrightError,
    DistillRefused,
    EvidenceUnwritable,
    IllegalTransition,
    ModelError,
    UsageError,
)

EXIT_OF_ERROR: tuple[tuple[type[CapwrightError], int], ...] = (
    (UsageError, 2),
    (IllegalTransition, 2),
    (ModelError, EXIT_OF[STATUS_OF["model_unavailable"]]),
    (BrowserError, EXIT_OF[STATUS_OF["browser"]]),
    (DistillRefused, EXIT_OF["not_distilled"]),
    (EvidenceUnwritable, EXIT_OF[STATUS_OF["evidence"]]),
)


def main() -> None:
    """Run the command line and exit with the specified code."""
    from engine.cli.app import app

    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # stdout is for answers
    try:
        # Without its standalone mode Typer gives back the code of an Exit instead of leaving by itself.
        sys.exit(app(standalone_mode=False, prog_name="discover") or 0)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except typer.Abort:
        sys.exit(say("Interrupted.", "interrupted", 130))
    except typer.TyperException as error:
        if "--json" not in sys.argv:
            sys.stderr.write(f"{error}\nTry 'discover --help'.\n")
        sys.exit(say(str(error), "usage", 2, shown="--json" not in sys.argv))
    except KeyboardInterrupt:
        sys.exit(say("Interrupted.", "interrupted", 130))
    except CapwrightError as error:
        code = next((code for kind, code in EXIT_OF_ERROR if isinstance(error, kind)), 1)
        sys.exit(say(str(error), type(error).__name__, code))


def say(message: str, kind: str, code: int, shown: bool = False) -> int:
    """Print the error where the caller looks for it; the exit code."""
    if "--json" in sys.argv:
        sys.stdout.write(json.dumps({"error": kind, "message": message, "exit": code}) + "\n")
    elif not shown:
        sys.stderr.write(f"{message}\n")
    return code
