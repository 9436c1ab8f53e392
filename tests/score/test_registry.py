"""Registering an evaluator: the self-test, the pinned hash, and what breaks it."""

from pathlib import Path

import pytest

from engine.errors import NotFound, RequestRefused, UsageError
from engine.sandbox.isolation import probe
from engine.score.registry import Registry
from engine.store.database import Database
from engine.store.evaluators import EvaluatorStore
from tests.score.kit import HONEST, candidate, evaluator

ISOLATION = probe()


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """Empty."""
    return Registry(EvaluatorStore(Database.open(tmp_path / "a.db"), lambda: 1), ISOLATION)


async def problems(registry: Registry, folder: Path) -> str:
    """What the self-test found."""
    tested = await registry.register("judge", folder, "ops")
    assert bool(tested.problems) == ("judge" not in registry.names())
    return "\n".join(tested.problems)


async def test_a_good_evaluator_is_pinned(registry: Registry, tmp_path: Path) -> None:
    """No problem, no noise; verified until a byte of it changes, and refused from then on."""
    folder = evaluator(tmp_path / "judge", more='direction = "min"\nmin_delta = 0.5\ntiming_sensitive = true')
    tested = await registry.register("judge", folder, "ops")
    assert (tested.problems, tested.noise, tested.isolated) == ((), 0.0, ISOLATION.works)
    terms = registry.verify("judge")
    assert (terms.direction, terms.min_delta, terms.timing_sensitive, len(terms.hash)) == ("min", 0.5, True, 64)
    assert registry.evaluator("judge", terms.hash).terms == terms
    (folder / "fixtures/good/answer.json").write_text('{"value": 3}')
    with pytest.raises(RequestRefused) as caught:
        registry.verify("judge")
    assert caught.value.code == "evaluator_stale"
    assert [standing for _, standing in registry.list()] == ["stale"]


async def test_registering_again_supersedes(registry: Registry, tmp_path: Path) -> None:
    """The old hash is asked for no more; its row stays."""
    folder = evaluator(tmp_path / "judge")
    await registry.register("judge", folder, "ops")
    old = registry.verify("judge").hash
    (folder / "note.txt").write_text("new")
    await registry.register("judge", folder, "ops")
    assert registry.verify("judge").hash != old
    with pytest.raises(RequestRefused) as caught:
        registry.evaluator("judge", old)
    assert caught.value.code == "evaluator_stale"
    assert sorted(standing for _, standing in registry.list()) == ["good", "superseded"]


async def test_a_revoked_one_is_unknown(registry: Registry, tmp_path: Path) -> None:
    """Gone for new runs, kept in the list."""
    await registry.register("judge", evaluator(tmp_path / "judge"), "ops")
    registry.revoke("judge")
    with pytest.raises(RequestRefused) as caught:
        registry.verify("judge")
    assert caught.value.code == "unknown_evaluator"
    assert [standing for _, standing in registry.list()] == ["revoked"]
    with pytest.raises(NotFound):
        registry.revoke("judge")


async def test_a_good_fixture_that_is_invalid(registry: Registry, tmp_path: Path) -> None:
    """Refused, with what it said."""
    body = HONEST.replace('answer(True, float(found["value"])', 'answer(False, None, "invalid_solution"')
    assert "good fixture fixtures/good was invalid_solution" in await problems(registry, evaluator(tmp_path / "judge", body))


async def test_a_cheat_that_passes(registry: Registry, tmp_path: Path) -> None:
    """Refused."""
    body = HONEST.replace('answer(False, None, "tamper", "a literal where an input belongs")', "answer(True, 9.0)")
    assert "cheating fixture fixtures/cheat was ok" in await problems(registry, evaluator(tmp_path / "judge", body))


async def test_a_cheat_that_fails_for_another_class(registry: Registry, tmp_path: Path) -> None:
    """Being invalid is not enough: it must be seen for what it is."""
    body = HONEST.replace('"tamper"', '"runtime_error"')
    found = await problems(registry, evaluator(tmp_path / "judge", body))
    assert "was runtime_error a literal where an input belongs; it must fail with tamper" in found


async def test_an_empty_folder_that_passes(registry: Registry, tmp_path: Path) -> None:
    """Refused; so is one that crashes on it."""
    nothing = 'answer(False, None, "no_output", "nothing there")'
    passing = evaluator(tmp_path / "passing", HONEST.replace(nothing, "answer(True, 1.0)"))
    assert "an empty folder must be invalid; it was ok" in await problems(registry, passing)
    crashing = evaluator(tmp_path / "crashing", HONEST.replace(nothing, "1/0"))
    assert "it was eval_crash exit code 1: ZeroDivisionError" in await problems(registry, crashing)


async def test_a_baseline_better_than_good(registry: Registry, tmp_path: Path) -> None:
    """Refused; an equal one is fine, in both directions."""
    more = '[[fixtures]]\npath = "fixtures/start"\nkind = "baseline"'
    better = evaluator(tmp_path / "better", fixtures=more)
    candidate(better / "fixtures/start", value=2.6)
    assert "a baseline scores 2.6, better than good" in await problems(registry, better)
    equal = evaluator(tmp_path / "equal", fixtures=more, more='direction = "min"')
    candidate(equal / "fixtures/start", value=2.5)
    assert await problems(registry, equal) == ""


async def test_the_spread_of_the_good_fixture_is_the_noise(registry: Registry, tmp_path: Path) -> None:
    """Three runs, their spread is stored."""
    wobble = HONEST.replace('float(found["value"])', 'int.from_bytes(os.urandom(4), "big")')
    tested = await registry.register("judge", evaluator(tmp_path / "judge", wobble), "ops")
    assert tested.noise > 0
    assert registry.verify("judge").noise == tested.noise


async def test_one_that_changes_while_it_is_tested(registry: Registry, tmp_path: Path) -> None:
    """It writes into its own folder: refused."""
    body = HONEST + "\nopen(os.path.join(os.path.dirname(__file__), 'log'), 'a').write('x')"
    found = await problems(registry, evaluator(tmp_path / "judge", body))
    assert "changed while it was" in found


async def test_what_is_no_evaluator(registry: Registry, tmp_path: Path) -> None:
    """Each fault by its name."""
    cases: list[tuple[str, str]] = []
    (tmp_path / "empty").mkdir()
    cases.append(("empty", "evaluator.toml"))
    wrong = evaluator(tmp_path / "wrong", more='color = "red"')
    cases.append((wrong.name, "color"))
    open_ = evaluator(tmp_path / "open")
    (open_ / "judge.py").chmod(0o666)
    cases.append((open_.name, "may be written by others"))
    linked = evaluator(tmp_path / "linked")
    (linked / "link").symlink_to("/etc/passwd")
    cases.append((linked.name, "neither a file nor a folder"))
    missing = evaluator(tmp_path / "missing")
    (missing / "judge.py").unlink()
    cases.append((missing.name, "no executable inside"))
    plain = evaluator(tmp_path / "plain")
    toml = plain / "evaluator.toml"
    toml.write_text(toml.read_text().replace('interpreter = "python"', ""))
    cases.append((plain.name, "no executable inside"))
    escaping = evaluator(tmp_path / "escaping")
    toml = escaping / "evaluator.toml"
    toml.write_text(toml.read_text().replace("fixtures/good", "../good"))
    cases.append((escaping.name, "stays inside"))
    for name, word in cases:
        with pytest.raises(UsageError, match=word):
            await registry.register("judge", tmp_path / name, "ops")
    assert registry.names() == ()
