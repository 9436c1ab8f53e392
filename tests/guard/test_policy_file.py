"""Policy files: parsing, sentences with lines, the schema and the default."""

from pathlib import Path

import jsonschema
import pytest
import yaml

from engine.domain.policy import Policy
from engine.domain.secret import Secret, Secrets
from engine.errors import PolicyInvalid
from engine.guard.policy_file import default_policy, parse_policy, policy_schema

EXAMPLE = Path(__file__).parents[2] / "policies" / "teller.yaml"
HEAD = "version: 1\nscope:\n  navigate: ['http://a.test']\n"


def test_the_example_parses_and_fits_its_own_schema() -> None:
    """The shipped file is a policy for the parser and for any editor that uses the schema."""
    parsed = parse_policy(EXAMPLE.read_text(), "teller.yaml")
    assert parsed.policy.risk[2].effect == "forbid"
    assert parsed.where("risk[1]") == "teller.yaml:12"
    assert parsed.where("scope.navigate[0]") == "teller.yaml:5"
    assert parsed.where("default: no risk line matches") == "teller.yaml"
    jsonschema.Draft202012Validator(policy_schema()).validate(yaml.safe_load(EXAMPLE.read_text()))


def test_the_schema_refuses_unknown_keys() -> None:
    """What the parser refuses an editor marks too."""
    wrong = yaml.safe_load(EXAMPLE.read_text()) | {"scopes": {}}
    assert not jsonschema.Draft202012Validator(policy_schema()).is_valid(wrong)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAD + "scopes: 1\n", "p.yaml:4: scopes: this key is not known"),
        (HEAD + "actions: {allow: [click, eval]}\n", "p.yaml:4: actions.allow[1]:"),
        (
            HEAD + "risk:\n  - {when: {name: '('}, effect: forbid}\n",
            "p.yaml:5: risk[0].when.name: '(' is no regular expression",
        ),
        (HEAD + "risk:\n  - {when: {}, effect: forbid}\n", "p.yaml:5: risk[0].when: an empty `when`"),
        (HEAD + "risk:\n  - {when: {action: click, request: {}}, effect: forbid}\n", "`request` stands alone"),
        (HEAD + "risk:\n  - {when: {request: {path: transfers}}, effect: forbid}\n", "is no path prefix"),
        (HEAD + "risk:\n  - {when: {request: {method: ['PO ST']}}, effect: forbid}\n", "is no HTTP method"),
        (HEAD + "version: 1\n", "p.yaml:4: version stands twice"),
        (HEAD + "secrets: {x: {origins: ['http://a.test/path']}}\n", "is no origin"),
        ("version: 1\nscope: {navigate: ['http://*.com']}\n", "p.yaml:2: scope.navigate[0]: 'http://*.com' is no scope"),
        ("version: 1\nscope: {navigate: ['http://u@a.test']}\n", "user information"),
        ("version: 1\nscope: {navigate: ['ws://a.test']}\n", "write http or https"),
        ("version: 1\nscope: {navigate: ['a.test']}\n", "is no scope"),
        ("version: 1\nscope: {navigate: []}\n", "p.yaml:2: scope.navigate"),
        ("version: 2\nscope: {navigate: ['http://a.test']}\n", "p.yaml:1: version"),
        ("version: 1\n", "p.yaml:1: scope: this key is required"),
        ("a: [\n", "p.yaml:2: not YAML"),
        ("", "the file is empty"),
        ("- 1\n", "a policy is a mapping"),
        ("a: !!python/object/apply:os.system ['true']\n", "not YAML"),
    ],
)
def test_an_error_is_a_sentence_with_file_line_and_field(text: str, says: str) -> None:
    """People find the place without reading our code."""
    with pytest.raises(PolicyInvalid) as caught:
        parse_policy(text, "p.yaml")
    assert says in str(caught.value)


def test_all_errors_of_a_file_are_named_at_once() -> None:
    """One run of `policy check` is enough to correct a file."""
    with pytest.raises(PolicyInvalid) as caught:
        parse_policy("version: 3\nscope: {navigate: ['x']}\nnope: 1\n", "p.yaml")
    assert len(str(caught.value).splitlines()) == 3


def test_the_default_policy_is_the_targets_origin_and_asks_for_writes() -> None:
    """Without a file nothing but the target's own origin is reachable, and secrets are bound to it."""
    policy = default_policy("http://127.0.0.1:4010/login?x=1", Secrets((Secret("pw", "v"),)))
    assert policy.scope.navigate == ("http://127.0.0.1:4010",)
    assert policy.secrets["pw"].origins == ("http://127.0.0.1:4010",)
    assert policy.login_forms
    assert Policy.model_validate_json(policy.model_dump_json(by_alias=True)).digest == policy.digest


def test_a_target_that_is_no_plain_url_has_no_policy() -> None:
    """A tricky target is refused before anything is opened."""
    with pytest.raises(PolicyInvalid):
        default_policy("http://user@evil.test/")
