"""Trajectories made by hand, without a browser."""

from datetime import UTC, datetime
from typing import Any

from engine.domain.action import Action, Click, Decision, Extract, Navigate, Reading, Select, Type, Wait
from engine.domain.capability import Fingerprint, Locator
from engine.domain.observation import DialogSeen
from engine.domain.run import Goal
from engine.domain.step import Outcome, RequestSeen, Step, TargetSeen, Value
from engine.domain.verdict import Facts, Permit

SITE = "http://127.0.0.1:9"


def seen(role: str, name: str, *more: Locator, **facts: Any) -> TargetSeen:
    """An element found by role and name, and by `more`."""
    print_ = Fingerprint(role=role, **facts.pop("print_", {}))
    locators = (*more, Locator(by="role", role=role, value=name)) if name else more
    return TargetSeen(
        role=role,
        name=name,
        label=name if role in ("textbox", "combobox") else "",
        candidates=tuple(dump(each) for each in locators),
        cells=tuple(dump(each) for each in facts.pop("cells", ())),
        fingerprint=dump(print_),
        **{"text": name, **facts},
    )


def dump(record: Locator | Fingerprint) -> str:
    """As the browser room writes it."""
    return record.model_dump_json(by_alias=True, exclude_defaults=True)


class Trip:
    """A trajectory under way; `at` is the path that the browser is at."""

    def __init__(self, text: str = "Do it", start: str = "/", **goal: Any) -> None:
        self.goal = Goal(text=text, target=SITE, **goal)
        self.at = start
        self.steps: list[Step] = []

    def add(self, action: Action, target: TargetSeen | None = None, to: str | None = None, **outcome: Any) -> "Trip":
        """One step, ending at `to`."""
        before, self.at = self.at, to or self.at
        facts = Facts(page_url=SITE + before, form_password=outcome.pop("login", False))
        came = Outcome(**{"ok": True, "url_before": SITE + before, "url_after": SITE + self.at, "target": target, **outcome})
        self.steps.append(
            Step(
                number=len(self.steps) + 1,
                at=datetime(2026, 1, 1, tzinfo=UTC),
                url=SITE + before,
                title="",
                fingerprint="",
                snapshot="",
                decision=Decision(reason="", action=action),
                verdict=Permit(action=action, facts=facts, rule="test"),
                outcome=came,
            )
        )
        return self

    def open(self, path: str) -> "Trip":
        """Navigate."""
        return self.add(Navigate(url=path), to=path)

    def type(self, label: str, text: str, **outcome: Any) -> "Trip":
        """Type into a field."""
        return self.add(Type(ref="e1", text=text), seen("textbox", label), **outcome)

    def select(self, label: str, option: str, *options: str) -> "Trip":
        """Choose an option."""
        return self.add(Select(ref="e1", options=(option,)), seen("combobox", label, options=options))

    def click(self, name: str, to: str | None = None, role: str = "button", **outcome: Any) -> "Trip":
        """Click something."""
        return self.add(Click(ref="e1"), outcome.pop("target", None) or seen(role, name), to, **outcome)

    def wait(self, text: str) -> "Trip":
        """Wait for a text."""
        return self.add(Wait(text=text))

    def read(self, name: str, raw: str, target: TargetSeen | None = None, **reading: Any) -> "Trip":
        """Extract one value."""
        after = seen("generic", "", Locator(by="after", value=name.title()), text=reading.pop("text", raw))
        action = Extract(readings=(Reading(name=name, ref="e1", value=raw, **reading),))
        held = target or after
        return self.add(action, values=(Value(name=name, raw=raw),), targets={name: held})

    @property
    def trajectory(self) -> tuple[Step, ...]:
        """All of it."""
        return tuple(self.steps)


def write(path: str) -> tuple[RequestSeen, ...]:
    """A POST that the page sent."""
    return (RequestSeen(method="POST", url=SITE + path, status=303),)


def confirmed(message: str) -> tuple[DialogSeen, ...]:
    """A confirm that was accepted."""
    return (DialogSeen(type="confirm", message=message, answer="accepted"),)
