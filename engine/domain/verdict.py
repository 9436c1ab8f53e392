"""What the guard answers about one action: a permit, a refusal, or that a person must be asked."""

from typing import Literal, TypeAlias

from pydantic import Field

from engine.domain.action import Action
from engine.domain.frozen import Frozen


class Facts(Frozen):
    """What is known about an action's place when it is judged, read from the live element."""

    page_url: str
    role: str = ""
    name: str = ""
    input_type: str = ""
    form_action: str = ""
    form_method: str = ""
    form_password: bool = Field(
        default=False, description="The element's form is a login: one password field and at most two fields more"
    )
    submits: bool = Field(default=False, description="The element is a submit button of its form")
    link: str = Field(default="", description="Where the link that the element is or is in leads")
    frame_url: str = ""
    fingerprint: str = ""


class Permit(Frozen):
    """Leave to perform exactly this action here; only the guard makes one, and the actor accepts nothing else."""

    kind: Literal["permit"] = "permit"
    action: Action
    facts: Facts
    rule: str
    approval_id: str | None = None


class Refusal(Frozen):
    """The policy forbids it; `rule` is the line that decides."""

    kind: Literal["refusal"] = "refusal"
    action: Action
    rule: str
    why: str


class ApprovalNeeded(Frozen):
    """The policy wants a person's yes for exactly this action here."""

    kind: Literal["approval_needed"] = "approval_needed"
    action: Action
    facts: Facts
    rule: str
    why: str


Verdict: TypeAlias = Permit | Refusal | ApprovalNeeded
