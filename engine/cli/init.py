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

# What explorations may use: discover explore --target shop --evaluator orders --goal …
# [[targets]]
# id = "shop"
# url = "https://shop.example"
# policy = "policies/example.yaml"      # without one: the home's own, else the default
# secrets = ["user", "password"]        # names; values come from CAPWRIGHT_SECRET_USER, CAPWRIGHT_SECRET_PASSWORD
# baseline = "read-order@1.0.0"         # a capability to improve; without it explorations start from nothing
# inputs = { orderNumber = "1001" }     # named values of the goal; keep them out of the case table
#
# [[roots]]                             # folders to explore; no subject of this version explores folders yet
# id = "parser"
# path = "../parser"                    # relative to this home
#
# [[evaluators]]                        # replays every candidate over a table of cases:
# name = "orders"                       # {"cases": [{"inputs": {"orderNumber": "1002"}, "outputs": {"total": "12.50"}}],
# target = "shop"                       #  "replays": 2, "risk": "read_only"}; a case may have a "target" of its own
# cases = "cases/orders.json"           # other evaluators: discover evaluator register NAME FOLDER
#
# [[agents]]                            # without any: one named "local", managed by whoever runs the commands
# agent_id = "orders-agent"
# managers = ["pat"]                    # may create runs directly, and decide about those of others
# roots = ["shop"]                      # ids of targets
# evaluators = ["orders"]
# runtimes = ["browser"]
#
# [[users]]                             # who may sign in; `discover password` makes the hash
# name = "pat"
# password = "$argon2id$…"
# roles = ["manager"]                   # viewer, requester, manager, operator
#
# [[tokens]]                            # callers over HTTP; `discover explore token pat` makes one
# user = "pat"
# sha256 = "…"
#
# [prices."my-model"]                   # dollars for a million tokens, where the endpoint reports no cost
# input = 0.30
# output = 2.50
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
