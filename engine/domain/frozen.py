"""The one base of every record: immutable, and strict about unknown fields."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """An immutable record that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
