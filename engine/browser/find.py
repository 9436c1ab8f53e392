"""Which browser to use: an explicit one, else Playwright's own, else an installed Chrome, Edge or Chromium."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass

ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

HOW_TO_GET_ONE = (
    "No browser could be started. Install one: `python -m playwright install chromium`, "
    "or on Debian and Ubuntu `apt-get install chromium`; or name one with CAPWRIGHT_BROWSER=/path/to/chrome."
)


@dataclass(frozen=True)
class Candidate:
    """One browser that may be there; with neither path nor channel it is Playwright's own."""

    source: str
    executable: str | None = None
    channel: str | None = None


def candidates(setting: str | None, environment: Mapping[str, str]) -> tuple[Candidate, ...]:
    """Browsers to try in order; an explicit setting is the only one tried, so that a typo never picks another browser."""
    explicit = setting or environment.get("CAPWRIGHT_BROWSER")
    if explicit:
        return (Candidate("setting", executable=explicit),)
    path = environment.get("PATH", os.defpath)
    found = (shutil.which(name, path=path) for name in ON_PATH)
    return (
        Candidate("Playwright's own"),
        Candidate("channel chrome", channel="chrome"),
        Candidate("channel msedge", channel="msedge"),
        *(Candidate("PATH", executable=executable) for executable in found if executable),
    )
