"""The artifact: a typed, versioned description of work in a web application that replays without a model."""

import hashlib
import json
from datetime import datetime
from typing import Any, Literal, TypeAlias

from pydantic import Field
from pydantic.alias_generators import to_camel

from engine.domain.action import ActionName, ValueType
from engine.domain.frozen import Frozen
from engine.domain.policy import DialogType
from engine.domain.step import StepEffect

RiskClass: TypeAlias = Literal["read_only", "reversible", "irreversible"]
JsonSchema: TypeAlias = dict[str, Any]


class _Camel(Frozen):
    model_config = Frozen.model_config | {"alias_generator": to_camel}


class Locator(_Camel):
    """One way to find an element; `value` and `column` may hold `{{input}}` placeholders, never a run's value.

    by=role: role + accessible name in `value`; label, placeholder, text, test_id, id, name: what the word says;
    cell: the cell in the column headed `column` ("" in a table without headers), in the row that has a cell `value`;
    after: the element right after a text, as `dd` after `dt`.
    As `within` only: row (the row, list item or card that has a cell or line `value`), region (a landmark, dialog, form, group
    or table of that role and name), section (what stands under a heading); `within` nests.
    match: exact (after folding white space, case and invisible characters), word (whole words), pattern (regular expression).
    """

    by: Literal["test_id", "role", "label", "placeholder", "text", "id", "name", "cell", "after", "row", "region", "section"]
    value: str = ""
    role: str = ""
    match: Literal["exact", "word", "pattern"] = "exact"
    column: str = ""
    within: "Locator | None" = None


class Fingerprint(_Camel):
    """What the element must still be; a locator's match whose fingerprint disagrees is drift, not a hit."""

    role: str = Field(default="", description="Empty where only the place counts, as for text that is read")
    tag: str = ""
    name: str = Field(default="", description="Regular expression over the normalised accessible name; may hold placeholders")
    input_type: str = ""
    region: str = Field(default="", description="Regular expression over role and name of a named region around it")
    form_method: str = ""
    form_action: str = Field(default="", description="Regular expression over the path")
    frames: tuple[str, ...] = Field(default=(), description="Outermost first; name=…, title=… or path=… (a pattern)")


class Target(_Camel):
    """The element a step acts on: ranked locators and what it must look like."""

    description: str = Field(description='For people: button "Search"')
    locators: tuple[Locator, ...] = Field(min_length=1)
    fingerprint: Fingerprint


class Condition(_Camel):
    """Something that must be true: a URL path, a visible or vanished element or text, a field's content."""

    kind: Literal["url", "visible", "hidden", "text", "field"]
    value: str = Field(default="", description="Path pattern, text or field content; may hold placeholders")
    target: Target | None = None


class DialogExpected(_Camel):
    """A JavaScript dialog that belongs to a step."""

    type: DialogType
    message: str = Field(description="Regular expression over the message; may hold placeholders")
    answer: Literal["accept", "dismiss"]


class Parser(_Camel):
    """How raw text becomes a typed value. Money is a decimal string and a currency, never a float."""

    type: ValueType = "text"
    locale: str = "en_US"
    currency: str | None = None
    pattern: str | None = Field(default=None, description="Regular expression with one group: the part that counts")


class Extractor(_Camel):
    """A deterministic way to read one output."""

    output: str
    kind: Literal["field", "text", "after_label", "cell", "table", "list", "attribute", "url_part", "file"]
    target: Target | None = None
    attribute: str = ""
    columns: tuple[str, ...] = ()
    parser: Parser = Parser()


class CapabilityStep(_Camel):
    """One step of a capability; `value` is a template: URL path, text, key or option."""

    id: str
    action: ActionName
    target: Target | None = None
    value: str | None = None
    match: Literal["exact", "word", "pattern"] = Field(default="exact", description="How an option is told from the others")
    effect: StepEffect = "read"
    expect: tuple[Condition, ...] = ()
    dialog: DialogExpected | None = None
    optional: bool = False
    extract: tuple[Extractor, ...] = ()


class ProofReplay(_Camel):
    """One replay that backs a draft; secret inputs are left out."""

    inputs: dict[str, str]
    ending: str
    outputs_sha256: str
    millis: int


class Explored(_Camel):
    """The exploration that a version won: which cell of which run, and by whose word."""

    run_id: str
    cell: str
    evaluator_hash: str
    artifact: str = Field(description="Digest of the sealed artifact")
    improved: bool | None = None


class Provenance(_Camel):
    """Where a version comes from."""

    discovery_model: str = ""
    discovery_run_id: str = ""
    transcript_digest: str = ""
    engine_version: str = ""
    evaluator: str | None = None
    score: float | None = None
    # Left out while there is none: the digest of a version that was made without an exploration stays what it was.
    explored: Explored | None = Field(default=None, exclude_if=lambda value: value is None)
    proof: tuple[ProofReplay, ...] = ()
    proof_note: str = Field(default="", description='"same inputs only" where there were no examples')
    parent_version: str | None = None
    why: str = ""


class Review(_Camel):
    """A person's decision, bound to the digest."""

    decision: Literal["approved", "rejected", "revoked"]
    by: str
    at: datetime
    digest: str
    comment: str = ""


class Capability(_Camel):
    """One version of one capability, as it stands in capabilities/ID/VERSION.json."""

    schema_version: Literal[1] = 1
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    title: str = Field(max_length=200)
    description: str = Field(default="", max_length=16_000)
    target: str = Field(description="Default base URL; steps use paths relative to it")
    inputs: JsonSchema
    outputs: JsonSchema
    steps: tuple[CapabilityStep, ...] = Field(min_length=1)
    checkpoint: tuple[Condition, ...] = Field(min_length=1)
    risk_class: RiskClass
    reviewed: bool = False
    review: Review | None = None
    provenance: Provenance = Provenance()

    def canonical(self) -> str:
        """JSON with sorted keys, without the review: what the digest covers."""
        content = self.model_dump(mode="json", by_alias=True, exclude={"reviewed", "review"})
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical form."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()
