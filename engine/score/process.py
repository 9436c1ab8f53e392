"""An evaluator that is a child process."""

import json
import secrets
import statistics
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from engine.domain.evaluation import FailClass, Scoring
from engine.errors import TreeRefused, UsageError
from engine.sandbox.child import run_child
from engine.sandbox.isolation import Isolation
from engine.sandbox.limits import ChildEnd, Limits
from engine.sandbox.scratch import scratch
from engine.score.declaration import PROTOCOL, Declaration
from engine.score.envelope import understand
from engine.score.evaluator import Terms
from engine.score.feedback import clean
from engine.score.pin import interpreter, pin
from engine.store.trees import read_tree

_CLASS_OF: dict[str, FailClass] = {
    "deadline": "eval_timeout",
    "output_limit": "eval_output_limit",
    "process_limit": "eval_crash",
    "not_started": "eval_crash",
    "not_gone": "eval_cleanup",
}


class ProcessEvaluator:
    """Runs the registered program; its folder and the candidate's must be the same before and after."""

    def __init__(self, terms: Terms, folder: Path, declared: Declaration, isolation: Isolation) -> None:
        self._terms = terms
        self._folder = folder
        self._declared = declared
        self._isolation = isolation

    @property
    def terms(self) -> Terms:
        """Its registration."""
        return self._terms

    async def score(self, view: Path, task: Mapping[str, object], seconds: float) -> Scoring:
        """The median of as many runs as the registration says, or the first that is not valid."""
        if self._declared.isolation == "required" and not self._isolation.works:
            return Scoring("eval_isolation", feedback="this system cannot isolate the evaluator", isolated=False)
        try:
            before = read_tree(view).digest
        except (OSError, TreeRefused) as error:
            return Scoring("eval_mutated_input", feedback=clean(str(error)))
        if not self._unchanged():
            return Scoring("eval_registry_changed", feedback="the evaluator is not the one that was registered")
        scorings = []
        for _ in range(self._declared.repeats):
            scoring = await self._once(view, task, seconds / self._declared.repeats)
            scorings.append(self._checked(scoring, view, before))
            if not scorings[-1].valid:
                return scorings[-1]
        middle = statistics.median(scoring.score for scoring in scorings if scoring.score is not None)
        return replace(scorings[0], score=float(middle))

    async def _once(self, view: Path, task: Mapping[str, object], seconds: float) -> Scoring:
        nonce = secrets.token_hex(16)
        asked = {"protocol": PROTOCOL, "task": dict(task), "workspace": str(view), "nonce": nonce}
        declared = self._declared.limits
        limits = Limits(
            wall_seconds=max(0.01, min(seconds, declared.wall_seconds)),
            cpu_seconds=declared.cpu_seconds,
            memory_bytes=declared.memory_mib << 20,
            processes=declared.processes,
        )
        program, *words = self._declared.command
        with scratch() as folder:
            ended = await run_child(
                [*interpreter(self._declared), str(self._folder / program), *words, str(view)],
                cwd=folder,
                stdin=json.dumps(asked).encode(),
                env={
                    "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(folder), "TMPDIR": str(folder),
                    "PYTHONDONTWRITEBYTECODE": "1",
                },
                limits=limits,
                isolation=self._isolation,
            )  # fmt: skip
        return replace(self._judged(ended, nonce), isolated=ended.isolated)

    def _judged(self, ended: ChildEnd, nonce: str) -> Scoring:
        if ended.end != "exited":
            return Scoring(_CLASS_OF[ended.end], feedback=f"the evaluator ended by {ended.end}")
        if ended.exit_code != 0:
            said = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            return Scoring("eval_crash", feedback=clean(f"exit code {ended.exit_code}: {said}"))
        return understand(ended.result if self._declared.channel == "fd" else ended.stdout, self._declared, nonce)

    def _checked(self, scoring: Scoring, view: Path, before: str) -> Scoring:
        try:
            same = read_tree(view).digest == before
        except (OSError, TreeRefused):
            same = False
        if not same:
            return Scoring("eval_mutated_input", feedback="the evaluator wrote into what it was to score")
        if not self._unchanged():
            return Scoring("eval_registry_changed", feedback="the evaluator changed while it was running")
        return scoring

    def _unchanged(self) -> bool:
        try:
            return pin(self._folder)[0] == self._terms.hash
        except (OSError, UsageError):
            return False
