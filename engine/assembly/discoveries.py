"""Discoveries that a server runs in the background: started, watched by their evidence, cancelled, closed with it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

from engine.assembly.discovering import Order, discover, new_run_id
from engine.domain.run import RunResult
from engine.domain.step import Step
from engine.errors import UsageError
from engine.settings import Settings

START_SECONDS = 30.0
MOST = 2
"""Discoveries at once: about two active browser sessions a processor core."""


class Discover(Protocol):
    """`discovering.discover`, or a fake of it."""

    def __call__(
        self, settings: Settings, order: Order, tell_step: Callable[[Step], None], tell: Callable[[str], None]
    ) -> Awaitable[RunResult]:
        """Run one discovery to its result."""
        ...


@dataclass
class Going:
    """One discovery that is under way, who asked for it, and what it said."""

    task: "asyncio.Task[RunResult]"
    by: str
    said: list[str] = field(default_factory=list)


class Discoveries:
    """The discoveries of this process. What they leave is in the evidence and the database, as with any other run."""

    def __init__(self, settings: Settings, run: Discover = discover) -> None:
        self._settings = settings
        self._run = run
        self._going: dict[str, Going] = {}

    async def start(self, order: Order, *, by: str, known: Callable[[str], bool]) -> str:
        """Begin; the run's id once it is `known`. Raises UsageError when the order is none, or too many are under way."""
        self._forget()
        if len(self._going) >= MOST:
            raise UsageError(f"{MOST} discoveries are under way here; wait for one to end, or cancel it.")
        run_id = new_run_id()
        said: list[str] = []
        work = self._run(self._settings, replace(order, run_id=run_id), lambda _step: None, said.append)
        task = asyncio.ensure_future(work)
        self._going[run_id] = Going(task, by, said)
        async with asyncio.timeout(START_SECONDS):
            # The run's row is written by the run itself, perhaps before anything can be awaited: it is looked for.
            while not task.done() and not known(run_id):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        if task.done() and not task.cancelled() and task.exception() is not None:
            del self._going[run_id]
            task.result()
        return run_id

    def cancel(self, run_id: str) -> bool:
        """End one that this process runs; False for any other. Its evidence is kept."""
        going = self._going.get(run_id)
        return going.task.cancel() if going else False

    def said(self, run_id: str) -> tuple[str, ...]:
        """Lines of progress of one that is under way."""
        going = self._going.get(run_id)
        return tuple(going.said) if going else ()

    def runs(self, run_id: str) -> bool:
        """Whether this process is running it."""
        going = self._going.get(run_id)
        return going is not None and not going.task.done()

    async def close(self) -> None:
        """Cancel all and wait until their evidence is written."""
        for going in self._going.values():
            going.task.cancel()
        await asyncio.gather(*(going.task for going in self._going.values()), return_exceptions=True)

    def _forget(self) -> None:
        self._going = {run_id: going for run_id, going in self._going.items() if not going.task.done()}
