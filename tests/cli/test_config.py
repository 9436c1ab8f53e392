"""config.toml: the example that `discover init` writes, its schema, and what `discover doctor` finds in it."""

import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from engine.assembly.checks import explorations
from engine.assembly.exploring import caller_of
from engine.cli.init import CONFIG
from engine.errors import CapwrightError, SettingsInvalid
from engine.settings import Settings, config_schema, load
from tests.cli.conftest import Home

CASES = '{"cases": [{"outputs": {"balance": "1"}}]}'
GOOD = """
[[targets]]
id = "site"
url = "http://127.0.0.1:1"
[[roots]]
id = "parser"
path = "parser"
[[evaluators]]
name = "cases"
target = "site"
cases = "cases.json"
[[agents]]
agent_id = "desk"
roots = ["site"]
evaluators = ["cases"]
runtimes = ["browser"]
[[users]]
name = "pat"
roles = ["manager"]
[[tokens]]
user = "pat"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""


def settings(home: Path, config: str) -> Settings:
    """Of a home with this file, a case table and a folder to explore."""
    (home / "parser").mkdir(exist_ok=True)
    (home / "cases.json").write_text(CASES)
    (home / "config.toml").write_text(config)
    return load({}, home)


def test_the_example_is_valid_when_it_is_uncommented(tmp_path: Path) -> None:
    """Every line of it, by the settings and by the schema; it has a table of every kind, and no field of its own making."""
    lines = [line.removeprefix("# ") for line in CONFIG.splitlines() if re.match(r"# (\w+ = |\[)", line)]
    text = "\n".join(lines).replace('"…"', f'"{"0" * 64}"')
    written = tomllib.loads(text)
    schema = config_schema()
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(written)
    assert set(written) == set(schema["properties"])
    assert settings(tmp_path, text).prices["my-model"].micros(1_000_000, 0) == 300_000


def test_the_schema_refuses_what_the_settings_refuse(tmp_path: Path) -> None:
    """An unknown field and a missing one."""
    for wrong in ('color = "red"', '[[targets]]\nid = "a"', '[[tokens]]\nuser = "pat"\nsha256 = "plain"'):
        assert not Draft202012Validator(config_schema()).is_valid(tomllib.loads(wrong))
        with pytest.raises(SettingsInvalid, match="doctor --schema"):
            settings(tmp_path, wrong)


@pytest.mark.parametrize(
    "twice",
    [
        '[[roots]]\nid = "site"\npath = "x"\n',
        '[[users]]\nname = "pat"\nroles = ["viewer"]\n',
        '[[agents]]\nagent_id = "desk"\n',
    ],
)
def test_an_id_stands_for_one_thing(tmp_path: Path, twice: str) -> None:
    """Requests name targets and roots by id alone."""
    with pytest.raises(SettingsInvalid, match="more than one thing"):
        settings(tmp_path, GOOD + twice)


async def test_the_doctor_reads_all_of_it(tmp_path: Path) -> None:
    """Targets, evaluators and agents by name."""
    assert await explorations(settings(tmp_path, GOOD)) == "targets site; evaluators cases; agents desk"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('path = "parser"', 'path = "nowhere"', "Root parser: .*nowhere is no folder"),
        ('roots = ["site"]', 'roots = ["sites"]', "Agent desk names roots that are not there: sites"),
        ('evaluators = ["cases"]', 'evaluators = ["casez"]', "Agent desk names evaluators that are not there: casez"),
        ('runtimes = ["browser"]', 'runtimes = ["shell"]', "Agent desk names runtimes that are not there: shell"),
        ('user = "pat"', 'user = "pan"', "A token names users that are not there: pan"),
        ('cases = "cases.json"', 'cases = "casez.json"', "evaluator cases: .*casez.json cannot be read"),
        ('[[roots]]', 'secrets = ["pin"]\n[[roots]]', "CAPWRIGHT_SECRET_PIN"),
        ('[[roots]]', 'policy = "policies/none.yaml"\n[[roots]]', "none.yaml"),
    ],
)  # fmt: skip
async def test_the_doctor_says_what_is_not_there(tmp_path: Path, old: str, new: str, said: str) -> None:
    """Each by its name, before somebody's exploration finds it."""
    assert old in GOOD
    with pytest.raises(CapwrightError, match=said):
        await explorations(settings(tmp_path, GOOD.replace(old, new, 1)))


async def test_a_new_token_stands_for_its_user(home: Home, tmp_path: Path) -> None:
    """Only its hash goes into the file, and with it the token is the user with the user's roles."""
    made = (await home("explore", "token", "pat")).json
    held = settings(tmp_path, GOOD.replace("0" * 64, made["sha256"]))
    caller = caller_of(held, made["token"])
    assert caller is not None and (caller.user_id, caller.roles) == ("pat", {"manager"})
    assert caller_of(held, made["sha256"]) is None


async def test_the_schema_is_printed(home: Home) -> None:
    """`discover doctor --schema`, also in a home whose file is wrong."""
    home.home.mkdir()
    (home.home / "config.toml").write_text('color = "red"')
    assert (await home("doctor", "--schema")).json == config_schema()
