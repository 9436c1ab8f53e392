"""The parameters of the core's requests; unknown fields are refused."""

from pydantic import Field

from engine.domain.exploration import MAX_CELLS, ApprovalState
from engine.domain.exploring import Slug, TaskRequest
from engine.domain.frozen import Frozen

RUN_ID = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"


class CatalogForm(Frozen):
    """discovery.catalog"""

    agent_id: Slug


CreateForm = TaskRequest
"""tasks.create"""


class ListForm(Frozen):
    """discovery.list"""

    agent_id: Slug | None = None
    limit: int = Field(default=100, ge=1, le=100)


class TreeForm(Frozen):
    """discovery.tree; `after_cell` and `limit` page it"""

    run_id: str = Field(pattern=RUN_ID)
    after_cell: str | None = Field(default=None, max_length=40)
    limit: int = Field(default=MAX_CELLS, ge=1, le=MAX_CELLS)


class RunForm(Frozen):
    """discovery.cancel, discovery.pause, discovery.resume"""

    run_id: str = Field(pattern=RUN_ID)


class ArtifactForm(Frozen):
    """discovery.artifact; without `file_id` the metadata"""

    run_id: str = Field(pattern=RUN_ID)
    file_id: str | None = Field(default=None, pattern=r"^[0-9a-f]{24}$")


class EventsForm(Frozen):
    """discovery.events"""

    run_id: str = Field(pattern=RUN_ID)
    after_seq: int = Field(default=0, ge=0)
    limit: int = Field(default=1000, ge=1, le=1000)


class ApprovalsForm(Frozen):
    """approvals.list"""

    state: ApprovalState | None = None
    limit: int = Field(default=100, ge=1, le=100)


class DecideForm(Frozen):
    """approvals.decide"""

    id: str = Field(pattern=RUN_ID)
    approve: bool
    comment: str = Field(default="", max_length=2000)
