"""Looks up from the work now and then: was the run cancelled, paused, or is its time over?"""

from engine.errors import LeaseLost, StoreError
from engine.explore.context import RunContext
from engine.explore.halt import Reason


async def watch(run: RunContext) -> None:
    """Until the run is aborted; ends by being cancelled otherwise."""
    while not run.halt.aborted:
        try:
            look(run)
        except LeaseLost as error:
            run.halt.fault(error)
        except StoreError:
            pass  # the work itself meets the same store, and says so
        await run.desk.clock.sleep(run.desk.pace.look)


def look(run: RunContext) -> None:
    """Once: also before every cell, so that no cell begins after a cancel or a pause was written."""
    state, cancelled, paused = run.book.wishes()
    if cancelled:
        run.halt.abort(Reason(status="cancelled"))
    elif run.wall_left() <= 0:
        run.halt.abort(Reason.coded("budget_exhausted"))
    else:
        run.halt.pause(paused)
        if paused and state == "exploring" and run.halt.in_flight == 0 and not run.halt.stopping:
            run.book.move("paused")
        elif state == "paused" and not paused:
            run.book.move("exploring")
