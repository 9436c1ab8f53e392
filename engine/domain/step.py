"""One turn of the loop and all of them: what was seen, decided, judged and what came of it."""

from datetime import datetime
from typing import Literal, TypeAlias

from pydantic import Field

from engine.domain.action import Decision
from engine.domain.frozen import Frozen
from engine.domain.observation import DialogSeen, Download
from engine.domain.usage import Usage
from engine.domain.verdict import ApprovalNeeded, Permit, Refusal

StepEffect: TypeAlias = Literal["read", "idempotent", "commit"]
"""What doing it twice would mean: nothing, the same, or a second effect."""


class RequestSeen(Frozen):
    """A request other than GET or HEAD that the page sent while an action ran; the body is never kept."""

    method: str
    url: str
    status: int | None = None


class Value(Frozen):
    """One extracted value: the raw text of the page and its parsed form (JSON-able)."""

    name: str
    raw: str
    parsed: object = None


class TargetSeen(Frozen):
    """What the live page knew about the element at the moment of the action: the distiller's raw material.

    `candidates` are the locators that matched exactly one element just then, best first (JSON of capability.Locator);
    `fingerprint` is the JSON of capability.Fingerprint.
    """

    role: str = ""
    name: str = ""
    label: str = ""
    candidates: tuple[str, ...] = ()
    fingerprint: str = ""
    box: tuple[float, float, float, float] | None = None
    options: tuple[str, ...] = Field(default=(), description="Labels of a select's options")
    value_before: str = ""
    text: str = Field(default="", description="Visible text")
    cells: tuple[str, ...] = Field(default=(), description="Locators of the table cell that it is or is in, by headers")
    column: str = Field(default="", description="Header of its column")
    headers: tuple[str, ...] = Field(default=(), description="Column headers when it is a table")
    lang: str = Field(default="", description="Language of its document")
    said: tuple[str, ...] = Field(
        default=(), description="What stood on the page when a button or link was about to be pressed"
    )


class Outcome(Frozen):
    """What came of an action."""

    ok: bool
    problem: str = Field(default="", description="A sentence for the planner and for people; empty when ok")
    held: str = Field(default="", description="What a person must approve before it can happen: a dialog or a write")
    denied: bool = Field(default=False, description="A person said no, or did not answer in time")
    out_of_scope: bool = Field(default=False, description="The page ended where the policy does not allow it")
    url_before: str = ""
    url_after: str = ""
    title_after: str = ""
    new_tab: bool = False
    changed: bool = Field(default=True, description="The page differs from before the action")
    appeared: tuple[str, ...] = Field(default=(), description="Headings and alerts that were not there before")
    dialogs: tuple[DialogSeen, ...] = ()
    downloads: tuple[Download, ...] = ()
    requests: tuple[RequestSeen, ...] = ()
    target: TargetSeen | None = None
    values: tuple[Value, ...] = ()
    targets: dict[str, TargetSeen] = Field(default_factory=dict, description="For extract: reading name to what held it")
    in_doubt: bool = Field(default=False, description="It may or may not have happened")


class Timing(Frozen):
    """Milliseconds spent in each stage of a step."""

    observe: float = 0
    decide: float = 0
    judge: float = 0
    act: float = 0
    record: float = 0


class Step(Frozen):
    """One turn of the loop, as it stands in steps.jsonl."""

    number: int = Field(ge=1)
    at: datetime
    url: str
    title: str
    fingerprint: str
    snapshot: str = Field(description="Path of the whole snapshot, relative to the evidence folder")
    screenshot: str | None = None
    decision: Decision
    verdict: Permit | Refusal | ApprovalNeeded = Field(discriminator="kind")
    outcome: Outcome
    usage: Usage = Field(default=Usage(), description="Model use of the run up to this step")
    timing: Timing = Timing()


Trajectory: TypeAlias = tuple[Step, ...]
