"""Performs permitted actions on the live page: one entry a kind of action, and the same account of what came of it for all."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeAlias
from urllib.parse import urljoin

from engine.act.dialogs import DialogDesk
from engine.act.reading import read
from engine.act.typing import put
from engine.browser.element import Element
from engine.browser.session import Session
from engine.domain.action import (
    Action,
    Click,
    Done,
    Extract,
    GoBack,
    Hover,
    Navigate,
    Press,
    Scroll,
    Select,
    Stuck,
    SwitchTab,
    Type,
    Upload,
    Wait,
)
from engine.domain.observation import Download, Observation
from engine.domain.secret import PLACEHOLDER, Secrets, may_type
from engine.domain.step import Outcome, RequestSeen, TargetSeen, Value
from engine.domain.verdict import Facts, Permit
from engine.errors import ActionFailed, DeadlineExceeded, StaleRef, TargetUnreachable

Describe: TypeAlias = Callable[[Element], Awaitable[TargetSeen]]
"""Gathers, before an action, how its element can be found again."""


class Writes(Protocol):
    """The gate that holds the page's own writes; see `engine.guard.writes`."""

    refused: list[str]
    denied: bool
    sent: int

    def begin(self, permit: Permit, step: int = 0) -> None:
        """A step is about to be carried out."""
        ...

    async def idle(self) -> bool:
        """Wait until no request is held; whether one was."""
        ...

    def end(self, *, ok: bool, known: bool) -> bool:
        """The step is over; True when what it committed is in doubt."""
        ...


ANSWER_SECONDS = 20.0
"""How long a write that has left is given to be answered before it is in doubt."""


class PageActor:
    """The Actor of the loop and of replay. `files` are the operator's registered uploads, name to path.

    A `lean` actor neither settles nor looks at what appeared: a replay waits for the conditions that were recorded instead,
    and says itself, by `settled`, whether they came true.
    """

    def __init__(
        self,
        session: Session,
        desk: DialogDesk,
        secrets: Secrets,
        base: str,
        describe: Describe | None = None,
        files: Mapping[str, str] | None = None,
        writes: Writes | None = None,
        typed: Callable[[str], None] = lambda _name: None,
        lean: bool = False,
    ) -> None:
        self._session = session
        self._desk = desk
        self._secrets = secrets
        self._base = base
        self._describe = describe
        self._files = files or {}
        self._writes = writes
        self._typed = typed
        self._lean = lean
        self._downloads: tuple[Download, ...] = ()
        self._perform: dict[type, Callable[[Any, Element | None, Facts], Awaitable[None]]] = {
            Navigate: self._navigate, Click: self._click, Type: self._type, Select: self._select, Press: self._press,
            Wait: self._wait, Hover: self._hover, Upload: self._upload, Scroll: self._scroll, SwitchTab: self._switch_tab,
            GoBack: self._go_back,
        }  # fmt: skip

    async def facts(self, action: Action, observation: Observation) -> Facts:
        """What the page knows about the action's place. Raises StaleRef when its element is gone."""
        ref = getattr(action, "ref", None)
        if ref is None:
            ended = isinstance(action, Done | Stuck)  # then the page may be gone
            return Facts(page_url=observation.url if ended else self._session.url)
        node = observation.root.find(ref)
        live = await self._session.element(ref).facts()
        return live.place(self._session.url, node.role if node else "", node.name if node else "")

    async def act(self, permit: Permit, step: int = 0, element: Element | None = None) -> Outcome:
        """Do it, on the ref's element or on a given one.

        What the page refuses comes back as an outcome with a problem; a dead browser raises BrowserError.
        """
        action = permit.action
        if isinstance(action, Extract):
            return await self._extract(action)
        ref = getattr(action, "ref", None)
        element = element or (self._session.element(ref) if ref else None)
        before = self._session.url
        marks = () if self._lean else await self._session.marks()
        target, problem, cut = None, "", False
        self._desk.begin(permit)
        if self._writes:
            self._writes.begin(permit, step)
        try:
            if self._describe and element:
                target = await self._describe(element)
            if action_performs := self._perform.get(type(action)):
                await action_performs(action, element, permit.facts)
            await self._quiet()
        except (ActionFailed, StaleRef, DeadlineExceeded, TargetUnreachable) as error:
            problem, cut = str(error), isinstance(error, DeadlineExceeded)
        outcome = await self._account(before, marks, target, problem, self._desk.end())
        if self._lean and not problem:
            return outcome
        known = self._writes is None or (not cut and answered(outcome.requests) >= self._writes.sent)
        if not self._writes or not self._writes.end(ok=outcome.ok, known=known):
            return outcome
        doubt = f"It is not known whether this {action.action} took effect: a person must look. {outcome.problem}".strip()
        return outcome.model_copy(update={"ok": False, "in_doubt": True, "problem": doubt})

    def settled(self, seen: bool) -> None:
        """Whether what had to come of the last action is seen."""
        if self._writes:
            self._writes.end(ok=seen, known=seen)

    async def _quiet(self) -> None:
        """Wait for the page to settle, and for a person where the page's own request waits for one."""
        if not self._lean:
            await self._session.settle()
        while self._writes and await self._writes.idle():
            await self._session.settle()
        if self._writes and not self._lean and self._writes.sent > answered(self._session.pending().requests):
            await self._session.settle(ANSWER_SECONDS)

    async def _account(
        self, before: str, marks: tuple[str, ...], target: TargetSeen | None, problem: str, held: str
    ) -> Outcome:
        events = await self._session.drain()
        self._downloads += events.downloads
        after = () if self._lean else await self._session.marks()
        refused = " ".join(self._writes.refused) if self._writes else ""
        if held and self._writes and self._writes.sent:
            # It asked after it had sent: doing it once more would send twice.
            problem, held = problem or f"The page had sent a request when it asked and was told no: {held}", ""
        return Outcome(
            ok=not (problem or held or refused),
            problem=problem or (f"A person must approve this first: {held}" if held else refused),
            held=held,
            denied=bool(self._writes and self._writes.denied),
            url_before=before,
            url_after=self._session.url,
            new_tab=events.new_tab,
            appeared=tuple(mark for mark in after if mark not in marks)[:20],
            dialogs=events.dialogs,
            downloads=events.downloads,
            requests=events.requests,
            target=target,
        )

    async def _navigate(self, action: Navigate, _element: Element | None, _facts: Facts) -> None:
        await self._session.open(urljoin(self._base, action.url), settle=not self._lean)
        status = self._session.watch.main_status
        if status is not None and status >= 400:
            raise ActionFailed(f"The site answered {status} for {action.url}.")

    async def _click(self, _action: Click, element: Element | None, _facts: Facts) -> None:
        await present(element).click()

    async def _type(self, action: Type, element: Element | None, facts: Facts) -> None:
        text = PLACEHOLDER.sub(lambda match: self._secret(match.group(1), facts), action.text)
        await put(present(element), text, action.text)

    def _secret(self, name: str, facts: Facts) -> str:
        secret = self._secrets.named(name)
        if secret is None:
            known = ", ".join(self._secrets.names) or "none"
            raise ActionFailed(f"There is no secret named {name}; known: {known}.")
        refusal = may_type(secret, facts)
        if refusal:
            raise ActionFailed(refusal)
        self._typed(name)
        return secret.value

    async def _select(self, action: Select, element: Element | None, _facts: Facts) -> None:
        chosen = await present(element).select(action.options)
        wanted = [" ".join(option.split()) for option in action.options]
        if sorted(chosen) != sorted(wanted):
            raise ActionFailed(f"{present(element).what} has {chosen} chosen, not {wanted}.")

    async def _press(self, action: Press, element: Element | None, _facts: Facts) -> None:
        await (element.press(action.key) if element else self._session.press(action.key))

    async def _wait(self, action: Wait, _element: Element | None, _facts: Facts) -> None:
        if action.text is None:
            await self._session.settle(action.seconds)
        elif not await self._session.wait_for_text(action.text, action.gone, action.seconds):
            state = "still there" if action.gone else "not there"
            raise ActionFailed(f"The text {action.text!r} is {state} after {action.seconds:g} s.")

    async def _hover(self, _action: Hover, element: Element | None, _facts: Facts) -> None:
        await present(element).hover()

    async def _upload(self, action: Upload, element: Element | None, _facts: Facts) -> None:
        path = self._files.get(action.file)
        if path is None:
            raise ActionFailed(f"No file is registered as {action.file}; registered: {', '.join(self._files) or 'none'}.")
        await present(element).upload(path)

    async def _scroll(self, action: Scroll, element: Element | None, _facts: Facts) -> None:
        down = action.direction == "down"
        await (element.scroll(down) if element else self._session.press("PageDown" if down else "PageUp"))

    async def _switch_tab(self, action: SwitchTab, _element: Element | None, _facts: Facts) -> None:
        if not await self._session.switch(action.tab):
            raise ActionFailed(f"There is no tab {action.tab}; tabs are numbered from 0.")

    async def _go_back(self, _action: GoBack, _element: Element | None, _facts: Facts) -> None:
        if not await self._session.go_back():
            raise ActionFailed("There is no page to go back to.")

    async def _extract(self, action: Extract) -> Outcome:
        values: list[Value] = []
        targets: dict[str, TargetSeen] = {}
        problems: list[str] = []
        for reading in action.readings:
            element = self._session.element(reading.ref)
            try:
                value = await read(reading, element, self._downloads)
                if self._describe and reading.what != "file":
                    targets[reading.name] = await self._describe(element)
                values.append(value)
            except (ActionFailed, StaleRef, DeadlineExceeded) as error:
                problems.append(str(error))
        url = self._session.url
        return Outcome(
            ok=not problems, problem=" ".join(problems), url_before=url, url_after=url, values=tuple(values), targets=targets
        )


def answered(requests: tuple[RequestSeen, ...]) -> int:
    """How many have a response of the application: a gateway that lost it (502, 504) does not know either."""
    return sum(request.status not in (None, 502, 504) for request in requests)


def present(element: Element | None) -> Element:
    """The element that this kind of action always has; an action without one was refused when it was parsed."""
    if element is None:
        raise StaleRef("This action needs an element and none was given.")
    return element
