"""Which browser to use: an explicit one, else Playwright's own, else an installed Chrome, Edge or Chromium."""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ON_PATH = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

HOW_TO_GET_ONE = (
    "No browser could be started. Install one: `python -m playwright install chromium`, "
    "or on Debian and Ubuntu `apt-get install chromium`; or name one with CAPWRIGHT_BROWSER=/path/to/chrome."
)


LINUX = {"chrome": "/opt/google/chrome/chrome", "msedge": "/opt/microsoft/msedge/msedge"}
"""Where Playwright looks for these channels on Linux; elsewhere it is asked."""


@dataclass(frozen=True)
class Candidate:
    """One browser that may be there; with neither path nor channel it is Playwright's own."""

    source: str
    executable: str | None = None
    channel: str | None = None

    def absent(self, own: str) -> str:
        """Where it should be and is not, else empty; `own` is the path of Playwright's own. A launch in vain leaves folders."""
        if not self.executable and not self.channel:
            # A browser without a window has a folder of its own beside it.
            folder = next((each for each in Path(own).parents if each.name.startswith("chromium")), Path(own))
            return "" if any(folder.parent.glob("chromium*")) else own
        path = self.executable or (LINUX[self.channel or ""] if sys.platform == "linux" else "")
        return "" if not path or Path(path).exists() else path


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
