"""A home with two real discoveries of the teller console and their drafts, made once for all tests that look at them."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from engine import Capwright
from engine.assembly.homes import approval_store
from engine.demo import DEMO_PASSWORD, DEMO_USER, TellerConsole

READ = "Log in to the teller console and read member 100231's savings and checking balances"
MOVE = "Log in to the teller console and transfer $25.00 from savings to checking for member 100231"
SECRETS = {"user": DEMO_USER, "password": DEMO_PASSWORD}


@asynccontextmanager
async def saying_yes(capwright: Capwright) -> AsyncIterator[None]:
    """Somebody at the inbox who approves everything."""
    store = approval_store(capwright.settings)

    async def decide() -> None:
        while True:
            for waiting in store.pending(time.time()):
                store.decide(waiting.id, approve=True, by="pat", process="inbox", now=time.time())
            await asyncio.sleep(0.1)

    person = asyncio.ensure_future(decide())
    try:
        yield
    finally:
        person.cancel()
        await asyncio.gather(person, return_exceptions=True)


async def discovered(home: Path) -> tuple[str, str]:
    """Ids of the capability that reads and of the one that moves money."""
    names = []
    async with TellerConsole() as console:
        capwright = Capwright(home, environment={"PATH": "/usr/bin:/bin"})
        for goal in (READ, MOVE):
            async with saying_yes(capwright):
                result = await capwright.discover(
                    goal, console.url, secrets=SECRETS, model="embedded", approve="inbox", screenshots="always"
                )
            assert result.capability, result.explanation
            names.append(Path(result.capability).parent.name)
    return names[0], names[1]
