"""Steps of a run as a page shows them: in words, with a picture and the box of what was acted on."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.domain.action import Action, Extract
from engine.domain.step import Step, TargetSeen
from engine.domain.verdict import Refusal
from engine.web.folder import Folder

VIEW = (1280, 800)
"""Size of a picture whose own size cannot be read, in CSS pixels."""
NEAR, MARGIN = 0.55, 120.0
FRAMES = frozenset({0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF})


@dataclass(frozen=True)
class Box:
    """A rectangle in CSS pixels of the view, named where there are several."""

    x: float
    y: float
    width: float
    height: float
    name: str = ""


@dataclass(frozen=True)
class Picture:
    """A screenshot with the boxes of the targets that lie in it."""

    href: str
    width: int
    height: int
    boxes: tuple[Box, ...]

    @property
    def view(self) -> Box:
        """The part around the boxes at which they can be read; the whole where there is none."""
        if not self.boxes:
            return Box(0, 0, self.width, self.height)
        left, top = min(box.x for box in self.boxes), min(box.y for box in self.boxes)
        right = max(box.x + box.width for box in self.boxes)
        bottom = max(box.y + box.height for box in self.boxes)
        ratio = self.width / self.height
        wide = min(self.width, max(self.width * NEAR, right - left + MARGIN, (bottom - top + MARGIN) * ratio))
        high = wide / ratio
        x = min(max(0.0, (left + right - wide) / 2), self.width - wide)
        y = min(max(0.0, (top + bottom - high) / 2), self.height - high)
        return Box(round(x, 1), round(y, 1), round(wide, 1), round(high, 1))


@dataclass(frozen=True)
class Turn:
    """One step in words."""

    step: Step
    on: str
    given: str
    picture: Picture | None
    millis: float
    mood: str

    @property
    def number(self) -> int:
        """As in steps.jsonl."""
        return self.step.number


def turns(run_id: str, folder: Folder, steps: Iterable[Step]) -> tuple[Turn, ...]:
    """The steps as turns."""
    return tuple(turn(run_id, folder, step) for step in steps)


def turn(run_id: str, folder: Folder, step: Step) -> Turn:
    """One step as a turn."""
    timing = step.timing
    return Turn(
        step=step,
        on=place_of(step),
        given=given(step.decision.action),
        picture=picture(run_id, folder, step),
        millis=timing.observe + timing.decide + timing.judge + timing.act + timing.record,
        mood="doubt" if step.outcome.in_doubt else "good" if step.outcome.ok else "bad",
    )


def place_of(step: Step) -> str:
    """What was acted on: `button "Search"`."""
    facts = None if isinstance(step.verdict, Refusal) else step.verdict.facts
    seen = step.outcome.target
    role = (facts.role if facts else "") or (seen.role if seen else "")
    name = (facts.name if facts else "") or (seen.name if seen else "")
    return f'{role} "{name}"' if role or name else ""


def given(action: Action) -> str:
    """What was put in, opened, pressed or said."""
    if isinstance(action, Extract):
        return ", ".join(reading.name for reading in action.readings)
    for field in ("text", "url", "key", "summary", "problem", "file"):
        if value := getattr(action, field, None):
            return str(value)
    return ", ".join(getattr(action, "options", ()))


def picture(run_id: str, folder: Folder, step: Step) -> Picture | None:
    """The screenshot with its boxes, or None when none was taken."""
    if step.screenshot is None:
        return None
    width, height = picture_size(folder, step.screenshot)
    seen = (step.outcome.target, *step.outcome.targets.values())
    boxes = tuple(box for target in seen if (box := _box(target, width, height)) is not None)
    return Picture(f"/admin/runs/{run_id}/files/{step.screenshot}", width, height, boxes)


def picture_size(folder: Folder, name: str) -> tuple[int, int]:
    """Width and height of a JPEG of the folder."""
    return jpeg_size(folder.read(name)) or VIEW if name in folder.names else VIEW


def jpeg_size(content: bytes) -> tuple[int, int] | None:
    """Width and height out of a JPEG's frame header; None for what is none."""
    at = 2
    while content[:2] == b"\xff\xd8" and at + 9 <= len(content) and content[at] == 0xFF:
        if content[at + 1] in FRAMES:
            return int.from_bytes(content[at + 7 : at + 9]), int.from_bytes(content[at + 5 : at + 7])
        at += 2 + int.from_bytes(content[at + 2 : at + 4])
    return None


def _box(target: TargetSeen | None, width: int, height: int) -> Box | None:
    if target is None or target.box is None:
        return None
    x, y, wide, high = target.box
    inside = wide > 0 and high > 0 and -wide < x < width and -high < y < height
    return Box(round(x - 3, 1), round(y - 3, 1), round(wide + 6, 1), round(high + 6, 1)) if inside else None
