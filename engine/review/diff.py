"""Two versions of a capability: what changed for whoever calls it, and what only moved on the page."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from engine.domain.capability import Capability
from engine.domain.frozen import Frozen
from engine.review.schemas import schema_changes
from engine.review.steps import step_changes
from engine.review.wording import conditions

Side: TypeAlias = Literal["caller", "page"]
Area: TypeAlias = Literal[
    "inputs", "outputs", "effects", "risk", "target", "text",
    "locators", "fingerprint", "conditions", "steps", "reading",
]  # fmt: skip
Bump: TypeAlias = Literal["major", "minor", "patch"]
BUMPS: tuple[Bump, ...] = ("patch", "minor", "major")
HEADINGS: dict[Side, str] = {"caller": "For whoever calls it", "page": "On the page only"}


class Change(Frozen):
    """One difference. `where` names the input, output or step; `before` or `after` is empty when it came or went."""

    side: Side
    area: Area
    bump: Bump
    where: str
    what: str
    before: str = ""
    after: str = ""

    @property
    def sentence(self) -> str:
        """One line for a person."""
        arrow = f": {self.before or 'nothing'} → {self.after or 'nothing'}" if self.before or self.after else ""
        return f"{self.where}: {self.what}{arrow}"


class Diff(Frozen):
    """All differences between two versions; `bump` is what the newer content asks for, None when nothing differs."""

    before: str
    after: str
    changes: tuple[Change, ...]

    @property
    def bump(self) -> Bump | None:
        """The largest that any change asks for."""
        return max((change.bump for change in self.changes), key=BUMPS.index, default=None)

    def on(self, side: Side) -> tuple[Change, ...]:
        """The changes of one side."""
        return tuple(change for change in self.changes if change.side == side)

    def text(self) -> str:
        """For a person: both sides under their headings, also when one is empty."""
        lines = [f"{self.before} → {self.after}"]
        for side, heading in HEADINGS.items():
            found = self.on(side)
            lines += ["", heading, *(f"  {change.sentence}" for change in found or ())]
            lines += [] if found else ["  nothing"]
        return "\n".join([*lines, "", f"Asks for: {self.bump or 'no new version'}"])


def diff(before: Capability, after: Capability) -> Diff:
    """The differences from one version to another; provenance and reviews are not content and do not count."""
    named = [f"{one.id}@{one.version}" for one in (before, after)]
    return Diff(before=named[0], after=named[1], changes=tuple(_changes(before, after)))


def _changes(before: Capability, after: Capability) -> Iterator[Change]:
    for area, old, new in (("inputs", before.inputs, after.inputs), ("outputs", before.outputs, after.outputs)):
        for found in schema_changes(old, new, inward=area == "inputs"):
            where = f"{area[:-1]} {found.name}" if found.name else area
            yield Change.model_validate({"side": "caller", "area": area, "where": where, **found.model_dump(exclude={"name"})})
    for field, area, bump in (("risk_class", "risk", "major"), ("target", "target", "major"),
                              ("title", "text", "patch"), ("description", "text", "patch")):  # fmt: skip
        old_text, new_text = getattr(before, field), getattr(after, field)
        if old_text != new_text:
            row = {"side": "caller", "area": area, "bump": bump, "where": field.replace("_", " "), "what": "changed"}
            yield Change.model_validate({**row, "before": old_text, "after": new_text})
    for step in step_changes(before.steps, after.steps):
        yield Change.model_validate(step.model_dump())
    if before.checkpoint != after.checkpoint:
        yield Change(
            side="page", area="conditions", bump="patch", where="checkpoint", what="what proves that it arrived",
            before=conditions(before.checkpoint), after=conditions(after.checkpoint),
        )  # fmt: skip
