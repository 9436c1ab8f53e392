"""Runs inside browser-use's own environment: a line of input asks what browser-use would show a model, a JSON line answers."""

import asyncio
import json
import logging
import os
import sys
import time

os.environ["ANONYMIZED_TELEMETRY"] = "false"
os.environ["BROWSER_USE_SETUP_LOGGING"] = "false"


async def main(address: str) -> None:
    """Attach to the running browser and answer until the input ends."""
    from browser_use import BrowserSession

    logging.disable(logging.CRITICAL)
    session = BrowserSession(cdp_url=address)
    await session.start()
    print("ready", flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        start = time.perf_counter()
        state = await session.get_browser_state_summary(include_screenshot=False)
        shown = state.dom_state.llm_representation()
        seconds = time.perf_counter() - start
        answer = {"text": f"URL: {state.url}\nTitle: {state.title}\n{shown}", "seconds": seconds}
        print(json.dumps({**answer, "actionable": len(state.dom_state.selector_map)}), flush=True)
    await session.stop()


asyncio.run(main(sys.argv[1]))
