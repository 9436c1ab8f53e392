"""The case table of the replay evaluator: inputs and what must come out, held out from discovery."""

from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import Field, ValidationError

from engine.domain.capability import RiskClass
from engine.domain.frozen import Frozen
from engine.domain.text import fold
from engine.errors import UsageError


class Case(Frozen):
    """One example; `target` is another base URL for it: the same product at another tenant, or a page that has drifted."""

    inputs: dict[str, str] = Field(default_factory=dict)
    outputs: dict[str, Any] = Field(min_length=1)
    target: str = ""


class CaseTable(Frozen):
    """All cases, how often each is replayed, the most that a candidate may do, and seconds for one replay."""

    cases: tuple[Case, ...] = Field(min_length=1, max_length=200)
    replays: int = Field(default=2, ge=1, le=9)
    risk: RiskClass = "read_only"
    seconds: float = Field(default=60.0, gt=0, le=600)


def parse_cases(content: bytes, source: str) -> CaseTable:
    """The table of a JSON file; raises UsageError that names the field."""
    try:
        return CaseTable.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise UsageError(f"{source}: {where}: {first['msg']}") from error


def wrong_outputs(expected: dict[str, Any], read: dict[str, Any]) -> tuple[str, ...]:
    """Names of the outputs that are missing or differ; further outputs do no harm."""
    return tuple(name for name, value in expected.items() if name not in read or not same(value, read[name]))


def same(expected: Any, read: Any) -> bool:
    """Equal as JSON, as an amount however it is written, or as a text without regard to case and white space."""
    if expected == read:
        return True
    if isinstance(expected, dict | list):
        return False
    amounts = amount(expected), amount(read)
    if amounts[0] is not None:
        return amounts[0] == amounts[1]
    return isinstance(read, str) and fold(str(expected)) == fold(read)


def amount(value: Any) -> Decimal | None:
    """The number of `12.5`, `"$1,204.50"` or `{"amount": "1204.50", …}`; None for anything else."""
    if isinstance(value, dict):
        value = value.get("amount")
    if value is None or isinstance(value, bool | list | dict):
        return None
    try:
        return Decimal(str(value).strip().lstrip("$€£").replace(",", ""))
    except InvalidOperation:
        return None
