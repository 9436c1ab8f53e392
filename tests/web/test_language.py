import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from engine.web.language import LANGUAGES, LOCALES, chosen
from engine.web.sentences import Sentences
from tests.web.extraction import sentences, texts
from tests.web.gallery import DATA, gallery
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


PARTS_OF_SENTENCES = {
    "scope: the page's own frame", "default: no risk line matches", "needs a person's approval", "More than one element fits",
    "The element is gone or no longer what it was", 'in the row of "{}"', "I find no {} here.{}", "I see no {} on this page.{}",
    "I do not understand this part of the goal:", "Secret {}; never written down", "Name found by code → better name",
    "outside of the viewport", "Node is not an", "giving it a file", "a fault of the admin",
    "a an the this that its their his her my your our of please all on",
}  # fmt: skip
FOR_PROGRAMS = re.compile(r"INSERT |approval_id AS|default-src|web/(boundary|rpc|serving)\.py")


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_what_the_engine_says_is_translated(language: str) -> None:
    """Refusals, endings, reasons and errors: everything that is said where pages show it, found in the source itself."""
    catalogue, found = Sentences(language), dict(tuple(reversed(each)) for each in sentences())
    missing = [
        f"{place}: {text}"
        for text, place in found.items()
        if text not in PARTS_OF_SENTENCES
        and not FOR_PROGRAMS.search(f"{place} {text}")
        and catalogue.told(text.replace("{}", "X1")) == text.replace("{}", "X1")
    ]
    assert len(found) > 150
    assert not missing


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ('cell "Balance" in region "Notice"', "領域「Notice」の中のセル「Balance」"),
        ('link "A" in cell "B" in table "C"', "表「C」の中のセル「B」の中のリンク「A」"),
        ('button "no"', "ボタン「no」"),
        ("The site answered 500.", "サイトの応答は 500 です。"),
        ("The path is /x and the page says \"Read 2 in 1\".", "パスが /x である、かつページに「Read 2 in 1」とある。"),
        ("The site answered 500. Who knows. The approval has expired.",
         "サイトの応答は 500 です。Who knows. 承認の期限が切れています。"),
        ("1.0.2 is rejected, so it cannot be approved; an edit makes a new version.",
         "1.0.2 は 却下 なので 承認済み にはできません。編集すると新しい版になります。"),
        ("Something else in the world", "Something else in the world"),
        ("", ""),
    ],
)  # fmt: skip
def test_sentences_are_told_part_by_part(said: str, told: str) -> None:
    """What is quoted is of pages and people and stays; what is not known stays; English stays."""
    assert Sentences("ja").told(said) == told
    assert Sentences("en").told(said) == said


QUIET = ("code", "pre", "script", "time", "header", "textarea", "option", "text")


class Texts(HTMLParser):
    """Texts of a page's main part that are neither code nor moments."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Attributes speak too."""
        if tag not in ("input", "meta", "link", "br", "img", "path", "rect", "image"):
            quiet = tag in QUIET or "mono" in (dict(attrs).get("class") or "")
            self._inside.append("quiet" if quiet else tag)
        if "quiet" not in self._inside:
            self.found |= {" ".join((value or "").split()) for name, value in attrs if name in ("aria-label", "alt")}

    def handle_endtag(self, tag: str) -> None:
        """One element less."""
        if self._inside:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        """One text."""
        if "quiet" not in self._inside:
            self.found.add(" ".join(data.split()))


ENGLISH = re.compile(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}[,;:]? [A-Za-z]{2,}")


@pytest.mark.slow
@pytest.mark.timeout(240)
async def test_no_sentence_of_any_page_stays_english(sample: tuple[Path, str, str], tmp_path: Path) -> None:
    """Every page in every state, in both languages: what is the same as in English is data of pages and people."""
    shutil.copytree(sample[0], tmp_path / "home")
    async with gallery(tmp_path / "home", *sample[1:]) as shown, shown.home.served.signed_in("mona") as client:
        for name, path in shown.paths.items():
            pages = {}
            for language in LANGUAGES:
                parser = Texts()
                parser.feed((await client.get(path, headers={"accept-language": language.replace("_", "-")})).text)
                pages[language] = parser.found
            for language in ("zh_TW", "ja"):
                same = {text for text in pages["en"] & pages[language] if ENGLISH.search(text)}
                assert not {text for text in same if not any(each in text for each in DATA)}, f"{name} in {language}"
