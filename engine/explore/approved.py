"""What the operator writes into config.toml for explorations: targets, roots, case tables and tokens."""

from pydantic import Field

from engine.domain.exploring import Slug
from engine.domain.frozen import Frozen


class ApprovedTarget(Frozen):
    """One `[[targets]]` table: where a browser may be sent, under which policy, and what a discovery is given there."""

    id: Slug
    url: str = Field(pattern=r"^https?://", max_length=2000)
    policy: str | None = Field(default=None, description="Policy file; without one the home's own, else the default")
    secrets: tuple[str, ...] = Field(default=(), description="Names; values come from CAPWRIGHT_SECRET_NAME")
    inputs: dict[str, str] = Field(default_factory=dict, description="Named values of the goal; no case table holds them")
    baseline: str | None = Field(default=None, description="Capability ID@VERSION that explorations start from")


class ApprovedRoot(Frozen):
    """One `[[roots]]` table: a folder that explorations may start from, once a subject explores folders; none does yet."""

    id: Slug
    path: str = Field(min_length=1, description="A folder, relative to the home")


class CaseScorer(Frozen):
    """One `[[evaluators]]` table: the built-in replay evaluator over one case table, under a name of its own."""

    name: Slug
    target: Slug
    cases: str = Field(min_length=1, description="JSON file with the case table, relative to the home")


class BearerToken(Frozen):
    """One `[[tokens]]` table: who a caller with this token is. Only the hash is written down."""

    user: str = Field(min_length=1, max_length=64)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", repr=False)
