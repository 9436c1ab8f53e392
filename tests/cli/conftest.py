from pathlib import Path

import pytest

from engine.domain.capability import Capability
from engine.store.capabilities import CapabilityStore
from tests.faces.site import fill
from tests.journeys.command import Command
from tests.pages import Pages


class Home(Command):
    """A home whose commands run as processes of their own."""

    def keep(self, *versions: Capability) -> None:
        """Put versions where a home keeps them."""
        for one in versions:
            CapabilityStore(self.home / "capabilities").keep(one)

    def file(self, one: Capability) -> Path:
        """Where a version is kept."""
        return self.home / "capabilities" / one.id / f"{one.version}.json"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home with the secret that the small capabilities need."""
    return Home(tmp_path / "home", {"CAPWRIGHT_SECRET_PIN": "9876", "PYTHONWARNINGS": "default"})


@pytest.fixture
def site(pages: Pages) -> Pages:
    """The small site."""
    fill(pages)
    return pages
