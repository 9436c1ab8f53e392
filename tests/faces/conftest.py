import subprocess
from pathlib import Path

import pytest

from engine.browser.launch import Browser
from engine.domain.capability import Capability
from engine.faces import playwright_file, pytest_file
from tests.faces import bare
from tests.faces.bare import Bare, Ran
from tests.faces.site import fill
from tests.pages import Pages


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Bare:
    """One environment with Playwright and pytest alone, for all tests of a worker."""
    try:
        return bare.make(tmp_path_factory.mktemp("bare") / "venv")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"packages cannot be had here: {error.stderr.decode()[-300:]}")


class Exported:
    """Capabilities as files in a folder, run against the served site in the bare environment."""

    def __init__(self, environment: Bare, folder: Path, pages: Pages, browser: str) -> None:
        self.environment = environment
        self.folder = folder
        self.pages = pages
        self.browser = browser

    async def script(self, capability: Capability, *arguments: str, **variables: str) -> Ran:
        """Export as a script and run it."""
        (self.folder / "it.py").write_text(playwright_file.write(capability))
        target = ("--target", self.pages.url)
        return await self.environment.run(self.folder, "it.py", *target, *arguments, **self.set(variables))

    async def test(self, capability: Capability, **variables: str) -> Ran:
        """Export as a test and run it with warnings as errors."""
        (self.folder / "test_it.py").write_text(pytest_file.write(capability))
        command = ("-m", "pytest", "-q", "-rs", "-W", "error", "-p", "no:cacheprovider", "test_it.py")
        given = {"CAPWRIGHT_TARGET": self.pages.url, **variables}
        return await self.environment.run(self.folder, *command, **self.set(given))

    def set(self, variables: dict[str, str]) -> dict[str, str]:
        """With the browser of this machine, if it is not Playwright's own."""
        return {"CAPWRIGHT_SECONDS": "3", **variables} | ({"CAPWRIGHT_BROWSER": self.browser} if self.browser else {})


@pytest.fixture
def exported(environment: Bare, tmp_path: Path, pages: Pages, browser: Browser) -> Exported:
    """The site, and a folder to export to."""
    fill(pages)
    return Exported(environment, tmp_path, pages, browser.candidate.executable or "")
