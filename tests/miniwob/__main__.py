"""`python -m tests.miniwob`: plays every task with every seed and prints a table of success, wrong and stuck."""

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from engine.browser.launch import BrowserSettings, open_browser
from tests.miniwob.episode import Episode, play
from tests.miniwob.site import serve_tasks

TASKS = (
    "click-test", "click-test-2", "click-button", "click-link", "click-option", "click-checkboxes", "click-tab",
    "click-dialog", "focus-text", "enter-text", "enter-password", "login-user", "choose-list", "read-table",
    "enter-date", "click-collapsible",
)  # fmt: skip
SEEDS = range(10)
ENOUGH_TASKS, ENOUGH_SEEDS = 12, 8


async def play_all(tasks: tuple[str, ...], seeds: range, verbose: bool) -> list[Episode]:
    """One browser, one fresh context an episode."""
    episodes = []
    with tempfile.TemporaryDirectory() as downloads:
        async with serve_tasks() as address, open_browser(BrowserSettings()) as browser:
            for task in tasks:
                for seed in seeds:
                    episode = await play(browser, address, task, seed, Path(downloads))
                    episodes.append(episode)
                    if verbose and episode.verdict != "success":
                        print(
                            f"{task} {seed}: {episode.verdict}\n  goal: {episode.goal}\n{episode.driven.story}\n",
                            file=sys.stderr,
                        )
    return episodes


def table(episodes: list[Episode]) -> str:
    """One line a task, and what was reached."""
    lines = [f"{'task':<20}{'success':>9}{'wrong':>7}{'stuck':>7}"]
    good = 0
    for task in dict.fromkeys(episode.task for episode in episodes):
        counts = Counter(episode.verdict for episode in episodes if episode.task == task)
        good += counts["success"] >= ENOUGH_SEEDS * counts.total() / len(SEEDS)
        lines.append(f"{task:<20}{counts['success']:>9}{counts['wrong']:>7}{counts['stuck']:>7}")
    total = Counter(episode.verdict for episode in episodes)
    lines.append(f"{'all':<20}{total['success']:>9}{total['wrong']:>7}{total['stuck']:>7}")
    lines.append(f"{good} tasks reach {ENOUGH_SEEDS} of {len(SEEDS)}; wanted are {ENOUGH_TASKS}, and no wrong.")
    return "\n".join(lines)


def main() -> int:
    """0 when enough tasks reach enough seeds and nothing was done wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.miniwob", description=__doc__)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--first-seed", type=int, default=SEEDS.start)
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many")
    parser.add_argument("--verbose", action="store_true", help="tell the steps of what did not succeed")
    asked = parser.parse_args()
    began = time.monotonic()
    seeds = range(asked.first_seed, asked.first_seed + asked.seeds)
    episodes = asyncio.run(play_all(tuple(asked.tasks.split(",")), seeds, asked.verbose))
    print(table(episodes))
    print(f"{len(episodes)} episodes in {time.monotonic() - began:.0f} s")
    wins = Counter(episode.task for episode in episodes if episode.verdict == "success")
    reached = sum(count >= ENOUGH_SEEDS for count in wins.values()) >= ENOUGH_TASKS
    return 0 if reached and not any(episode.verdict == "wrong" for episode in episodes) else 1


if __name__ == "__main__":
    sys.exit(main())
