"""Which evaluators the operator registered, and the checks that keep a name bound to what was tested."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

from engine.errors import NotFound, RequestRefused, UsageError
from engine.sandbox.isolation import Isolation
from engine.score.declaration import Declaration
from engine.score.evaluator import Evaluator, Terms
from engine.score.pin import pin
from engine.score.process import ProcessEvaluator
from engine.score.selftest import SelfTest, self_test
from engine.store.evaluators import EvaluatorStore, Registration

Standing: TypeAlias = Literal["good", "stale", "revoked", "superseded"]


class Registry:
    """Registered programs by name, and the built-in evaluators beside them."""

    def __init__(self, store: EvaluatorStore, isolation: Isolation, built_in: Mapping[str, Evaluator] | None = None) -> None:
        self._store = store
        self._isolation = isolation
        self._built_in = dict(built_in or {})

    async def register(self, name: str, folder: Path, by: str) -> SelfTest:
        """Test it and, when there is no problem, pin it under the name. Raises UsageError when the folder is no evaluator."""
        if name in self._built_in:
            raise UsageError(f"{name} is built in")
        folder = folder.resolve()
        pinned, declared = pin(folder)
        tested = await self_test(self._process(name, pinned, folder, declared, 0.0), folder, declared)
        if _hash_now(folder) != pinned:
            return SelfTest((*tested.problems, "the evaluator changed while it was tested"), tested.noise, tested.isolated)
        if not tested.problems:
            self._store.register(name, pinned, folder, declared.model_dump_json(), tested.noise, by)
        return tested

    def names(self) -> tuple[str, ...]:
        """Every name that may be asked for now."""
        current = {each.name for each in self._store.list() if each.state == "registered"}
        return tuple(sorted(current | set(self._built_in)))

    def list(self) -> tuple[tuple[Registration, Standing], ...]:
        """All registrations ever made, each with how it stands now."""
        return tuple((each, self._standing(each)) for each in self._store.list())

    def verify(self, name: str) -> Terms:
        """The terms of a name whose folder still is what was registered.

        Raises RequestRefused unknown_evaluator, or evaluator_stale when it was changed.
        """
        if name in self._built_in:
            return self._built_in[name].terms
        try:
            found = self._store.current(name)
        except NotFound as error:
            raise RequestRefused("unknown_evaluator", str(error), "evaluator") from error
        if self._standing(found) != "good":
            message = f"evaluator {name} was changed since it was registered; the operator must register it again"
            raise RequestRefused("evaluator_stale", message, "evaluator")
        return self._terms(found)

    def evaluator(self, name: str, pinned: str) -> Evaluator:
        """The evaluator with exactly this hash; raises RequestRefused as `verify`, also when the hash is another by now."""
        terms = self.verify(name)
        if terms.hash != pinned:
            raise RequestRefused("evaluator_stale", f"evaluator {name} is another than the one that was approved", "evaluator")
        if name in self._built_in:
            return self._built_in[name]
        found = self._store.current(name)
        declared = Declaration.model_validate_json(found.declaration_json)
        return self._process(name, pinned, found.directory, declared, found.noise)

    def revoke(self, name: str) -> None:
        """Take it out of use; raises NotFound."""
        self._store.revoke(name)

    def _standing(self, found: Registration) -> Standing:
        if found.state != "registered":
            return found.state
        return "good" if _hash_now(found.directory) == found.hash else "stale"

    def _terms(self, found: Registration) -> Terms:
        declared = Declaration.model_validate_json(found.declaration_json)
        return Terms(found.name, found.hash, declared.direction, declared.min_delta, found.noise, declared.timing_sensitive)

    def _process(self, name: str, pinned: str, folder: Path, declared: Declaration, noise: float) -> ProcessEvaluator:
        terms = Terms(name, pinned, declared.direction, declared.min_delta, noise, declared.timing_sensitive)
        return ProcessEvaluator(terms, folder, declared, self._isolation)


def _hash_now(folder: Path) -> str:
    try:
        return pin(folder)[0]
    except (OSError, UsageError):
        return ""
