"""Cuts a goal's sentence into clauses that each begin with a verb; what is quoted is never cut."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

ATOM = r"⟦\d+⟧"
_QUOTED = re.compile(
    r"\{\{secret\.\w+\}\}|\{\{?(?P<input>\w+)\}?\}|\"([^\"]*)\"|“([^”]*)”|«([^»]*)»|(?<!\w)'([^']*)'(?!\w)|(?<!\w)‘([^’]*)’(?!\w)|`([^`]*)`"
)
_LONE = re.compile(r"submit|(?:log|sign) ?(?:in|on|out|off)")
_LINK = r"(?:(?:and|then|finally|afterwards|next|please)[,\s]+)*"


@dataclass(frozen=True)
class Masked:
    """A sentence whose quoted parts and secret placeholders stand as ⟦0⟧, ⟦1⟧ …; `atoms` holds what they stand for."""

    text: str
    atoms: tuple[str, ...]

    def restore(self, text: str) -> str:
        """The text with every mark replaced by what it stands for."""
        return re.sub(ATOM, lambda match: self.atoms[int(match[0][1:-1])], text)


def mask(sentence: str, inputs: Mapping[str, str]) -> Masked:
    """Mark what is quoted and what stands for an input (`{name}`), and make apostrophes and white space plain."""
    atoms: list[str] = []

    def keep(match: re.Match[str]) -> str:
        if match["input"] and match["input"] not in inputs:
            return match[0]
        inside = next((group for group in match.groups() if group is not None), match[0])
        atoms.append(inputs[match["input"]] if match["input"] else inside)
        return f"⟦{len(atoms) - 1}⟧"

    text = _QUOTED.sub(keep, sentence.replace("⟦", "[").replace("⟧", "]"))
    return Masked(" ".join(text.replace("’", "'").split()), tuple(atoms))


def cut(text: str, verbs: str) -> list[str]:
    """Clauses of a masked sentence. A verb starts one after a full stop, or in lower case after `and`, `then` or a comma,
    and only when something follows that it can be about; `verbs` is a regular expression of all verbs."""
    boundary = re.compile(rf"(?:(?P<stop>[.;!?:]\s+)|\s*,\s*|\s+(?=(?:and|then)\s)){_LINK}(?P<verb>(?i:{verbs}))(?![\w-])")
    starts, clauses = [0], []
    for match in boundary.finditer(text):
        verb, rest = match["verb"], text[match.end() :].lstrip()
        if (match["stop"] or verb[0].islower()) and (_LONE.fullmatch(verb.lower()) or _has_object(rest)):
            clauses.append(text[starts[-1] : match.start()])
            starts.append(match.start("verb"))
    clauses.append(text[starts[-1] :])
    return [clause for clause in (_trim(each) for each in clauses) if clause]


def _has_object(rest: str) -> bool:
    return re.match(r"(?!(?:and|or|of|from|for)\b)[^\s,.;]", rest) is not None


def _trim(clause: str) -> str:
    plain = re.sub(rf"^{_LINK}", "", clause.strip(), flags=re.IGNORECASE)
    return plain.strip(" ,;:!?").removesuffix(".").strip()
