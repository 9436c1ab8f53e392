"""The product as one Python object: discover, then replay."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.assembly import replaying
from engine.domain.ending import ReplayResult
from engine.domain.run import RunResult
from engine.settings import load


class Capwright:
    """One home. Settings come from its config.toml and the environment, as on the command line; options here win over both."""

    def __init__(self, home: str | Path = ".", *, environment: Mapping[str, str] | None = None) -> None:
        given = dict(os.environ if environment is None else environment)
        self.settings = load({**given, "CAPWRIGHT_HOME": str(home)}, Path(home))

    async def discover(
        self,
        goal: str,
        target: str,
        *,
        inputs: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        examples: Sequence[dict[str, str]] = (),
        **options: Any,
    ) -> RunResult:
        """Discover and draft. `options` are the other fields of `discovering.Order`; risky steps are denied by default."""
        from engine.assembly import discovering

        order = discovering.Order(
            goal=goal,
            target=target,
            inputs=inputs or {},
            secrets=secrets or {},
            examples=tuple(examples),
            **{"approve": "deny", **options},
        )
        return await discovering.discover(self.settings, order)

    async def replay(
        self,
        capability: str | Path,
        inputs: Mapping[str, str] | None = None,
        *,
        secrets: Mapping[str, str] | None = None,
        **options: Any,
    ) -> ReplayResult:
        """Replay ID, ID@VERSION or a file, without a model. `options` are the other fields of `replaying.Order`."""
        order = replaying.Order(
            capability=str(capability), inputs=inputs or {}, secrets=secrets or {}, **{"approve": "deny", **options}
        )
        return await replaying.replay(self.settings, order)
