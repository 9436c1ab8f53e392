"""The settings of this process: its environment and working directory."""

import os
from pathlib import Path

from engine.settings import Settings, load


def current() -> Settings:
    """Settings of CAPWRIGHT_HOME, else of the working directory."""
    return load(os.environ, Path.cwd())
