import re

import pytest
from babel.messages.pofile import read_po

from engine.web.language import LANGUAGES, LOCALES, chosen
from tests.web.extraction import texts
from tests.web.serving import Served

PARTS = re.compile(r"%\(\w+\)s|\{\w+\}")


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_every_text_is_translated(language: str) -> None:
    """Nothing is missing, nothing is left over, and the parts that are filled in are the same."""
    with (LOCALES / language / "LC_MESSAGES" / "admin.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    wanted = {message[0] for message in texts()}
    assert len(wanted) > 300
    assert {message.id if isinstance(message.id, str) else message.id[0] for message in catalogue if message.id} == wanted
    for message in catalogue:
        source = message.id if isinstance(message.id, str) else message.id[0]
        strings = (message.string,) if isinstance(message.string, str) else message.string
        if source:
            assert not message.fuzzy and all(strings), source
            assert all(set(PARTS.findall(source)) == set(PARTS.findall(each)) for each in strings), source


@pytest.mark.parametrize(
    ("cookie", "accepted", "language"),
    [
        (None, "", "en"),
        (None, "de-DE,de;q=0.9", "en"),
        (None, "zh-TW,zh;q=0.9,en;q=0.8", "zh_TW"),
        (None, "zh-Hant-TW", "zh_TW"),
        (None, "zh-HK", "zh_TW"),
        (None, "zh-CN,zh;q=0.5", "zh_TW"),
        (None, "zh-CN,ja;q=0.5", "ja"),
        (None, "ja-JP,ja;q=0.9,en-US;q=0.8", "ja"),
        (None, "en;q=0.1, ja;q=0.9", "ja"),
        (None, "ja;q=0, en", "en"),
        (None, ";;;q=,q=x,\t", "en"),
        ("ja", "zh-TW", "ja"),
        ("xx", "zh-TW", "zh_TW"),
    ],
)
def test_a_language_is_chosen(cookie: str | None, accepted: str, language: str) -> None:
    """The switch wins over the browser, the browser over English."""
    assert chosen(cookie, accepted) == language


async def test_the_switch_is_remembered(served: Served) -> None:
    """Pressed once, every page is in that language, with its lang attribute."""
    async with served.client() as client:
        response = await client.post("/admin/language", data={"language": "ja", "next": "/admin/login"})
        assert response.status_code == 303 and response.headers["location"] == "/admin/login"
        page = (await client.get("/admin/login", headers={"accept-language": "zh-TW"})).text
        assert '<html lang="ja">' in page and "サインイン" in page
        await client.post("/admin/language", data={"language": "../../etc", "next": "/admin/login"})
        assert '<html lang="ja">' in (await client.get("/admin/login")).text
