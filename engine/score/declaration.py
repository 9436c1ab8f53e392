"""What the operator declares about an evaluator, in `evaluator.toml` inside its folder."""

import tomllib
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from engine.domain.exploration import Direction
from engine.domain.frozen import Frozen
from engine.errors import UsageError

PROTOCOL = 1
FILE = "evaluator.toml"


class Fixture(Frozen):
    """An example the evaluator must judge rightly; `path` is a folder inside the evaluator's."""

    path: str = Field(min_length=1, max_length=200)
    kind: Literal["good", "cheating", "baseline"]
    fail_class: Literal["invalid_solution", "runtime_error", "timeout", "no_output", "tamper"] | None = None

    @model_validator(mode="after")
    def _says_how_it_fails(self) -> "Fixture":
        if (self.kind == "cheating") != (self.fail_class is not None):
            raise ValueError("a cheating fixture, and no other, declares the fail_class it must fail with")
        return self


class EvaluatorLimits(Frozen):
    """Bounds of one run of the evaluator."""

    wall_seconds: float = Field(default=60, gt=0, le=3600)
    cpu_seconds: int = Field(default=60, ge=1, le=3600)
    memory_mib: int = Field(default=2048, ge=16, le=65_536)
    processes: int = Field(default=64, ge=1, le=1024)


class Declaration(Frozen):
    """`command` is an executable inside the folder with its arguments; `interpreter` runs it, `python` is the engine's own."""

    command: tuple[str, ...] = Field(min_length=1, max_length=64)
    interpreter: str = Field(default="", max_length=400)
    answer: Literal["envelope", "metric_line"] = "envelope"
    metric: str = Field(default="", max_length=64)
    channel: Literal["fd", "stdout"] = "fd"
    direction: Direction = "max"
    repeats: int = Field(default=1, ge=1, le=9)
    min_delta: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    timing_sensitive: bool = False
    isolation: Literal["preferred", "required"] = "preferred"
    limits: EvaluatorLimits = EvaluatorLimits()
    fixtures: tuple[Fixture, ...] = Field(min_length=2, max_length=64)

    @model_validator(mode="after")
    def _whole(self) -> "Declaration":
        if (self.answer == "metric_line") != bool(self.metric):
            raise ValueError("metric names the one key of a metric_line, and belongs to nothing else")
        if not {"good", "cheating"} <= {fixture.kind for fixture in self.fixtures}:
            raise ValueError("at least one good and one cheating fixture are needed")
        if any(part in ("", ".", "..") for fixture in self.fixtures for part in fixture.path.split("/")):
            raise ValueError("a fixture's path stays inside the evaluator's folder")
        return self


def parse_declaration(text: str) -> Declaration:
    """The declaration of a TOML text; raises UsageError that names the field."""
    try:
        return Declaration.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{FILE}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise UsageError(f"{FILE}: {where}: {first['msg']}") from error
