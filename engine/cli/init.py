"""`discover init`: make a folder a home."""

from pathlib import Path
from typing import Annotated

import typer

from engine.cli import show

CONFIG = """\
# Settings of this home. The environment wins over this file, options on the command line win over both.
# model = "google/gemini-2.5-flash"     # or CAPWRIGHT_MODEL; "embedded" needs no model
# base_url = "http://127.0.0.1:11434/v1"  # any OpenAI-compatible endpoint; or CAPWRIGHT_BASE_URL
# browser = "/usr/bin/chromium"         # or CAPWRIGHT_BROWSER; without it the browser is searched for
# screenshots = "auto"                  # auto, always, never
# policy = "policies/example.yaml"      # for runs that name none
"""


def init(directory: Annotated[Path, typer.Argument(help="The folder; made if it is not there.")] = Path()) -> None:
    """Make a folder a home: config.toml, capabilities/, policies/, evidence/, state/. Files that exist stay as they are."""
    for name in ("capabilities", "policies", "evidence", "state"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    config = directory / "config.toml"
    if config.exists():
        show.out.print(f"{config} is there already; nothing of it was changed.", markup=False)
    else:
        config.write_text(CONFIG)
        show.out.print(f"Wrote {config}. Next: discover doctor", markup=False)
