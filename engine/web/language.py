"""The three languages: catalogues read once at start, chosen by cookie or by what the browser asks for."""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

LANGUAGES: Mapping[str, str] = {"en": "English", "zh_TW": "繁體中文", "ja": "日本語"}
TAGS: Mapping[str, str] = {"en": "en", "zh_TW": "zh-Hant-TW", "ja": "ja"}
ASKED: Mapping[str, str] = {
    "en": "en", "ja": "ja", "zh": "zh_TW", "zh-tw": "zh_TW", "zh-hant": "zh_TW", "zh-hk": "zh_TW", "zh-mo": "zh_TW",
}  # fmt: skip
"""What browsers ask for, longest match first; simplified Chinese is another script and not among them."""
SIMPLIFIED = ("zh-cn", "zh-sg", "zh-hans")
LOCALES = Path(__file__).parent / "locales"

Say = Callable[[str], str]


def marked(text: str) -> str:
    """Marks a text for the catalogues; it is translated where it is shown."""
    return text


def catalogue(language: str) -> Translations:
    """The translations of one language; English is what the pages are written in."""
    file = LOCALES / language / "LC_MESSAGES" / "admin.po"
    if not file.is_file():
        return Translations()
    compiled = BytesIO()
    with file.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return Translations(compiled)


def chosen(cookie: str | None, accepted: str) -> str:
    """The language of the switch, else the best of `Accept-Language`, else English."""
    if cookie is not None and cookie in LANGUAGES:
        return cookie
    asked = sorted((_weighed(part) for part in accepted.split(",") if part.strip()), key=lambda pair: -pair[1])
    found = (_known(tag) for tag, weight in asked if weight > 0)
    return next((language for language in found if language), "en")


def _known(tag: str) -> str | None:
    """The language of a tag or of its beginning: `zh-Hant-TW`, `zh-Hant`, `zh`."""
    parts = tag.lower().split("-")
    if tag.lower().startswith(SIMPLIFIED):
        return None
    beginnings = ("-".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((ASKED[each] for each in beginnings if each in ASKED), None)


def _weighed(part: str) -> tuple[str, float]:
    tag, _, quality = part.strip().partition(";q=")
    try:
        weight = float(quality) if quality else 1.0
    except ValueError:
        weight = 0.0
    return tag.strip(), weight
