"""Every text of the admin that a visitor may read, as Babel finds it."""

from collections.abc import Iterator
from pathlib import Path

from babel.messages.extract import extract_from_dir

import engine.web

WEB = Path(engine.web.__file__).parent
METHODS = [("templates/**.html", "jinja2"), ("**.py", "python")]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "marked": None}
OPTIONS = {"templates/**.html": {"trim_blocks": "true", "lstrip_blocks": "true", "newstyle_gettext": "true"}}


def texts() -> Iterator[tuple[str, ...]]:
    """One tuple a message: the text, or singular and plural."""
    for _file, _line, message, _comments, _context in extract_from_dir(WEB, METHODS, OPTIONS, KEYWORDS):
        yield message if isinstance(message, tuple) else (message,)
