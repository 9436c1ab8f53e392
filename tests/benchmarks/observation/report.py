"""The figures as a section of BENCHMARKS.md."""

import re
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.observation.completeness import Held, Kept
from tests.benchmarks.observation.measure import OURS, Row
from tests.benchmarks.observation.tools import count

HEAD = "## Observation"


def write_section(path: Path, section: str, head: str = HEAD) -> None:
    """Put the section in the place of the old one; the other sections stay as they are."""
    old = path.read_text() if path.exists() else "# Benchmarks\n"
    found = re.search(rf"^{head}\n.*?(?=^## |\Z)", old, re.MULTILINE | re.DOTALL)
    new = f"{old[: found.start()]}{section}\n{old[found.end() :]}" if found else f"{old.rstrip()}\n\n{section}\n"
    path.write_text(new.rstrip() + "\n")


def report(first: Sequence[Row], run: Sequence[Row], peers: Sequence[str]) -> str:
    """All tables and the sentences around them."""
    counted = Counted(first, run, [OURS, *peers])
    parts = [HEAD, "", counted.head(), "", *counted.first_table(), "", *counted.kept_table(), "", *counted.run_table()]
    return "\n".join(parts)


class Counted:
    """Rows with their tokens."""

    def __init__(self, first: Sequence[Row], run: Sequence[Row], names: Sequence[str]) -> None:
        self.first, self.run, self.names = first, run, names
        texts = [text for row in (*first, *run) for name in names for text in (row.looks[name].sent, row.looks[name].prompt)]
        tokens, self.counter = count(texts)
        self._tokens = dict(zip(texts, tokens, strict=True))

    def sent(self, row: Row, name: str) -> int:
        """Tokens newly sent for this look."""
        return self._tokens[row.looks[name].sent]

    def head(self) -> str:
        """What was measured and how."""
        absent = [name for name in ("Playwright MCP", "browser-use") if name not in self.names]
        missing = f" Not installed here, so not compared: {', '.join(absent)}." if absent else ""
        return (
            "`python -m tests.benchmarks.observation --setup`: everyone looks at the same page in the same Chromium over its "
            "debugging port. Playwright MCP (0.0.83) answers its tool `browser_snapshot`, browser-use (0.13.14) serialises its "
            "DOM as its agent does; URL and title are in all three texts. "
            f"Tokens by {self.counter}; time is the best of three looks (peers: of two), on a machine that other work shared."
            f"{missing}"
        )

    def first_table(self) -> list[str]:
        """Tokens, bytes and milliseconds of a first view of each page."""
        others = self.names[1:]
        lines = [
            "**First view of each page** (tokens / bytes / ms; our share of the tokens of each peer)",
            "",
            "| page | " + " | ".join(self.names) + " | " + " | ".join(f"of {name}" for name in others) + " |",
            "|---" * (1 + len(self.names) + len(others)) + "|",
        ]
        for row in self.first:
            cells = [
                f"{self.sent(row, n):,} / {len(row.looks[n].sent.encode()):,} / {row.looks[n].seconds * 1000:,.0f}"
                for n in self.names
            ]
            shares = [f"{self.sent(row, OURS) / self.sent(row, n):.0%}" for n in others]
            lines.append(f"| {row.name} | " + " | ".join([*cells, *shares]) + " |")
        real = [row for row in self.first if not row.name.startswith("generated")]
        return [*lines, self._total("all real pages", real)]

    def _total(self, name: str, rows: Sequence[Row]) -> str:
        """A line of sums, with our share of them and the mean of our shares of the pages."""
        others = self.names[1:]
        totals = {n: sum(self.sent(row, n) for row in rows) for n in self.names}
        means = [sum(self.sent(row, OURS) / self.sent(row, n) for row in rows) / len(rows) for n in others]
        cells = [f"{totals[n]:,}" for n in self.names] + [
            f"{totals[OURS] / totals[n]:.0%} (mean of pages {m:.0%})" for n, m in zip(others, means, strict=True)
        ]
        return f"| **{name}** | " + " | ".join(cells) + " |"

    def kept_table(self) -> list[str]:
        """What of each page is shown, behind a counted marker, or lost; and what the peers hold of it."""
        others = self.names[1:]
        lines = [
            "**Nothing lost**: of the elements with a ref that can be acted on, and of all texts in Playwright's tree: shown, "
            "behind a counted marker (`… 87 more rows, widen e40`), lost; a text counts as shown when it stands anywhere in "
            "what is shown. Last the milliseconds of taking the snapshot (Playwright's own call in it) and of writing it, and "
            "those that our process computed, which other work on the machine does not lengthen. For each peer how many of the "
            "elements and of the texts its own text holds: refs differ, so an element counts when its words stand there as "
            "often as there are elements with those words; a peer that gave up on a page holds nothing of it",
            "",
            "| page | actionable | texts | take + write (computed) ms | " + "".join(f"{n} holds | " for n in others),
            "|---|---|---|---|" + "---|" * len(others),
        ]
        for row in self.first:
            acts, texts = row.acts, row.texts
            taken, writing, busy = (f"{seconds * 1000:,.0f}" for seconds in row.split)
            times = f"{taken} + {writing} ({busy})" + (f"; {row.unread:,} more rows counted, not read" if row.unread else "")
            lines.append(
                f"| {row.name} | {acts.total:,}: {acts.shown:,} shown, {acts.behind:,} behind, {len(acts.lost)} lost "
                f"| {texts.total:,}: {texts.shown:,} shown, {texts.behind:,} behind, {len(texts.lost)} lost | {times} |"
                + "".join(f" {_holds([row.held[n]])} |" for n in others)
            )
        real = [row for row in self.first if not row.name.startswith("generated")]
        sums = "".join(f" {_holds([row.held[n] for row in real])} |" for n in others)
        return [
            *lines,
            f"| **all real pages** | {_sum([row.acts for row in real])} | {_sum([row.texts for row in real])} | |{sums}",
        ]

    def run_table(self) -> list[str]:
        """A whole run, step by step."""
        others = self.names[1:]
        lines = [
            f"**A whole run** on the console, {len(self.run)} looks. Ours: tokens newly sent for a look (a page is written out "
            "whole once and then stays, byte for byte, ahead of the history, where providers cache prefixes), and in brackets "
            "all that the prompt holds of the page. Peers: the page whole at every look, as they show it.",
            "",
            "| before the step | " + " | ".join(self.names) + " |",
            "|---" * (1 + len(self.names)) + "|",
        ]
        for row in self.run:
            ours = f"{self.sent(row, OURS):,} ({self._tokens[row.looks[OURS].prompt]:,})"
            lines.append(f"| {row.name} | " + " | ".join([ours, *(f"{self.sent(row, n):,}" for n in others)]) + " |")
        sent = {n: sum(self.sent(row, n) for row in self.run) for n in self.names}
        held = sum(self._tokens[row.looks[OURS].prompt] for row in self.run)
        lines.append(f"| **sum** | {sent[OURS]:,} ({held:,}) | " + " | ".join(f"{sent[n]:,}" for n in others) + " |")
        shares = [f"newly sent {sent[OURS] / sent[n]:.0%}, in prompts {held / sent[n]:.0%} of {n}" for n in others]
        return [*lines, "", f"Our share over the run: {'; '.join(shares)}."]


def _sum(kept: Sequence[Kept]) -> str:
    total, shown, behind = (sum(getattr(each, part) for each in kept) for part in ("total", "shown", "behind"))
    return f"{total:,}: {shown:,} shown, {behind:,} behind, {total - shown - behind} lost"


def _holds(held: Sequence[Held]) -> str:
    """Elements and texts, in per cent rounded down, so that 100 % is nothing less."""
    acts, texts = (
        [sum(part) for part in zip(*pairs, strict=True)] for pairs in zip(*((h.acts, h.texts) for h in held), strict=True)
    )
    return ", ".join(
        f"{found:,} of {total:,} {what} ({100 * found // max(total, 1)}%)"
        for what, (found, total) in (("elements", acts), ("texts", texts))
    )
