"""config.toml and environment → one frozen Settings; nothing else in the engine reads either."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from engine.access.users import User
from engine.domain.cost import ModelPrice
from engine.domain.frozen import Frozen
from engine.errors import SettingsInvalid
from engine.explore.approved import ApprovedRoot, ApprovedTarget, BearerToken, CaseScorer
from engine.explore.catalog import Agent

ENVIRONMENT = {
    "browser": "CAPWRIGHT_BROWSER",
    "model": "CAPWRIGHT_MODEL",
    "base_url": "CAPWRIGHT_BASE_URL",
    "screenshots": "CAPWRIGHT_SCREENSHOTS",
}


class Settings(Frozen):
    """What an installation is set to. The environment wins over config.toml; command-line options win over both."""

    home: Path
    browser: str | None = None
    model: str | None = None
    base_url: str | None = None
    screenshots: Literal["auto", "always", "never"] = "auto"
    policy: str | None = Field(default=None, description="Policy file for runs that name none, relative to the home")
    users: tuple[User, ...] = Field(default=(), repr=False, description="Who may sign in to the admin; `discover password`")
    targets: tuple[ApprovedTarget, ...] = Field(default=(), description="Where explorations may send a browser")
    roots: tuple[ApprovedRoot, ...] = Field(default=(), description="Folders that explorations may start from")
    evaluators: tuple[CaseScorer, ...] = Field(default=(), description="Case tables that score explored capabilities")
    agents: tuple[Agent, ...] = Field(default=(), description="Whom explorations are assigned to, and who manages them")
    tokens: tuple[BearerToken, ...] = Field(default=(), repr=False, description="Callers of the requests over HTTP")
    prices: Mapping[str, ModelPrice] = Field(default_factory=dict, description="US dollars for a million tokens, by model")
    environment: Mapping[str, str] = Field(default_factory=dict, exclude=True, repr=False)

    @model_validator(mode="after")
    def _named_once(self) -> "Settings":
        """A request names these by id alone, so an id stands for one thing."""
        starts = [target.id for target in self.targets] + [root.id for root in self.roots]
        names = (
            [each.name for each in self.evaluators],
            [each.agent_id for each in self.agents],
            [each.name for each in self.users],
        )
        for table in (starts, *names):
            if twice := sorted({name for name in table if table.count(name) > 1}):
                raise ValueError(f"{', '.join(twice)} stands for more than one thing")
        return self

    @property
    def capabilities(self) -> Path:
        """Where capabilities are kept: capabilities/ID/VERSION.json."""
        return self.home / "capabilities"

    @property
    def evidence(self) -> Path:
        """One folder a run."""
        return self.home / "evidence"

    @property
    def policies(self) -> Path:
        """Policy files by name."""
        return self.home / "policies"

    @property
    def state(self) -> Path:
        """The database."""
        return self.home / "state" / "capwright.sqlite"


def config_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of config.toml."""
    schema = Settings.model_json_schema()
    for name in ("home", "environment"):
        del schema["properties"][name]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "config.toml", "required": []}


def load(environment: Mapping[str, str], directory: Path) -> Settings:
    """Settings of the home named by CAPWRIGHT_HOME, else of `directory`. Raises SettingsInvalid with file and field."""
    home = Path(environment.get("CAPWRIGHT_HOME") or directory).expanduser().resolve()
    file = home / "config.toml"
    written: dict[str, object] = {}
    if file.is_file():
        try:
            written = tomllib.loads(file.read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsInvalid(f"{file} is not TOML: {error}. Correct it, or move it away.") from error
    given = {field: environment[name] for field, name in ENVIRONMENT.items() if environment.get(name)}
    try:
        return Settings.model_validate({**written, **given, "home": home, "environment": dict(environment)})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise SettingsInvalid(f"{file}: {field}: {first['msg']}. `discover doctor --schema` lists what can be set.") from error
