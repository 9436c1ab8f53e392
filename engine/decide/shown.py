"""A planner that is a person: each decision is what they do next on the page, and closing the window says that it is done."""

import re
from collections.abc import Callable

from engine.browser.hands import Gesture, Hands
from engine.browser.session import Session
from engine.domain.action import Action, Click, Decision, Done, Extract, Press, Reading, Select, Type, Wait
from engine.domain.brief import Brief, Planned
from engine.domain.doing import Observer
from engine.domain.observation import Observation
from engine.domain.secret import Secret
from engine.domain.url import origin_of
from engine.domain.usage import Usage
from engine.errors import BrowserGone

MODEL = "person"


class Shown:
    """The Planner of `discover record`. `learn` is told of every password that is typed, before it goes anywhere."""

    def __init__(self, session: Session, secrets: Callable[[], tuple[Secret, ...]], learn: Callable[[Secret], None]) -> None:
        self._session = session
        self.hands = Hands(session)
        self._secrets = secrets
        self._learn = learn
        self._waiting: Gesture | None = None
        self._names: set[str] = set()

    @property
    def usage(self) -> Usage:
        """No model was used."""
        return Usage(usd_micros=0, usd_source="reported")

    async def decide(self, brief: Brief) -> Planned:
        """What the person does next. An element that the observation does not hold yet is looked at first."""
        while True:
            gesture = self._waiting or await self.hands.next()
            self._waiting = None
            if gesture is None:
                return _planned("The window was closed: everything was shown.", Done(summary="Shown by a person."))
            ref = self._session.ours(gesture.ref) if gesture.ref else None
            if ref is None:
                continue  # it is gone before it was done, as a suggestion that the page has replaced: it is shown again
            if brief.observation.root.find(ref) is None:
                self._waiting = gesture
                return _planned("It is not in the last look yet.", Wait(seconds=0.1))
            return _planned("Shown by a person.", self._action(gesture, ref))

    def _action(self, gesture: Gesture, ref: str) -> Action:
        if gesture.kind == "type":
            return Type(ref=ref, text=self._hidden(gesture))
        if gesture.kind == "select":
            return Select(ref=ref, options=gesture.options)
        if gesture.kind == "press":
            return Press(ref=ref, key=gesture.key)
        if gesture.kind == "read":
            return Extract(readings=(Reading(name=self._unused(gesture.label), ref=ref, value=gesture.text),))
        return Click(ref=ref)

    def _hidden(self, gesture: Gesture) -> str:
        """What was typed; a secret as its placeholder, and what a password field got is a secret from now on."""
        known = next((each for each in self._secrets() if each.value == gesture.text), None)
        if known is None and gesture.secret and gesture.text:
            origin = str(origin_of(self._session.url) or "")
            known = Secret(self._unused(gesture.label or "password"), gesture.text, (origin,))
            self._learn(known)
        return known.placeholder if known else gesture.text

    def _unused(self, label: str) -> str:
        """A name in camelCase that nothing has yet."""
        words = re.findall(r"[a-z0-9]+", label.lower())[:5] or ["value"]
        name = words[0] + "".join(word.capitalize() for word in words[1:])
        name = name if name[0].isalpha() else f"value{name}"
        free = next(each for each in (name, *(f"{name}{number}" for number in range(2, 1000))) if each not in self._names)
        self._names.add(free)
        return free


class Lingering:
    """An observer that keeps the last look when the window is closed: that is how a person says that it is done."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._last: Observation | None = None

    async def observe(self, *, problem: bool, widened: frozenset[str]) -> Observation:
        """The page now, or as it was last. Raises BrowserGone when there never was one, and what the observer raises."""
        try:
            self._last = await self._observer.observe(problem=problem, widened=widened)
        except BrowserGone:
            if self._last is None:
                raise
        return self._last


def shown(
    session: Session, observer: Observer, secrets: Callable[[], tuple[Secret, ...]], learn: Callable[[Secret], None]
) -> tuple[Shown, Lingering]:
    """The planner and the observer of a recording."""
    return Shown(session, secrets, learn), Lingering(observer)


def _planned(reason: str, action: Action) -> Planned:
    return Planned(decision=Decision(reason=reason, action=action), model=MODEL)
