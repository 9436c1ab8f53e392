"""The Observer of the loop: one look at the page, its compact text, and a picture when it is worth its tokens."""

import hashlib
import json
from collections.abc import Callable
from typing import Literal

from engine.browser.session import Session
from engine.browser.snapshot import Snapshot
from engine.domain.action import Ref
from engine.domain.observation import Observation, Tab, facts
from engine.observe.poor import is_poor
from engine.observe.tokens import tokens
from engine.observe.writing import Writer

Screenshots = Literal["auto", "always", "never"]
Keep = Callable[[bytes, str], str]
"""Puts content under the evidence folder and answers its relative path; the second argument is `yaml` or `jpg`."""


class PageObserver:
    """Implements `engine.discover.stages.Observer` over one session.

    `max_tokens` bounds the text of one observation. Screenshots `auto`: at the first look, after a failure, and when the
    tree is poor.
    """

    def __init__(self, session: Session, *, max_tokens: int, screenshots: Screenshots, keep: Keep) -> None:
        self._session = session
        self._writer = Writer(max_tokens)
        self._screenshots = screenshots
        self._keep = keep
        self._looked = False

    async def observe(self, *, problem: bool, widened: frozenset[Ref]) -> Observation:
        """The page now. Raises DeadlineExceeded when it does not answer and BrowserGone when it no longer exists."""
        snapshot = await self._session.look(widened)
        tabs = await self._session.tabs()
        poor = is_poor(snapshot.root, snapshot.pictures)
        picture = await self._picture(first=not self._looked, problem=problem, poor=poor)
        self._looked = True
        written = self._writer.write(facts(snapshot.url, snapshot.title, tabs, snapshot.notices), snapshot.root, widened)
        pending = self._session.pending()
        return Observation(
            url=snapshot.url,
            title=snapshot.title,
            root=snapshot.root,
            text=written.text,
            shown=written.shown,
            fingerprint=fingerprint(snapshot, tabs),
            tabs=tabs,
            dialogs=pending.dialogs,
            downloads=pending.downloads,
            focused=snapshot.focused,
            notices=snapshot.notices,
            snapshot=self._keep(snapshot.yaml.encode(), "yaml"),
            screenshot=picture,
            poor=poor,
            tokens=tokens(written.text),
        )

    async def _picture(self, *, first: bool, problem: bool, poor: bool) -> str | None:
        wanted = {"always": True, "never": False, "auto": first or problem or poor}[self._screenshots]
        return self._keep(await self._session.screenshot(), "jpg") if wanted else None


def fingerprint(snapshot: Snapshot, tabs: tuple[Tab, ...]) -> str:
    """SHA-256 over URL, tree and tabs; refs and the focus do not count, so that the same state looks the same again."""
    digest = hashlib.sha256(json.dumps([snapshot.url, [(tab.url, tab.current) for tab in tabs]]).encode())
    for node in snapshot.root.walk():
        states = tuple(state for state in node.states if state != "active")
        said = (node.role, node.name, node.text, node.url, node.placeholder, states, len(node.children))
        digest.update(repr(said).encode())
    return digest.hexdigest()
