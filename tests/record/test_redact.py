"""Redaction, the leak gate, and credentials written in a goal."""

import base64
import gzip
import html
import io
import json
import zipfile
from pathlib import Path
from urllib.parse import quote, quote_plus, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.secret import Secret, Secrets
from engine.domain.step import Outcome, Value
from engine.record.credentials import take_credentials
from engine.record.leaks import find_leaks, withhold
from engine.record.redact import Redactor, is_distinctive
from engine.record.redacted import redacted

CANARY = "Kx7\"q/ü<&\\ 9'z"
MASK = "{{secret.pw}}"


def redactor(value: str, typed: bool = False) -> Redactor:
    made = Redactor(Secrets((Secret("pw", value),)))
    if typed:
        made.typed("pw")
    return made


def lower_hex(text: str) -> str:
    return "".join(
        char.lower() if before == "%" or two == "%" else char
        for two, before, char in zip("  " + text, " " + text, text, strict=False)
    )


ENCODINGS = {
    "raw": lambda text: text,
    "url": lambda text: quote(text, safe=""),
    "url with lower hex": lambda text: lower_hex(quote(text, safe="")),
    "encodeURIComponent": lambda text: quote(text, safe="!*'()~-._"),
    "form": quote_plus,
    "urlencoded form": lambda text: urlencode({"x": text}),
    "html": html.escape,
    "html numeric": lambda text: html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"),
    "json": json.dumps,
    "json unicode": lambda text: json.dumps(text, ensure_ascii=False),
    "json in json": lambda text: json.dumps(json.dumps({"a": text})),
    "json in json unicode": lambda text: json.dumps(json.dumps({"a": text}, ensure_ascii=False), ensure_ascii=False),
    "html in json": lambda text: json.dumps(html.escape(text)),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 url": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "base64 of user:password": lambda text: base64.b64encode(f"alice:{text}".encode()).decode(),
    "base64 shifted": lambda text: base64.b64encode(f"ab{text}cde".encode()).decode(),
    "hex": lambda text: text.encode().hex(),
}


@pytest.mark.parametrize("way", ENCODINGS)
@pytest.mark.parametrize("value", [CANARY, "hunter2!x", "correct horse battery staple"])
def test_a_distinctive_secret_is_gone_in_every_encoding(way: str, value: str) -> None:
    """Wherever it stands, and however the page or a record wrote it."""
    dirty = ENCODINGS[way](value)
    clean = redactor(value)(f"before{dirty}after")
    assert MASK in clean
    assert dirty not in clean
    assert clean.startswith("before")
    assert clean.endswith("after")


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=6, max_size=30),
    st.sampled_from(sorted(ENCODINGS)),
)
def test_any_distinctive_secret_is_gone(value: str, way: str) -> None:
    """Property: no encoding of any distinctive value survives."""
    if not is_distinctive(value) or not value.strip() or value in MASK:
        return
    dirty = ENCODINGS[way](value)
    if dirty in MASK:
        return
    assert dirty not in redactor(value)(f"[{dirty}]").replace(MASK, "")


@given(st.text(st.characters(codec="utf-8"), min_size=6, max_size=30), st.text(max_size=40))
def test_a_record_stays_json_after_redaction(value: str, other: str) -> None:
    """Property: masking never breaks the record around it."""
    record = json.dumps({"a": value, "b": other, "c": [value + other]}, ensure_ascii=False)
    json.loads(redactor(value)(record))


@pytest.mark.parametrize(
    "text",
    ["Account 12345", "ID 001234-9", "$1,234.00", "12.1234", "version 1.1234", "0x1234ff", "a1234b", "20251234"],
)
def test_a_short_secret_does_not_corrupt_longer_text(text: str) -> None:
    """Digits inside other numbers and words stay."""
    assert redactor("1234", typed=True)(text) == text


def test_a_short_secret_that_the_site_shows_itself_stays_where_it_is_the_sites() -> None:
    """Seen before it was typed, so it is not from us; in fields and hidden parameters it is masked all the same."""
    redact = redactor("1234")
    page = 'heading "1234 Main Street"'
    assert redact(page) == page
    redact.typed("pw")
    assert redact(page) == page
    assert redact('- textbox "PIN" [ref=e5]: "1234"') == f'- textbox "PIN" [ref=e5]: "{MASK}"'
    assert redact("http://a.test/?pin=1234&page=1234") == f"http://a.test/?pin={MASK}&page=1234"


@pytest.mark.parametrize("value", ["1234", "admin", "Sesame"])
def test_the_echo_of_a_short_secret_is_masked(value: str) -> None:
    """It was nowhere before it was typed: what shows it now is an echo."""
    redact = redactor(value)
    redact("a page without it")
    redact(json.dumps({"step": 3, "intent": {"action": {"action": "type", "ref": "e1", "text": MASK}}}))
    for echo in (
        f"You entered {value}.",
        json.dumps(f"line\n{value}"),
        f"say%20{value}",
        f'"{value}"',
        base64.b64encode(f"{value}".encode()).decode(),
    ):
        assert value not in redact(echo)
        assert MASK in redact(echo) or len(value) < 5


def test_numbers_of_a_record_are_never_taken_for_a_secret() -> None:
    """A size that happens to be the PIN stays a number, and the record stays JSON; a pretty one stays pretty."""
    redact = redactor("1234", typed=True)
    record = {"size": 1234, "list": [1234], "text": "PIN 1234 ok"}
    for indent in (None, 2):
        clean = redact(json.dumps(record, indent=indent))
        assert json.loads(clean) == {"size": 1234, "list": [1234], "text": f"PIN {MASK} ok"}
        assert ("\n" in clean) is (indent is not None)


def test_a_record_of_ours_is_redacted_as_a_whole() -> None:
    """Field names stay, strings at any depth are masked, and what holds no secret is the same object."""
    redact = redactor("hunter2!x")
    outcome = Outcome(ok=True, url_after="http://a.test/?p=hunter2!x", values=(Value(name="a", raw="hunter2!x"),))
    clean = redacted(outcome, redact)
    assert (clean.url_after, clean.values[0].raw) == (f"http://a.test/?p={MASK}", MASK)
    assert redacted(clean, redact) is clean


def test_a_common_word_as_a_password_does_not_eat_labels() -> None:
    """The label "password" stays although the password is "password"."""
    redact = redactor("password")
    label = 'textbox "password" [ref=e2]'
    assert redact(label) == label
    redact.typed("pw")
    assert redact(label) == label
    assert redact("password=password") == f"password={MASK}"
    assert redact('{"password": "password"}') == f'{{"password": "{MASK}"}}'


def test_structures_and_bytes_are_redacted_too() -> None:
    """Keys, nested strings, wide characters in a download."""
    redact = redactor("hunter2!x")
    assert redact.json({"hunter2!x": ["a hunter2!x", 5, None]}) == {MASK: [f"a {MASK}", 5, None]}
    assert redactor("1234").json({"pin": "1234", "room": "1234"}) == {"pin": MASK, "room": "1234"}
    assert b"hunter2!x" not in redact.content(b"\xff\x00hunter2!x\xfe")
    assert "hunter2!x".encode("utf-16-le") not in redact.content("say hunter2!x".encode("utf-16-le"))


def test_the_leak_gate_finds_what_reached_a_file(tmp_path: Path) -> None:
    """Names, text, packed and encoded content; a clean folder has none."""
    redact = redactor("hunter2!x")
    (tmp_path / "clean.txt").write_text("nothing here {{secret.pw}}")
    assert find_leaks(tmp_path, redact) == ()
    (tmp_path / "a.json").write_text(json.dumps({"x": "hunter2!x"}))
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"hunter2!x"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("sheet.xml", "<v>hunter2!x</v>")
    (tmp_path / "c.xlsx").write_bytes(buffer.getvalue())
    (tmp_path / "d.bin").write_bytes("hunter2!x".encode("utf-16-be"))
    (tmp_path / "e-hunter2!x.txt").write_text("")
    (tmp_path / "f.txt").write_text(base64.b64encode(b"user:hunter2!x").decode())
    found = find_leaks(tmp_path, redact)
    assert [leak.file[0] for leak in found] == ["a", "b", "c", "d", "e", "f"]
    assert "hunter2!x" not in str(found)


def test_evidence_with_a_leak_is_moved_out_of_sight(tmp_path: Path) -> None:
    """The sentence says which file it was, never what was in it."""
    folder = tmp_path / "run-1"
    folder.mkdir()
    (folder / "steps.jsonl").write_text("hunter2!x")
    redact = redactor("hunter2!x")
    said = withhold(folder, find_leaks(folder, redact))
    assert not folder.exists()
    assert "steps.jsonl holds the secret pw" in said
    assert "hunter2" not in said


@pytest.mark.parametrize(
    ("goal", "redacted"),
    [
        ("Log in as alice with password hunter2 and read", "Log in as USER with password PASSWORD and read"),
        ("user: bob password: p@ss, then open X", "user: USER password: PASSWORD, then open X"),
        ("Sign in with username 'Al Ice' and the password \"two words\".",
         "Sign in with username 'USER' and the password \"PASSWORD\"."),
        ("Login: alice / hunter2. Read balances", "Login: USER / PASSWORD. Read balances"),
        ("log in as alice:hunter2", "log in as USER:PASSWORD"),
        ("username=alice, pin=1234", "username=USER, pin=PASSWORD"),
        ("Log in with alice and password hunter2", "Log in with USER and password PASSWORD"),
        ("Log in to the console (email a@b.test, password x9!)", "Log in to the console (email USER, password PASSWORD)"),
        ("Log in and read member 100231's balances as savings/checking", None),
        ("Reset the password for member 5 and click the password field", None),
        ("Log in with the username and password of the page", None),
        ("Open http://127.0.0.1:4010/ and log in as administrator", None),
        ("Log in with {{secret.user}} and password {{secret.password}}", None),
        ("Fill in the form with username and password and press Enter", None),
    ],
)  # fmt: skip
def test_credentials_in_a_goal_become_secrets(goal: str, redacted: str | None) -> None:
    """Written in everyday ways; a goal without any stays as it is."""
    found = take_credentials(goal)
    expected = (redacted or goal).replace("USER", "{{secret.user}}").replace("PASSWORD", "{{secret.password}}")
    assert found.goal == expected
    restored = found.goal
    for secret in found.secrets:
        restored = restored.replace(secret.placeholder, secret.value)
    assert restored == goal


def test_names_of_secrets_that_exist_are_not_taken_again() -> None:
    """A secret given on the command line keeps its name."""
    found = take_credentials("log in as al with password pw1!", taken=("password", "user"))
    assert [secret.name for secret in found.secrets] == ["password2", "user2"]
    assert [secret.clear for secret in found.secrets] == [False, True]
