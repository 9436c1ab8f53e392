"""A fresh home for every journey, with the practice bank's credentials as secrets."""

from pathlib import Path

import pytest

from engine.demo import DEMO_PASSWORD, DEMO_USER
from tests.journeys.command import Command


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The `discover` command in a fresh home."""
    secrets = {"CAPWRIGHT_SECRET_USER": DEMO_USER, "CAPWRIGHT_SECRET_PASSWORD": DEMO_PASSWORD}
    return Command(tmp_path / "home", secrets)
