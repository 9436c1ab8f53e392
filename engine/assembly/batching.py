"""Runs one capability for many rows of inputs: a browser for each worker, a fresh context a row, each row to its own ending."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

from engine.assembly.policies import named, policy_of
from engine.assembly.replaying import Order, replay_in, unfit, unstarted
from engine.assembly.reviewing import reviewing
from engine.assembly.sessions import BoundedBrowser, open_bounded_browser
from engine.domain.ending import BatchResult, ReplayResult, RowReplayed
from engine.settings import Settings

Tell = Callable[[RowReplayed, int], None]
"""Told every row when it has ended, and how many there are."""


async def batch(
    settings: Settings, order: Order, rows: Sequence[Mapping[str, str]], parallel: int = 2, tell: Tell = lambda _row, _of: None
) -> BatchResult:
    """Every row to its ending, `parallel` at a time; inputs of the order hold for each row that does not give its own.

    What changes something runs one row at a time, needs an approved version, and stops at a row that is in doubt: that one
    needs a person first. Raises UsageError for a capability file that is none.
    """
    house = reviewing(settings)
    capability = house.meant(order.capability, order.allow_draft)
    reads = capability.risk_class == "read_only"
    orders = [replace(order, inputs={**order.inputs, **row}) for row in rows]
    refused = [unfit(house, capability, each) for each in orders]
    if not reads and house.lifecycle.may_run(capability) and not all(refused):
        why = "a batch of a version that changes something needs its approval first; drafts run one by one."
        refused = [unstarted(capability, "not_approved", f"{capability.id}@{capability.version} may not run: {why}")] * len(
            rows
        )
    ended: list[RowReplayed] = []

    def end(number: int, result: ReplayResult) -> None:
        ended.append(RowReplayed(row=number, inputs=dict(orders[number - 1].inputs), result=result))
        tell(ended[-1], len(rows))

    for number, result in enumerate(refused, 1):
        if result is not None:
            end(number, result)
    waiting = iter([number for number, result in enumerate(refused, 1) if result is None])
    if not all(refused):
        secrets = named(order.secrets)
        policy = policy_of(settings, order.policy, order.target or capability.target, secrets)

        async def work(browser: BoundedBrowser) -> None:
            for number in waiting:
                end(number, await replay_in(settings, browser, capability, orders[number - 1], policy, secrets))
                if ended[-1].result.ending == "in_doubt":
                    return

        async with AsyncExitStack() as stack:
            opening = [open_bounded_browser(settings, policy, order.headed) for _ in range(parallel if reads else 1)]
            browsers = [await stack.enter_async_context(each) for each in opening[: refused.count(None)]]
            group = await stack.enter_async_context(asyncio.TaskGroup())
            for browser in browsers:
                group.create_task(work(browser))
    return BatchResult(
        capability=capability.id,
        version=capability.version,
        total=len(rows),
        rows=tuple(sorted(ended, key=lambda row: row.row)),
    )
