"""The operators of drift as a table: what each must lead to, and at which steps it is tried. `operators.js` does them."""

# ruff: noqa: E501

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["must pass", "pass or abort", "must abort"]
SCRIPT = (Path(__file__).parent / "operators.js").read_text()


@dataclass(frozen=True)
class Operator:
    """One change of a page. `steps`: the actions it is tried at; a commit is the step that writes."""

    name: str
    kind: Kind
    steps: tuple[str, ...] = ("click", "type", "select", "extract", "commit")


ACTS = ("click", "type", "select", "commit")
FIELDS = ("type", "select")
COMMIT = ("commit",)
OPERATORS = {
    each.name: each
    for each in (
        *(
            Operator(name, "must pass")
            for name in (
                "wrap", "unwrap", "sibling inserted", "banner on top", "siblings reordered", "moved within main",
                "classes rehashed", "id removed", "id renamed", "name removed", "test id removed", "hidden twin", "row inserted",
                "redesign", "open shadow root", "rendered 0.1 s late", "rendered 1 s late", "rendered 5 s late", "virtual list",
                "slow first answer", "first answer 503",
            )
        ),
        *(
            Operator(name, "must pass", ACTS)
            for name in (
                "tag swapped", "case, spaces and quotes", "icon inside", "href otherwise", "input type", "node replaced while acting",
            )
        ),
        *(Operator(name, "pass or abort") for name in ("aria lost", "region into a frame", "numbers of another locale")),
        *(Operator(name, "pass or abort", ACTS) for name in ("label reworded", "visible twin", "overlay", "another tab")),
        Operator("labels swapped with names", "pass or abort", FIELDS),
        *(Operator(name, "must abort") for name in ("locale changed", "target removed", "cloned row")),
        Operator("same place, other meaning", "must abort", ACTS),
        Operator("session ended", "must abort", ("click", "commit")),
        *(
            Operator(name, "must abort", COMMIT)
            for name in ("extra step", "new required field", "another form action", "amount changed in the question")
        ),
        *(Operator(name, "must abort", ("type",)) for name in ("amount changed after typing", "amount changed on the way")),
    )
}  # fmt: skip
